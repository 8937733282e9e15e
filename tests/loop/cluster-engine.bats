#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --cluster on an engine that lacks something: room for a connection, or a connection that holds; and the last
# machine that leaves.

# shellcheck disable=SC2016,SC2154  # conditions; what the helpers say

load ../cli/helper
load machines

@test "bug: an engine with no room for one more connection was told as one that refuses the password, and the machine ended" {
  start_web
  start_one --requirepass word
  export SPINNERET_REDIS_PASSWORD=word
  # The only connection that is let in.
  coproc holder { exec "$client" -p "$port" -a word --no-auth-warning; }
  echo 'config set maxclients 1' >&"${holder[1]}"
  local said
  read -r said <&"${holder[0]}"
  [[ $said == OK ]]
  run -2 link-bus --check="$url"
  [[ $output == "link-bus: 127.0.0.1:$port: has no room for one more connection: raise its maxclients" ]]
  agent a 4
  soon 'says "no room for one more connection" said.a'
  echo 'config set maxclients 100' >&"${holder[1]}"
  read -r said <&"${holder[0]}"
  ended
  (($(grep -c maxclients said.a) <= 3)) || { cat said.a; false; }
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
  # Without a password the first answer is of another kind.
  echo 'config set requirepass ""' >&"${holder[1]}"
  read -r said <&"${holder[0]}"
  echo 'config set maxclients 1' >&"${holder[1]}"
  read -r said <&"${holder[0]}"
  unset SPINNERET_REDIS_PASSWORD
  run -2 link-bus --check="$url"
  [[ $output == *"has no room for one more connection"* ]]
}

# The connection breaks where the engine is first asked for the crawl's keys.
@test "bug: a connection that broke amid the check of a new crawl's engine was told as an engine that is not to be trusted" {
  start_web
  start_one
  wire() {
    : >wire.port
    python3 "$SPINNERET_ROOT/tests/support/wire.py" "$port" SCAN >wire.port 3>&- &
    soon '[[ -s wire.port ]]'
    url=redis://127.0.0.1:$(cat wire.port)/crawl
  }
  wire
  run -2 link-bus --check="$url"
  [[ $output == *"has closed the connection"* && $output != *bad* ]] || { echo "$output"; false; }
  wire
  agent a 4
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
}

@test "a user of the server with the rights that the page gives, and no others, is enough; without one of them --check says so" {
  start_web
  start_one
  local rights
  rights=$(sed -n '/^ACL SETUSER crawler/,/^\.Ed/p' "$SPINNERET_ROOT/man/spinneret-cluster.7" | grep -v '^\.' | tr '\n' ' ')
  rights=${rights/mycrawl/crawl}
  read -ra rights <<<"${rights#ACL }"
  ((${#rights[@]} > 20))
  [[ $("$client" -p "$port" acl "${rights[@]}") == OK ]]
  export SPINNERET_REDIS_PASSWORD=a-long-word
  url=redis://crawler@127.0.0.1:$port/crawl
  run -0 link-bus --check="$url"
  agent a 4
  agent b 4
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
  run -0 "$crawl" --cluster="$url" --status
  run -2 link-bus --check="${url}2"
  "$client" -p "$port" acl setuser crawler -evalsha
  run -1 link-bus --check="$url"
  [[ $output == *bad*evalsha* ]]
}

@test "--drain of the only machine: whoever says it is told that nobody goes on" {
  # (The web is slow until the machine has left.)
  start_web 40/1
  start_one
  agent a 4
  soon 'has_asked 20'
  run -0 "$crawl" --cluster="$url" --drain=a
  [[ $output == *'no other machine is in this crawl: it rests until one comes' ]]
  ended
  (($("$crawl" --cluster="$url" --status | grep -c state=unowned) == 4))
  kill -USR1 "$web"
  agent b 4
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
}
