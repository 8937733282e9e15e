#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# spinneret-cluster(7): its commands run as they are, except for names of places, fewer partitions, and a site on
# loopback; and tools print what it says they print.

# shellcheck disable=SC2016,SC2154  # conditions; what the helpers say

load ../cli/helper
load ../cli/examples

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
  mkdir bin
  printf '#!/bin/sh\nexec "%s/scripts/crawl" "$@"\n' "$SPINNERET_ROOT" >bin/crawl
  chmod +x bin/crawl
  export PATH=$PWD/bin:$PATH
  machines=()
}
teardown() {
  end_jobs
  end_servers
}

fetched() { grep -o ' /p/.*' web.log | sort -u | wc -l; }
# here TITLE [NUMBER]: prints a block of the page, changed so that it can run here.
here() {
  block spinneret-cluster.7 "$@" | sed -e 's/32/8/g; s/16/4/g; s/seq 0 15/seq 0 3/; s/--pin=11/--pin=1/' \
    -e "s|10\.0\.0\.1|127.0.0.1:$port|; s|/shared/|$PWD/|g; s|/local/|$PWD/local-|; s|/volume/|$PWD/volume-|; s|/mnt/bucket|$PWD|" \
    -e 's/--agent=/${node-} --allow-private --delay=50ms --partition-lease=3s -q --agent=/'
}
# whole: runs the script on stdin.
whole() { cat >script && bash -eu script; }
status() { tail -n 1 run | bash; }

@test "two machines: an engine with a password, and all that the page gives for them; and then twice as many partitions" {
  here 'Two machines' >run
  eval "$(grep "^export SPINNERET_REDIS_PASSWORD=" run)"
  local words name said
  words=$(sed -n 's/^redis-server --bind [^ ]* //p' run)
  eval "start_server $words"
  # (The site is slow towards the end, until the machines have come and gone.)
  serve_web 700 350/1
  here 'Two machines' 2 | whole >checked
  grep -q '^ok   append-only file' checked
  here 'Two machines' 4 >run
  grep -q -- --status run
  here 'Two machines' 3 | sed '1s/^/exec /' >machine
  for name in machine-3 machine-7; do
    node=--node=$name setsid bash machine >/dev/null 2>>messages 3>&- &
    machines+=($!)
  done
  soon 'nap .3; said=$(status); [[ $said == *node=machine-3* && $said == *node=machine-7* ]]'
  (($(status | wc -l) == 4))
  here 'Machines that come, leave and die' | whole
  wait "${machines[0]}" || { cat messages; false; }
  soon 'nap .3; [[ $(status) == *pin=machine-7* && $(status | grep -c "node=machine-7") == 4 ]]'
  # All partitions have states.
  soon 'nap .3; (($(status | grep -c "pages=[1-9]") == 4))'
  kill "${machines[1]}"
  wait "${machines[1]}" || true
  (($(status | grep -c state=unowned) == 4))
  (($(fetched) < 700))
  kill -USR1 "$web"
  here 'Twice as many partitions' >split
  grep -q -- --split= split
  whole <split >said 2>&1 || { cat said; false; }
  (($(grep -c 'partition [0-7] of 8: ' said) == 8))
  (($(fetched) == 700)) || { echo "lost: $((700 - $(fetched)))"; cat said; false; }
}

@test "what a crawl leaves is gathered as the page says; and its transcript is what cluster.sh prints" {
  start_one
  serve_web 200
  here 'Two machines' 3 | whole >/dev/null 2>messages || { cat messages; false; }
  here 'Two machines' 5 | whole 2>messages || { cat messages; false; }
  (($(cut -f1 pages | grep -c /p/) == 200))
  grep -q '<html' report.html
  # The same with fewer pages.
  "$SPINNERET_ROOT/tests/bench/cluster.sh" transcript 2400 >told 2>messages || { cat told messages; false; }
  grep -q '^by the log of the site: 2400 of 2400 pages, 0 lost, [0-9]* fetched twice, 0 requests sooner than 1 s' told || { cat told messages; false; }
  grep -qE '^ *[0-9.]+ s  +[0-9]+ pages  a: [0-9,]+  b: [0-9,]+  c: [0-9,]+$' told
  (($(grep -cE '^ *[0-9.]+ s  [acd] ends with status 0; [0-9]+ records' told) == 3))
  block spinneret-cluster.7 'Machines that come, leave and die' 2 >shown
  grep -qE '^ *[0-9.]+ s  +[0-9]+ pages  a: [0-9,]+  b: [0-9,]+  c: [0-9,]+$' shown
  grep -rqF '" goes to another machine"' "$SPINNERET_ROOT/tools/sched_tenants.cc"
}

@test "partitions one by one; and machines that share nothing, by a folder of copies and by a program" {
  start_one
  serve_web 200
  here 'Volumes that move' | sed 's|3/4|0/1|' | whole >/dev/null 2>messages || { cat messages; false; }
  (($(fetched) == 200))
  # An rclone that knows folders alone.
  cat >bin/rclone <<'EOF2'
#!/bin/sh -e
command=$1
shift
[ "$1" != --one-way ] && [ "$1" != --dirs-only ] || shift
from=$(echo "$1" | sed "s|^remote:|$REMOTE/|") to=$(echo "${2-}" | sed "s|^remote:|$REMOTE/|")
case $command in
copy) mkdir -p "$to" && cp -R "$from/." "$to" ;;
check) diff -r "$from" "$to" ;;
lsf) ls -p "$from" ;;
purge) rm -r "$from" ;;
esac
EOF2
  chmod +x bin/rclone
  export REMOTE=$PWD/remote
  mkdir mycrawl remote remote/crawl
  here 'Machines that share nothing' 2 >keep
  chmod +x keep
  here 'Machines that share nothing' >run
  sed 's|\(cluster=[^ ]*\)/mycrawl |\1/second |' run | whole >/dev/null 2>messages || { cat messages; false; }
  (($(find mycrawl -maxdepth 1 -name 'p?-*' | wc -l) >= 4))
  sed "s|\(cluster=[^ ]*\)/mycrawl |\1/third |; s|local-crawl|local-other|; s|--copies=[^ ]*|--copies=$PWD/keep|" run | whole >/dev/null 2>messages || { cat messages; false; }
  (($(find remote/crawl -maxdepth 1 -name 'p?-*' | wc -l) >= 4)) || { ls -R remote | head; cat messages; false; }
}

@test "engines are named as the page names them" {
  local count=0 number
  port=1
  for number in 1 3; do  # cluster-engine.bats tests the second, which is for the engine itself
    here 'The engine' $number | sed 's/h1,h2\(,h3\)*/127.0.0.1:1/; s/b1,b2,b3/127.0.0.1:1/' >commands
    while read -r line; do
      run -2 bash -c "$line"
      [[ $output == *"127.0.0.1:1"* || $output == *"built without"* ]] || { echo "$line: $output"; false; }
      count=$((count + 1))
    done <commands
  done
  ((count == 3))
}

@test "what the page says that is said, is said by some program" {
  local said count=0
  while IFS= read -r said; do
    grep -qrF -- "$said" "$SPINNERET_ROOT"/lib/{cluster,lease,resp,pg} "$SPINNERET_ROOT"/tools "$SPINNERET_ROOT"/scripts || { echo "nobody says: $said"; false; }
    count=$((count + 1))
  done < <(sed -n "/^\.Ss What is said, and what to do/,/^\.El/s/^\.It Li //p" "$SPINNERET_ROOT/man/spinneret-cluster.7")
  ((count > 14))
}
