#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Engines of a crawl in partitions as they run in production: Sentinel, a cluster, TLS, passwords; and servers that
# cannot be trusted. A link that is sent comes once and whole, whatever the engine does meanwhile.

# shellcheck disable=SC2016,SC2154  # conditions; what engines.bash says

load ../cli/helper

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $server ]] || skip "no valkey-server and no redis-server"
  [[ -n $client ]] || skip "no valkey-cli and no redis-cli"
  helpers=()
}

# pass_through_failover N: sends N links through the engine, which loses all but the first: its primary dies with
# messages that its replicas had not received and nobody had read.
pass_through_failover() {
  local i before
  for ((i = 0; i < $1; i++)); do echo "http://www.h$i.test/"; done >links
  mkfifo in
  link-bus --send="$url" --partitions=1 <in 2>sent 3>&- &
  helpers+=($!)
  exec 8>in
  head -n 1 links >&8
  before=$(primary)
  soon '(($(ask '"$before"' xlen "spinneret:{crawl}:stream:p0") == 1))'
  cut_replicas_off "$before"
  tail -n +2 links >&8
  exec 8>&-
  soon '(($(ask '"$before"' -a cut xlen "spinneret:{crawl}:stream:p0") > 1))'
  # Neither replica has received them; the one that becomes the primary gets them from the sender again.
  for i in "${group[@]}"; do
    [[ $i == "$before" || $(printf '%s\n' readonly 'xlen spinneret:{crawl}:stream:p0' | ask "$i" | tail -n 1) == [01] ]]
  done
  fail_over "$before"
  [[ $(primary) != "$before" ]]
  link-bus --receive="$url" --partition=0 --partitions=1 --ttl=1s >got 2>said 3>&- &
  helpers+=($!)
  wait "${helpers[0]}" || { cat sent said; false; }
  kill "${helpers[1]}"
  wait "${helpers[1]}" || true
  sort got | cmp - <(sort links)
}

@test "Sentinel: the primary dies with what its replicas had not heard of; the next one is found, and no link is lost" {
  start_sentinel
  link-bus --check="$url" >checked
  grep -q '^ok   2 replicas' checked
  grep -q '^ok   WAIT 1' checked
  pass_through_failover 700
  run -2 link-bus --check="${url%it}others"
  [[ $output == *"knows no primary named others"* ]]
}

@test "a cluster: the server that has the crawl's slot is found from any other, also when its primary has died" {
  start_cluster
  link-bus --check="$url" >checked
  grep -qE "^ok   primary 127.0.0.1:${group[0]}" checked
  pass_through_failover 700
}

@test "several seeds: those that are dead, or replicas, lead to the primary" {
  start_replicated
  run -0 link-bus --check="redis://127.0.0.1:1,127.0.0.1:${group[2]},127.0.0.1:${group[1]}/crawl"
  [[ ${lines[0]} == "ok   primary 127.0.0.1:${group[0]}" ]]
  end_server "${group[0]}"
  run -2 link-bus --check="redis://127.0.0.1:1,127.0.0.1:${group[1]}/crawl"
  [[ $output == *"127.0.0.1:1: Connection refused"*"127.0.0.1:${group[1]}: is a replica"* ]]
}

certificates() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=authority 2>/dev/null
  local name
  for name in server user; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $name.key -out $name.csr -subj /CN=$name 2>/dev/null
    openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem \
      -extfile <(echo "subjectAltName=IP:127.0.0.1,DNS:localhost") 2>/dev/null
  done
}

@test "rediss: TLS, with a certificate of our own where the server wants one; who is not who the address says is refused" {
  command -v openssl >/dev/null || skip "no openssl"
  certificates
  start_server --tls-port 0
  local plain=$port tls i
  [[ -n $(ask "$plain" config get tls-port) ]] || skip "this server knows no TLS"
  ask "$plain" config set tls-cert-file "$PWD/server.pem" tls-key-file "$PWD/server.key" tls-ca-cert-file "$PWD/ca.pem" >/dev/null
  # Finds a free port; a port in use is refused.
  for i in {1..30}; do
    tls=$((20000 + RANDOM % 12000))
    [[ $(ask "$plain" config set tls-port "$tls") != OK ]] || break
  done
  local to=rediss://127.0.0.1:$tls/crawl
  run -0 link-bus --check="$to?ca=$PWD/ca.pem&cert=$PWD/user.pem&key=$PWD/user.key"
  [[ ${lines[0]} == "ok   primary 127.0.0.1:$tls" ]]
  # The batch is larger than a TLS record.
  for i in {1..3000}; do echo "http://www.h$i.test/a/path/of/some/length"; done >links
  link-bus --receive="$to?ca=$PWD/ca.pem&cert=$PWD/user.pem&key=$PWD/user.key" --partition=0 --partitions=1 --ttl=1s --idle=15s >got 3>&- &
  helpers+=($!)
  link-bus --send="$to?ca=$PWD/ca.pem&cert=$PWD/user.pem&key=$PWD/user.key" --partitions=1 links
  kill "${helpers[0]}"
  wait "${helpers[0]}" || true
  sort got | cmp - <(sort links)
  # A client without a certificate is refused; then none is required, and the authorities come from the environment.
  run -2 link-bus --check="$to?ca=$PWD/ca.pem"
  [[ $output == *"127.0.0.1:$tls: "* ]]
  ask "$plain" config set tls-auth-clients no >/dev/null
  SSL_CERT_FILE=$PWD/ca.pem link-bus --check="$to" >checked
  run -2 link-bus --check="$to"
  [[ $output == *"its certificate does not hold: "* ]]
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout other.key -out other.pem -subj /CN=other \
    -addext subjectAltName=IP:127.0.0.9 2>/dev/null
  ask "$plain" config set tls-cert-file "$PWD/other.pem" tls-key-file "$PWD/other.key" >/dev/null
  run -2 link-bus --check="$to?ca=$PWD/other.pem"
  [[ $output == *"its certificate does not hold: IP address mismatch"* ]]
  # bug: a machine of a crawl tried again for ever
  run -2 timeout 100 politeness-sched --cluster="$to?ca=$PWD/other.pem" --partitions=2 --state='n.{}' -q links -- cat
  [[ $output == *"its certificate does not hold: IP address mismatch"* && ! -e n.0 ]]
  # TLS to a plain port, and plain RESP to a TLS port.
  run -2 link-bus --check="rediss://127.0.0.1:$plain/crawl?ca=$PWD/ca.pem"
  [[ $output == *"127.0.0.1:$plain: "* ]]
  run -2 link-bus --check="redis://127.0.0.1:$tls/crawl"
  [[ $output == *"127.0.0.1:$tls: "*"if it speaks TLS, name it rediss://" ]]
  run -2 link-bus --check="$to?ca=$PWD/none.pem"
  [[ $output == *"cannot read the authorities in $PWD/none.pem"* ]]
  for bad in 'rediss://h/x?key=k' 'redis://h/x?ca=f' 'rediss://h/x?ca' 'rediss://h/x?what=1'; do
    run -2 link-bus --check="$bad"
    [[ $output == *"an engine's address has"* ]]
  done
}

@test "a password is in no message, and in nobody's words: neither of a tool's nor of the crawl's own" {
  start_one --requirepass 'se%cret'
  url=redis://:se%25cret@127.0.0.1:$port/crawl
  run -2 link-bus --check=redis://127.0.0.1:$port/crawl
  [[ $output == *"(the password goes into SPINNERET_REDIS_PASSWORD)"* ]]
  run -2 link-bus --check=redis://:wrong-one@127.0.0.1:$port/crawl
  [[ $output == *"refuses the password"* && $output != *wrong-one* ]]
  SPINNERET_REDIS_PASSWORD='se%cret' link-bus --check=redis://127.0.0.1:$port/crawl >checked
  link-bus --tail="$url" --partition=0 --idle=1m >came 2>&1 3>&- &
  helpers+=($!)
  soon '[[ $(tr "\0" " " </proc/'$!'/cmdline) == *":*"*"@127.0.0.1:$port/crawl"* ]]'
  politeness-sched --state=s -q --cluster="$url" --partition=0/1 --partition-lease=1s http://127.0.0.1:1/ -- cat >/dev/null 2>messages 3>&- &
  helpers+=($!)
  soon '[[ $(tr "\0" " " </proc/'$!'/cmdline) == *"@127.0.0.1:$port/crawl"* ]]'
  # The command line is rewritten before anything else is done.
  "$SPINNERET_ROOT/scripts/crawl" --cluster="${url}2" --partitions=1 --partition-lease=1s --state="$PWD/state" --agent=x --contact=me@example.org -q \
    http://127.0.0.1:1/ >/dev/null 2>>messages 3>&- &
  helpers+=($!)
  soon 'compgen -G "state/p0/frontier*" >/dev/null'
  local pid
  for pid in "${helpers[@]}" $(pgrep -P "${helpers[2]}" || true); do
    [[ ! -e /proc/$pid/cmdline ]] || run ! grep -aF 'se%25cret' /proc/$pid/cmdline
  done
  run ! grep -F -e 'se%25cret' -e 'se%cret' messages
  run ! grep -rF -e 'se%25cret' -e 'se%cret' state s
}

@test "users of the server's: one that may use our keys will do, one that may not is told, and no password is" {
  start_one
  ask "$port" acl setuser crawler on '>se%cret' '~spinneret:*' +@all >/dev/null
  ask "$port" acl setuser guest on '>se%cret' '~other:*' +@all >/dev/null
  local at=127.0.0.1:$port/crawl
  link-bus --check="redis://crawler:se%25cret@$at" >checked
  run ! grep -q '^bad' checked
  REDISCLI_AUTH='se%cret' link-bus --check="redis://crawler@$at" >checked
  link-bus --receive="redis://crawler:se%25cret@$at" --partition=0 --partitions=1 --ttl=1s >got 2>said 3>&- &
  helpers+=($!)
  link-bus --send="redis://crawler:se%25cret@$at" --partitions=1 --timeout=100s http://a.test/
  grep -q '^http://a.test/' got
  run -2 link-bus --check="redis://crawler:wrong-one@$at"
  [[ $output == *"refuses the password"* && $output != *wrong-one* ]]
  run -2 link-bus --send="redis://guest:se%25cret@$at" --partitions=1 --timeout=2s http://a.test/
  [[ $output == *"127.0.0.1:$port: "*NOPERM* && $output != *se%* ]]
  run -2 politeness-sched --cluster="redis://guest:se%25cret@$at" --partitions=1 --partition-lease=1s --state='n{}' -- false
  [[ $output == *NOPERM* && $output != *se%* ]]
  run ! grep -F 'se%' said
}

@test "crawl --check, and a crawl that begins: what is wrong with a server is named, and nothing is begun there" {
  start_one --maxmemory 10mb --maxmemory-policy allkeys-lru
  run -1 "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" --check
  [[ $output == *"bad  maxmemory-policy is allkeys-lru: it may evict leases; set noeviction"* && $output == *"bad  maxmemory 10485760: links on their way need 64 MB"* ]]
  [[ $output == *"no append-only file"* && $output == *"0 replicas: safe, and the crawl stops with the server"* ]]
  run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" --state="$PWD/state" --agent=x --contact=me@example.org http://127.0.0.1:1/
  [[ $output == *"the engine is not one that a crawl can trust:"*"bad  maxmemory-policy is allkeys-lru"* ]]
  [[ $(ask "$port" exists 'spinneret:{crawl}:table:crawl') == 0 ]]
  run -2 "$SPINNERET_ROOT/scripts/crawl" --check http://h.test/
  [[ $output == *"--check goes with --cluster"* ]]
  ask "$port" config set maxmemory 0 >/dev/null
  ask "$port" config set maxmemory-policy noeviction >/dev/null
  # The engine's disk is gone.
  rm -r "engine.$port"
  ask "$port" bgsave >/dev/null
  soon '[[ $(ask "$port" info persistence) == *rdb_last_bgsave_status:err* ]]'
  run -1 link-bus --check="$url"
  [[ $output == *"bad  rdb_last_bgsave_status is err: its disk is full or broken, and it will refuse to write"* ]]
  # The keys are of a later version.
  ask "$port" flushall >/dev/null
  ask "$port" set 'spinneret:{crawl}:version' 2 >/dev/null
  run -2 link-bus --check="$url"
  [[ $output == *'is of version "2", and this program'"'"'s is 1'* ]]
}

# answer LINKS: prints a stage that has every page; a page of the first level has those links.
answer() { printf '/\\/first/ { n = split("%s", l, " "); for (i = 1; i <= n; i++) print l[i] "\\tvia=" $1 } { print $0 "\\tstatus=200\\toutcome=ok"; fflush() }' "$1"; }

@test "a machine that begins where the engine refuses it ends, and says why; one that is away is waited for" {
  local words=(--partitions=1 --partition-lease=1s --state="$PWD/state" --agent=x --contact=me@example.org --delay=0 -q http://127.0.0.1:1/)
  start_one --requirepass geheim
  run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster="redis://:falsch@127.0.0.1:$port/crawl" "${words[@]}"
  [[ $output == *"127.0.0.1:$port: refuses the password: "* && $output != *falsch* ]]
  run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" "${words[@]}"
  [[ $output == *"NOAUTH Authentication required. (the password goes into SPINNERET_REDIS_PASSWORD)"* ]]
  printf '%s\n' 'auth geheim' "config set requirepass ''" 'set spinneret:{crawl}:version 9' | ask "$port" >/dev/null
  run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" "${words[@]}"
  [[ $output == *'what is stored under spinneret:{crawl}: is of version "9", and this program'\''s is 1: use its release, or another NAME'* ]]
  ask "$port" flushall >/dev/null
  ask "$port" set 'spinneret:{crawl}:table:pins' theirs >/dev/null
  run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" "${words[@]}"
  [[ $output == *'bad  key "spinneret:{crawl}:table:pins" is a string, and ours is a hash: another program made it'* ]]
  run -2 politeness-sched --cluster="$url" --partitions=1 --partition-lease=1s --state='s{}' -- false
  [[ $output == *"another program's key is where ours belongs: link-bus --check names it"* ]]
  [[ $(ask "$port" get 'spinneret:{crawl}:table:pins') == theirs && $(ask "$port" exists 'spinneret:{crawl}:table:crawl') == 0 ]]
  # An engine that is away is waited for, since a machine may come up before it.
  local at=$port
  end_server "$at"
  politeness-sched --cluster="$url" --partitions=1 --partition-lease=1s --state='s{}' -q --delay 0 http://h.test/first -- awk "$(answer http://i.test/)" 2>said 3>&- &
  helpers+=($!)
  soon 'says "127.0.0.1:$at: Connection refused: asking again" said'
  launch_server "$at"
  wait "${helpers[0]}"
  (($(politeness-sched --state=s0 --list --with-state=done | wc -l) == 2))
}

@test "another program's key is in the way of a link, or what comes is no batch or no link: each is named, and nothing is lost" {
  local sched=(politeness-sched -q --cluster= --partition-lease=1s --delay 0) one
  start_one
  sched[2]+=$url
  for one in {1..40}; do echo "http://h$one.test/"; done >links
  ask "$port" set 'spinneret:{crawl}:stream:p1' theirs >/dev/null
  "${sched[@]}" --state=s0 --partition=0/2 http://{a,b,c,d}.test/first -- awk "$(answer "$(tr '\n' ' ' <links)")" >got.0 2>said.0 3>&- &
  helpers+=($!)
  soon 'grep -q "another program.s key is where ours belongs: .*(to append to spinneret:{crawl}:stream:p1)" said.0'
  # The key is not ours to remove.
  [[ $(ask "$port" get 'spinneret:{crawl}:stream:p1') == theirs ]]
  ask "$port" del 'spinneret:{crawl}:stream:p1' >/dev/null
  # A message that is no batch, one of a later version, and links that are no URLs.
  soon '(($(ask "$port" xlen "spinneret:{crawl}:stream:p1") > 0))'
  one=$(ask "$port" xrevrange 'spinneret:{crawl}:stream:p1' + - count 1 | head -n 1)
  ask "$port" xadd 'spinneret:{crawl}:stream:p1' "${one%-*}-$((${one#*-} + 1))" m rubbish >/dev/null
  ask "$port" xadd 'spinneret:{crawl}:stream:p1' "${one%-*}-$((${one#*-} + 2))" other field >/dev/null
  printf '%s\n' mailto:me@example.org http://good.test/ 'http://[bad/' >others
  "${sched[@]}" --state=s1 --partition=1/2 --rejected=rejected http://{a,b,c,d}.test/first -- awk "$(answer "$(tr '\n' ' ' <links)")" >got.1 2>said.1 3>&- &
  helpers+=($!)
  link-bus --send="$url" --partition=1 --timeout=60s others
  wait "${helpers[0]}" || { cat said.0; false; }
  local status=0
  wait "${helpers[1]}" || status=$?
  ((status == 1)) || { cat said.1; false; }
  (($(grep -c "another program's key" said.0) == 1))
  grep -q 'a batch of links came damaged' said.1
  grep -qE '^politeness-sched: from s-[0-9a-f]+: is not a link: .*mailto:me@example.org' said.1
  cut -f1 rejected | sort | cmp - <(printf '%s\n' 'http://[bad/' mailto:me@example.org)
  cat got.? | grep outcome=ok | cut -f1 | sort -u | cmp - <({ cat links; echo http://good.test/; printf 'http://%s.test/first\n' a b c d; } | sort)
}

# crawl_many NAME STATE [OPTION...]: starts a machine of that name on the seeds; its pid is $!, and its messages go to
# said.NAME.
crawl_many() {
  setsid "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" --partitions=4 --node="$1" --state="$2" "${@:3}" --partition-lease=3s --allow-private --delay=100ms \
    --scope=any --agent=x --contact=me@example.org -q seeds >/dev/null 2>>"said.$1" 3>&- &
  helpers+=($!)
}
@test "an engine whose memory is full amid a crawl: it is said once a minute, and with room again no link is lost" {
  start_one
  # (The site is slow towards the end, until all of this has been reported.)
  serve_web 700 250/2
  local one
  for one in a b; do crawl_many $one "$PWD/of.$one"; done
  soon 'more_than 200 web.log "* /p/*"'
  ask "$port" config set maxmemory 1 >/dev/null
  soon 'says "its memory is full, and it takes nothing more: raise its maxmemory" said.a && says "its memory is full" said.b'
  # The engine takes nothing more, but leases are kept, so that each partition finishes what it can do alone.
  soon 'nap .2; (($(ask "$port" info errorstats | sed -nE "s/^errorstat_OOM:count=([0-9]+).*/\1/p") > 40))'
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) < 700))
  ask "$port" config set maxmemory 0 >/dev/null
  soon 'says "the engine takes links again" said.a && says "the engine takes links again" said.b'
  kill -USR1 "$web"
  for one in "${helpers[@]}"; do wait "$one" || { cat said.?; false; }; done
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) == 700 && $(grep -c ' /p/' web.log) == 700)) || { cat said.?; false; }
  # bug: each try reported that the engine took nothing, and in between that it answered again
  for one in a b; do (($(grep -c 'memory is full' said.$one) <= 3 && $(grep -c 'answers again' said.$one) == 0)) || { cat said.?; false; }; done
}

@test "crawl --cluster: another number of partitions, list of suffixes, policy or set of seeds is refused by name, and nothing is begun" {
  start_one
  serve_web 300
  printf 'deny-path ^/never/\n' >rules
  crawl_many a "$PWD/of-a" --policy=rules
  soon 'more_than 60 web.log "* /p/*"'
  # refused WORDS WHAT: a machine with these words ends at once, and names the crawl's terms and its own.
  refused() {
    # shellcheck disable=SC2086
    run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" --node=b --state="$PWD/of-b" --partition-lease=3s --allow-private --delay=100ms --scope=any \
      --agent=x --contact=me@example.org -q $1
    [[ $output == *'this crawl was begun with "partitions=4 '*'and here it is "'*"$2"*': all nodes must be called with the same options, rules and seeds'* ]] ||
      { echo "$1: $output"; false; }
    ! compgen -G 'of-b/p*/frontier/db' || false
  }
  # Another public suffix list, another content of the policy, and other seeds each make another crawl of that name.
  printf 'test\nexample\n' >suffixes
  refused '--partitions=5 --policy=rules seeds' 'partitions=5 '
  refused '--partitions=4 --policy=rules --psl=suffixes seeds' 'suffixes='
  printf 'deny-path ^/other/\n' >others
  refused '--partitions=4 --policy=others seeds' 'terms='
  refused '--partitions=4 seeds' 'terms='
  cp rules kept && echo 'deny-path ^/more/' >>rules
  refused '--partitions=4 --policy=rules seeds' 'terms='
  mv kept rules
  refused '--partitions=4 --policy=rules http://127.1.0.1:1/' 'terms='
  # A machine with the same terms takes part, and those refused have hindered nobody.
  crawl_many c "$PWD/of-a" --policy=rules
  local one
  for one in "${helpers[@]}"; do wait "$one" || { cat said.?; false; }; done
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) == 300))
}

@test "crawl --cluster: an engine that is away at the start is named, and waited for" {
  start_one
  serve_web 200
  local at=$port
  end_server "$at"
  crawl_many a "$PWD/of-a"
  soon 'says "127.0.0.1:$at: Connection refused: asking again" said.a'
  run ! grep -q ' /p/' web.log
  launch_server "$at"
  wait "${helpers[0]}" || { cat said.a; false; }
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) == 200))
}

@test "crawl --cluster: a batch that does not parse is told, and nothing is lost" {
  start_one
  serve_web 400 150/.5
  crawl_many a "$PWD/of-a"
  soon 'more_than 100 web.log "* /p/*"'
  local p
  for p in 0 1 2 3; do ask "$port" xadd "spinneret:{crawl}:stream:p$p" '*' m rubbish >/dev/null; done
  soon 'says "a batch of links came damaged, and will come again" said.a'
  kill -USR1 "$web"
  wait "${helpers[0]}" || { cat said.a; false; }
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) == 400)) || { cat said.a; false; }
}
