#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A crawl on many machines whose links go over Kafka and whose leases are elsewhere. The brokers are librdkafka's own,
# for tests: they speak Kafka's protocol over loopback, keep all in memory, and are taken down and up by commands.

# shellcheck disable=SC2016,SC2154  # conditions; what the helpers say

load ../cli/helper

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
  type -P kafka-mock >/dev/null || skip "built without librdkafka"
  mkfifo words
  kafka-mock 3 <words >brokers 2>/dev/null 3>&- &
  exec 7>words
  soon '[[ -s brokers ]]'
  start_one
  url="$url?bus=kafka://$(<brokers)"
  helpers=()
}
teardown() {
  exec 7>&-
  end_jobs
  end_servers
}

@test "link-bus over Kafka: what is sent comes once, also where the brokers are away for a while, and Redis has the leases alone" {
  send_through_an_outage "$url" 'printf "down %d\n" 1 2 3 >&7' 'printf "up %d\n" 1 2 3 >&7'
  grep -q '^link-bus: kafka 127.0.0.1:.*: trying again' sent
  [[ -z $(ask "$port" --scan --pattern 'spinneret:{crawl}:stream:*') ]]
  # A later receiver begins after the messages that were acknowledged.
  link-bus --tail="$url" --partition=0 --idle=1s >left
  (($(wc -l <left) < 1500))
}

@test "three schedulers crawl over Kafka: one is killed, Redis forgets, a broker is away; every page comes, and no delay is cut short" {
  local i HOSTS=23 PAGES=600 CHAINS=30 DELAY=60
  export HOLD=500
  make_web
  worker() {
    local status=5
    while ((status == 5 || status > 128)); do
      status=0
      setsid bash -c 'echo $$ >"pid.$1"; exec politeness-sched --state "s.$1" -q --cluster="$2" --partition="$1/3" --partition-lease=3s --delay 60ms \
        --delay-factor 0 --in-flight 4 seeds -- perl site.pl 23 600 30' _ "$1" "$url" >>"records.$1" 2>>"messages.$1" || status=$?
    done
    return $status
  }
  for i in 0 1 2; do worker $i 3>&- 7>&- & helpers+=($!); done
  wait_for_progress 80
  kill -9 -- "-$(cat pid.1)"
  # A machine with its links elsewhere would read none of theirs.
  run -2 politeness-sched --state s.9 -q --cluster="${url%\?*}" --partition=0/3 --partition-lease=3s seeds -- cat
  [[ $output == *"this crawl was begun with"*"bus=kafka"*"and here it is"* ]]
  wait_for_progress 80
  # With all three down, no broker can be elected in the place of another.
  printf 'down %d\n' 1 2 3 >&7
  soon 'says "kafka 127.0.0.1" messages.*'
  printf 'up %d\n' 1 2 3 >&7
  wait_for_progress 80
  ask "$port" flushall >/dev/null
  touch released
  wait "${helpers[@]}" || { cat messages.*; false; }
  judge 16
}

@test "a Kafka that is not there, or not named as one is, is told" {
  link-bus --check="$url" >checked
  grep -q "^ok   kafka $(<brokers): 3 brokers" checked
  run -1 link-bus --check="${url%\?*}?bus=kafka://127.0.0.1:1"
  [[ $output == *"bad  kafka 127.0.0.1:1: "* ]]
  for bad in 'kafka://me:secret@h' 'kafka://h/topic' 'http://h' 'kafka://h?acks=0'; do
    run -2 link-bus --check="${url%\?*}?bus=$bad"
    [[ $output == *afka* && $output != *secret* ]]
  done
  # Settings for logging in: one that librdkafka refuses is named without its value, and no message has the password.
  export SPINNERET_KAFKA_USER=me SPINNERET_KAFKA_PASSWORD=se%cret
  for bad in 'security.protocol=maybe' 'sasl.mechanisms=PLAIN%26security.protocol=SASL_PLAINTEXT' 'security.protocol=SSL%26ssl.ca.location=none.pem'; do
    run -1 link-bus --check="${url%\?*}?bus=kafka://$(<brokers)?$bad"
    [[ $output == *"bad  kafka "* && $output != *se%cret* && $output != *maybe* ]] || { echo "$bad: $output"; false; }
    run -2 link-bus --send="${url%\?*}?bus=kafka://$(<brokers)?$bad" --partition=0 --timeout=2s http://a.test/
    [[ $output == *"kafka "* && $output != *se%cret* ]] || { echo "$bad: $output"; false; }
  done
}
