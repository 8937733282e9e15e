#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A crawl on many machines over PostgreSQL: a server that is killed, forgets, is away, or cannot be trusted; and
# machines that are killed meanwhile. The requests and their times show whether a link was lost or a delay cut short.

# shellcheck disable=SC2016,SC2154  # conditions; what postgres.bash says

load ../cli/helper

setup() {
  . "$SPINNERET_ROOT/tests/support/postgres.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $pg_programs ]] || skip "no PostgreSQL"
  type -P psql >/dev/null || skip "no psql"
  ! link-bus --check=postgresql://127.0.0.1:1/d/t 2>&1 | grep -q 'no PostgreSQL' || skip "built without libpq"
  helpers=() crawl=("$SPINNERET_ROOT/scripts/crawl")
}
teardown() {
  end_jobs
  end_postgres
}

# came COUNT: whether more pages than that have come.
came() { more_than "$1" web.log '* /p/*'; }
# standing: sets $standing to the output of --status; pauses first, as it costs a process.
standing() {
  nap .3
  standing=$(politeness-sched --cluster="$pg_url" --status)
}
fetched() { grep -c ' /p/' web.log || true; }
# machine NAME [OPTION...]: starts a machine; its pid is in $!.
machine() {
  SPINNERET_BIN=$SPINNERET_BIN setsid "${crawl[@]}" --cluster="$pg_url" --partitions=4 --partition-lease=3s --node="$1" --state="$PWD/state" \
    "${@:2}" --allow-private --scope=any --delay=100ms --in-flight=2 --agent=x --contact=me@example.org -q web-seeds >/dev/null 2>>"messages.$1" 3>&- &
  machines+=($!)
}
# judge PAGES DOUBLED: each page came, few of them twice, none sooner than its host's delay (2 ms are the log's
# rounding), and each is in one partition's state.
judge() {
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) == $1)) || { echo "lost: $(($1 - $(grep -o ' /p/.*' web.log | sort -u | wc -l)))"; cat messages.*; return 1; }
  (($(fetched) - $1 <= $2)) || { echo "doubled: $(($(fetched) - $1))"; return 1; }
  sort -n web.log | awk '$2 in last && $1 - last[$2] < 98e6 { print "gap", $0, ($1 - last[$2]) / 1e6; bad = 1 } { last[$2] = $1 } END { exit bad }'
  local p
  for p in 0 1 2 3; do politeness-sched --state="state/p$p/frontier" --list --with-state=done; done | cut -f1 | grep /p/ | sort >had
  (($(wc -l <had) == $1)) && [ -z "$(uniq -d had)" ]
}

@test "three machines crawl over PostgreSQL: one is killed, one comes, the server is killed and started again; nothing is lost" {
  start_postgres
  # (The site is slow towards the end, until all of this has been done.)
  serve_hosts 100 600 60 web-seeds 260/1
  local machines=() i
  for i in a b c; do machine $i; done
  soon 'came 100 && standing && [[ $standing == *node=b.* ]]'
  "${crawl[@]}" --cluster="$pg_url" --status >status
  (($(wc -l <status) == 4 && $(grep -c 'node=[abc]' status) >= 2))
  kill -9 "${machines[1]}"
  # Messages on their way are in tables that do not survive this.
  stop_postgres KILL
  launch_postgres
  soon 'came 250'
  machine d
  soon 'standing && [[ $standing == *node=d.* ]]'
  stop_postgres QUIT
  launch_postgres
  kill -USR1 "$web"
  for i in 0 2 3; do wait "${machines[i]}" || { cat messages.*; false; }; done
  judge 600 48
  run -0 "${crawl[@]}" --cluster="$pg_url" --status
  [[ $output == *state=unowned* && $output == *"the crawl is over"* ]]
  "${crawl[@]}" --cluster="$pg_url" --state="$PWD/state" --report=all.html
  # Another rule makes another crawl, and another name is another crawl.
  run -2 "${crawl[@]}" --cluster="$pg_url" --partitions=4 --partition-lease=3s --state="$PWD/state" --exclude=x --allow-private --scope=any --agent=x \
    --contact=me@example.org -q web-seeds
  [[ $output == *"this crawl was begun with"* ]]
  run -2 politeness-sched --cluster="${pg_url}2" --status
  [[ $output == *"the engine knows no crawl of that name"* ]]
}

@test "everything is forgotten, by rows and by tables, while a machine is dead: the others send again, and no page is lost" {
  start_postgres
  # bug: on a busy machine all pages had come, and the machine was gone, before it was killed
  # (or this took longer than the crawl, so that nothing was sent any more)
  serve_hosts 60 500 47 web-seeds 250/4
  local machines=() i
  for i in a b; do machine $i; done
  soon 'came 80'
  pg_sql 'TRUNCATE spinneret.crawl, spinneret.lease, spinneret.cell, spinneret.room, spinneret.message'
  soon 'came 160 && standing && [[ $standing == *node=b.* ]]'
  kill -9 -- "-${machines[1]}"
  kill -USR1 "$web"
  soon 'nap .3; (($(pg_sql "SELECT count(*) FROM spinneret.message") > 0))'
  pg_sql 'DROP SCHEMA spinneret CASCADE'
  machine b
  for i in 0 2; do wait "${machines[i]}" || { cat messages.*; false; }; done
  judge 500 32
}

@test "--drain and --pin over PostgreSQL; a machine that is stopped frees its partitions at once" {
  start_postgres
  serve_hosts 40 20000 37 web-seeds 100/.5
  local machines=()
  machine a
  soon 'standing && [[ $standing == *node=a.*node=a.*node=a.*node=a.* ]]'
  "${crawl[@]}" --cluster="$pg_url" --pin=1=b 2>told
  grep -q 'no machine named b is in this crawl yet' told
  machine b
  soon 'standing && grep -q "^p1.*node=b\..*pin=b" <<<"$standing"'
  "${crawl[@]}" --cluster="$pg_url" --drain=b
  wait "${machines[1]}"
  soon 'standing && [[ $standing == *node=a.*node=a.*node=a.*node=a.* ]]'
  kill "${machines[0]}"
  wait "${machines[0]}" || (($? == 143))
  (($("${crawl[@]}" --cluster="$pg_url" --status | grep -c state=unowned) == 4))
}

@test "bug: --check reckoned three connections a partition: machines that send each other links have two, and two for themselves" {
  start_postgres
  serve_hosts 60 200000 37 web-seeds 300/.5
  local machines=() one
  connections() { pg_sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"; }
  machine a
  machine b
  # A machine that sends nothing to others has no second connection.
  soon 'nap .3; (($(connections) == 2 * 4 + 2 * 2))'
  link-bus --check="$pg_url" >checked
  grep -q "^ok   max_connections [0-9]*: 4 partitions on 3 machines take $((2 * 4 + 3 * 2))$" checked
  kill "${machines[@]}"
  for one in "${machines[@]}"; do wait "$one" || (($? == 143)); done
}

@test "a machine dies with its disk: another goes on from the copy that PostgreSQL names" {
  start_postgres
  mkdir copies
  # There are more pages than are fetched while the copies are made.
  serve_hosts 60 400 47 web-seeds 150/4
  local machines=() i copies=()
  machine a --state="$PWD/of-a" --copies="$PWD/copies" --checkpoint-every=1s
  machine b --state="$PWD/of-b" --copies="$PWD/copies" --checkpoint-every=1s
  soon 'came 80 && copies=(copies/p?-*) && [[ "${copies[*]}" == *p0-*p1-*p2-*p3-* ]] && standing && [[ $standing == *node=b.* ]]'
  kill -9 -- "-${machines[1]}"
  kill -USR1 "$web"
  mv of-b dead
  machine c --state="$PWD/of-c" --copies="$PWD/copies" --checkpoint-every=1s
  for i in 0 2; do wait "${machines[i]}" || { cat messages.*; false; }; done
  (($(grep -o ' /p/.*' web.log | sort -u | wc -l) == 400)) || { cat messages.*; false; }
  grep -q 'goes on from its copy' messages.[ac] || { cat messages.*; false; }
}

@test "link-bus over PostgreSQL: what is sent comes once, also when the server is killed in the middle, and nothing of it stays" {
  start_postgres
  send_through_an_outage "$pg_url" 'stop_postgres QUIT' launch_postgres
  grep -q "^link-bus: 127.0.0.1:$pg_port: .*: trying again" sent
  grep -q '^link-bus: the engine is back' sent
  [[ $(pg_sql 'SELECT count(*) FROM spinneret.message') == 0 && $(pg_sql "SELECT count(*) FROM spinneret.cell WHERE tab LIKE 'ack%'") == 0 ]]
  # Reading with --tail leaves the message there.
  link-bus --send="$pg_url" --partition=1 --timeout=5s http://a.test/ 2>/dev/null || (($? == 2))
  # (A sender repeats a message if it is not acknowledged within two seconds.)
  [[ $(link-bus --tail="$pg_url" --partition=1 --idle=5s | cut -f1 | uniq) == http://a.test/ ]]
}

@test "crawl --check, and a crawl that begins: what is wrong with a PostgreSQL is named, and nothing is begun there" {
  start_postgres -c fsync=off -c max_connections=30
  run -1 "${crawl[@]}" --cluster="$pg_url" --check
  [[ $output == *"bad  fsync off: a machine that fails may leave tables that cannot be read; set it on"* ]]
  [[ $output == *"bad  max_connections 30: 16 partitions on 3 machines take 38"* && $output == *"no crawl named crawl is here yet"* ]]
  run -2 "${crawl[@]}" --cluster="$pg_url" --state="$PWD/state" --agent=x --contact=me@example.org http://127.0.0.1:1/
  [[ $output == *"the engine is not one that a crawl can trust:"*"bad  fsync off"* ]]
  # --check makes nothing.
  [[ $(pg_sql "SELECT count(*) FROM pg_namespace WHERE nspname = 'spinneret'") == 0 ]]
  stop_postgres
  launch_postgres -c synchronous_commit=off -c synchronous_standby_names=nobody
  run -1 link-bus --check="$pg_url"
  [[ $output == *"synchronous_commit off: leases set it on for themselves"* && $output == *"bad  a commit: 127.0.0.1:$pg_port: does not answer: is a standby away that it waits for?"* ]]
  stop_postgres
  launch_postgres -c synchronous_commit=off
  # Leases still wait for the disk; messages do not.
  link-bus --send="$pg_url" --partition=0 --timeout=5s http://a.test/ 2>/dev/null || (($? == 2))
  link-bus --check="$pg_url" >checked
  grep -q '^ok   5 tables in the schema spinneret' checked
  # A user without the rights.
  pg_sql 'CREATE USER guest'
  run -1 link-bus --check="postgresql://guest@127.0.0.1:$pg_port/postgres/crawl"
  [[ $output == *'bad  user "guest" may not use the schema spinneret: GRANT ALL ON SCHEMA spinneret TO it'* ]]
  run -2 link-bus --send="postgresql://guest@127.0.0.1:$pg_port/postgres/crawl" --partition=0 http://a.test/
  [[ $output == *"permission denied for schema spinneret"* ]]
  pg_sql 'CREATE DATABASE other'
  run -1 link-bus --check="postgresql://guest@127.0.0.1:$pg_port/other/crawl"
  [[ $output == *'bad  user "guest" may not make the schema spinneret: GRANT CREATE ON DATABASE "other" TO it'* ]]
  run -2 link-bus --check="postgresql://postgres@127.0.0.1:$pg_port/nowhere/crawl"
  [[ $output == *"127.0.0.1:$pg_port: "*'database "nowhere" does not exist'* ]]
  # Tables of a later version, and of another program.
  pg_sql "UPDATE spinneret.crawl SET version = '2'"
  run -1 link-bus --check="$pg_url"
  [[ $output == *'bad  crawl crawl is of version "2", and this program'"'"'s is 1'* ]]
  run -2 politeness-sched --cluster="$pg_url" --partitions=1 --partition-lease=1s --state='s{}' -- false
  [[ $output == *'what is stored for the crawl crawl is of version "2", and this program'"'"'s is 1: use its release, or another NAME'* ]]
  pg_sql 'UPDATE spinneret.crawl SET version = 1; CREATE TABLE spinneret.theirs (x int); ALTER TABLE spinneret.lease RENAME node TO machine'
  run -1 link-bus --check="$pg_url"
  [[ $output == *'bad  table spinneret."theirs" is not ours: another program uses our schema; take another database'* ]]
  [[ $output == *'bad  table spinneret."lease" has "crawl text, name text, machine text, '*', and ours has crawl text, name text, node text'* ]]
  run -2 politeness-sched --cluster="$pg_url" --partitions=1 --partition-lease=1s --state='s{}' -- false
  [[ $output == *"another program's tables are where ours belong, in the schema spinneret"* ]]
}

@test "a machine that begins where PostgreSQL refuses it ends, and says why; one that is away is waited for" {
  local words=(--partitions=1 --partition-lease=1s --state="$PWD/state" --agent=x --contact=me@example.org --delay=0 -q http://127.0.0.1:1/)
  make_postgres
  printf 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n' >"$pg_folder/data/pg_hba.conf"
  launch_somewhere
  pg_sql "CREATE USER crawler PASSWORD 'se%cret'; GRANT CREATE ON DATABASE postgres TO crawler" >/dev/null
  local at=127.0.0.1:$pg_port/postgres/crawl
  run -2 "${crawl[@]}" --cluster="postgresql://crawler:falsch@$at" "${words[@]}"
  [[ $output == *"127.0.0.1:$pg_port: "*'password authentication failed for user "crawler"'* && $output != *falsch* ]]
  run -2 "${crawl[@]}" --cluster="postgresql://crawler@$at" "${words[@]}"
  [[ $output == *"(the password goes into PGPASSWORD)"* ]]
  # The environment wins, as with the other engines.
  PGPASSWORD='se%cret' link-bus --check="postgresql://crawler:falsch@$at" >checked
  # The password is in no command line, no message and no state.
  pg_url=postgresql://crawler:se%25cret@$at
  link-bus --tail="$pg_url" --partition=0 --idle=1m >came 2>messages 3>&- &
  helpers+=($!)
  soon '[[ $(tr "\0" " " </proc/'$!'/cmdline) == *":*"*"@$at"* ]]'
  "${crawl[@]}" --cluster="$pg_url" "${words[@]}" >/dev/null 2>>messages 3>&- &
  helpers+=($!)
  soon 'compgen -G "state/p0/frontier*" >/dev/null'
  local pid
  for pid in "${helpers[@]}" $(pgrep -P "${helpers[1]}" || true); do
    [[ ! -e /proc/$pid/cmdline ]] || run ! grep -aF 'se%25cret' "/proc/$pid/cmdline"
  done
  run ! grep -F -e 'se%25cret' -e 'se%cret' messages
  run ! grep -rF -e 'se%25cret' -e 'se%cret' state
  end_jobs
  # A server that is away is waited for, since a machine may come up before it.
  stop_postgres
  pg_url=postgresql://postgres@$at
  politeness-sched --cluster="${pg_url}2" --partitions=1 --partition-lease=1s --state='s{}' -q --delay 0 http://h.test/first -- sed -u 's/$/\tstatus=200\toutcome=ok/' 2>said 3>&- &
  local scheduler=$!
  soon 'says "127.0.0.1:$pg_port: Connection refused: asking again" said'
  launch_postgres
  wait $scheduler
  (($(politeness-sched --state=s0 --list --with-state=done | wc -l) == 1))
}

fill() { psql -XqAt -h 127.0.0.1 -p "$pg_port" -U postgres -d postgres -c 'SELECT pg_sleep(600)' >/dev/null 2>&1 3>&-; }

@test "bug: a lock of somebody else's, a server that takes no writes and one without room for a connection were told in words of its own" {
  start_postgres -c max_connections=6 -c superuser_reserved_connections=0
  link-bus --receive="$pg_url" --partition=0 --partitions=1 --ttl=1s >got 2>said 3>&- &
  helpers=($!)
  soon '[[ $(pg_sql "SELECT count(*) FROM spinneret.lease" 2>/dev/null) == 1 ]]'
  psql -XqAt -h 127.0.0.1 -p "$pg_port" -U postgres -d postgres -c "BEGIN; LOCK TABLE spinneret.cell; SELECT pg_sleep(60)" >/dev/null 2>&1 3>&- &
  soon '(($(pg_sql "SELECT count(*) FROM pg_locks WHERE granted AND mode = \$\$AccessExclusiveLock\$\$") == 1))'
  run -2 link-bus --send="$pg_url" --partition=0 --timeout=30s http://a.example/
  [[ $output == "link-bus: 127.0.0.1:$pg_port: has not come to it in time: has somebody locked a table of the schema spinneret?" ]] || { echo "$output"; false; }
  pg_sql "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND mode = \$\$AccessExclusiveLock\$\$"
  pg_sql 'ALTER SYSTEM SET default_transaction_read_only = on'
  pg_sql 'SELECT pg_reload_conf()'
  soon 'says "127.0.0.1:$pg_port: takes no writes: trying again" said'
  PGOPTIONS='-c default_transaction_read_only=off' psql -XqAt -h 127.0.0.1 -p "$pg_port" -U postgres -d postgres \
    -c 'ALTER SYSTEM RESET default_transaction_read_only' -c 'SELECT pg_reload_conf()'
  soon 'says "the engine is back" said'
  # Each look takes one more connection: the receiver may let go of one, and take it again, at any time.
  soon '{ fill & run link-bus --check="$pg_url"; [[ $output == *"127.0.0.1:$pg_port: has no room for one more connection: raise its max_connections" ]]; }'
  kill "${helpers[@]}"
}

@test "several hosts: those that are dead, or standbys, are passed over; a standby that takes over has the leases" {
  start_postgres -c wal_level=replica
  local primary=$pg_port first=$pg_server folder=$pg_folder standby
  (cd / && "${as_pg[@]}" "$pg_programs/pg_basebackup" -h 127.0.0.1 -p "$primary" -U postgres -D "$folder/standby" -R --checkpoint=fast -N)
  # The second server is in the same folder, with data of its own.
  mkdir "$folder/second"
  mv "$folder/standby" "$folder/second/data"
  ((EUID != 0)) || chown 65534:65534 "$folder/second"
  pg_folder=$folder/second pg_port=$((20000 + RANDOM % 12000))
  standby_is_up() { grep -q 'ready to accept read-only connections' "$pg_folder.log"; }
  (cd / && exec "${as_pg[@]}" "$pg_programs/postgres" -D "$pg_folder/data" -p "$pg_port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
    >"$pg_folder.log" 2>&1 3>&-) &
  standby=$!
  soon standby_is_up
  local to=postgresql://postgres@127.0.0.1:1,127.0.0.1:$pg_port,127.0.0.1:$primary/postgres/crawl
  run -2 link-bus --check="postgresql://postgres@127.0.0.1:1,127.0.0.1:$pg_port/postgres/crawl"
  [[ $output == *"127.0.0.1:1: Connection refused; 127.0.0.1:$pg_port: is a standby"* ]]
  link-bus --check="$to" >checked
  grep -qE "^ok   primary 127.0.0.1:$primary" checked
  local i
  for ((i = 0; i < 500; i++)); do echo "http://www.h$i.test/"; done >links
  link-bus --send="$to" --partitions=1 --timeout=100s links 2>sent 3>&- &
  local sender=$!
  soon 'nap .3; (($(psql -XqAt -h 127.0.0.1 -p $primary -U postgres -c "SELECT count(*) FROM spinneret.message" 2>/dev/null || echo 0) > 0))'
  kill -QUIT "$first"
  wait "$first" || true
  pg_server=$standby
  pg_sql 'SELECT pg_promote()' >/dev/null
  link-bus --receive="$to" --partition=0 --partitions=1 --ttl=1s >got 2>said 3>&- &
  helpers+=($!)
  wait $sender || { cat sent said; false; }
  kill "${helpers[0]}"
  wait "${helpers[0]}" || true
  sort got | cmp - <(sort links)
  stop_postgres
  pg_folder=$folder
}

@test "sslmode: TLS with a certificate that is looked at; who is not who the address says is refused" {
  command -v openssl >/dev/null || skip "no openssl"
  make_postgres
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=authority 2>/dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.csr -subj /CN=server 2>/dev/null
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out server.crt -extfile <(echo 'subjectAltName=DNS:localhost') 2>/dev/null
  cp server.crt server.key "$pg_folder/data"
  ((EUID != 0)) || chown 65534:65534 "$pg_folder"/data/server.*
  chmod 600 "$pg_folder/data/server.key"
  launch_somewhere -c ssl=on
  printf 'hostssl all all all trust\n' >"$pg_folder/data/pg_hba.conf"
  kill -HUP "$pg_server"
  local to=postgresql://postgres@localhost:$pg_port/postgres/crawl
  soon '! link-bus --check="$to?sslmode=disable" >/dev/null 2>&1'
  link-bus --check="$to?sslmode=require" >checked
  grep -q "^ok   primary localhost:$pg_port" checked
  link-bus --check="$to?sslmode=verify-full&sslrootcert=$PWD/ca.pem" >checked
  run -2 link-bus --check="${to/localhost/127.0.0.1}?sslmode=verify-full&sslrootcert=$PWD/ca.pem"
  [[ $output == *'does not match host name "127.0.0.1"'* ]]
  # bug: where localhost is also ::1, the only message was that nobody listens there
  run -2 link-bus --check="$to?sslmode=verify-full&sslrootcert=$PWD/none.pem"
  [[ $output == *"localhost:$pg_port: "*"none.pem"* ]]
  for bad in "$to?sslmode=maybe" "$to?what=1" "${to%/crawl}" "$to/more" 'postgresql://h:0/d/x'; do
    run -2 link-bus --check="$bad"
    [[ $output == *"PostgreSQL"* || $output == *"the crawl's name"* ]]
  done
}

@test "bug: of a PostgreSQL with anything bad --check said that no crawl is there, so that no machine could come to one that runs" {
  start_postgres
  printf '%s\n' http://127.0.0.1:1/ >web-seeds
  run -3 machine_here
  run -0 link-bus --check="$pg_url"
  [[ $output == *'crawl crawl: "terms" "partitions=4 '* ]]
  stop_postgres
  launch_postgres -c fsync=off
  run -1 link-bus --check="$pg_url"
  [[ $output == *'bad  fsync off'*'crawl crawl: "terms" "partitions=4 '* && $output != *'no crawl named'* ]] || { echo "$output"; false; }
  # A crawl that exists goes on with what it has; none is begun.
  run -3 machine_here
  run -2 "${crawl[@]}" --cluster="$pg_url-2" --partitions=4 --state="$PWD/other" -q web-seeds
  [[ $output == *"not one that a crawl can trust"*"bad  fsync off"* && ! -e other ]] || { echo "$output"; false; }
}
machine_here() {
  "${crawl[@]}" --cluster="$pg_url" --partitions=4 --partition-lease=1s --node=a --state="$PWD/state" --tries=1 --patience=1 --allow-private -q web-seeds
}

@test "bug: a connection that was cut amid --check was told as a PostgreSQL that is not to be trusted" {
  start_postgres
  : >wire.port
  python3 "$SPINNERET_ROOT/tests/support/wire.py" "$pg_port" pg_logical_emit_message >wire.port 3>&- &
  helpers+=($!)
  soon '[[ -s wire.port ]]'
  run -2 link-bus --check="postgresql://postgres@127.0.0.1:$(cat wire.port)/postgres/crawl"
  [[ $output == *"link-bus: 127.0.0.1:$(cat wire.port): "* && $output != *bad* ]] || { echo "$output"; false; }
  # The next connection gets the whole answer.
  run -0 link-bus --check="postgresql://postgres@127.0.0.1:$(cat wire.port)/postgres/crawl"
}
