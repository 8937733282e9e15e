#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch where something runs out: time of the run, memory for --ordered, turns, descriptors, sizes. A server is never
# blamed for what it did not do, and each line has its record.

load helper
load servers

setup_file() {
  new_site
  echo "<html>page</html>" >site/p.html
  head -c 4000000 /dev/urandom >site/large.bin
  head -c 40000 /dev/urandom >site/page.bin
  start_nginx <<CONF
keepalive_requests 100000;
server { $(seq -f "listen 127.0.0.%.0f:$port;" 40)
  location /slow { limit_rate 20k; alias $PWD/site; }
  location = /long-head { $(seq -f "add_header X-%.0f $(printf '%0900d' 0);" 400) return 200 x; } }
CONF
  start_hostile
  export dns
  start_dns
  export slow=$hostile
}
teardown_file() { stop_servers; }

get() { fetch --allow-private --no-body "$@"; }
outcomes() { grep -o 'outcome=.*' | sort | uniq -c | awk '{printf "%s%s", sep, $2 " " $1; sep = ", "}'; }

@test "bug: each transfer kept the memory of its last body until it was used again" {
  seq -f "http://127.0.0.%.0f:$port/large.bin" 40 >in
  /usr/bin/time -f %M -o rss fetch --allow-private --agent=test --digest=sha256 -j 40 --limit=memory=1M --store=many in >out
  [[ $(outcomes <out) == 'outcome=ok 40' ]]
  # 160 MB of bodies, of which those over 256 KB come one after another.
  is_sanitized || (($(<rss) < 70000))
}

# Regression: transfers went on one after another during the wait for the first line, and strings took twice their
# memory.
@test "--ordered: what waits behind a slow line is bounded" {
  is_sanitized && skip "a sanitizer's memory is not the tool's"
  {
    echo "$slow/silent"
    for i in {1..90}; do echo "http://127.0.0.$((i % 30 + 1)):$port/large.bin?$i"; done
  } >in
  /usr/bin/time -f %M -o rss fetch --allow-private --ordered -j 4 --limit=first-byte=4 <in | cut -f1 >out
  cut -f1 in | cmp - out
  # The bound is 64 MiB, four bodies in all their forms, and the program; it used to be 1 GB.
  (($(cat rss) < 200000))
}

# Regression: only the 4,096 lines that were in the queue were answered.
@test "--limit=run: all that is left of a file is aborted" {
  seq -f "$base/p.html?%.0f" 30000 >list
  sed -i "1i $slow/silent" list
  run -1 --separate-stderr get --limit=run=0.05 --limit=host-rate=1K list
  [[ $stderr == "fetch: the time of --limit=run is up: what is left is aborted" ]]
  ((${#lines[@]} == 30001))
  cut -f1 <<<"$output" | sort | cmp - <(sort list)
  grep -q 'outcome=aborted' <<<"$output"
}

@test "--limit=run: so is what a pipe brings, and one that never ends is left after two seconds" {
  seq -f "$base/p.html?%.0f" 30000 | get --limit=run=0.05 --limit=host-rate=1K >out 2>/dev/null || (($? == 1))
  (($(wc -l <out) == 30000))
  SECONDS=0
  status=0
  { echo "$slow/silent"; sleep 100 & echo $! >sleeper; } | get --limit=run=1 >out 2>err || status=$?
  ((status == 1 && SECONDS <= 60))
  kill "$(cat sleeper)"
  grep -q 'not read to its end' err
  (($(wc -l <out) == 1))
}

@test "SIGTERM ends the answering of what is left" {
  mkfifo to
  local pid began
  # Two seconds after its time is up fetch ends anyway. The test is repeated where a busy machine sent SIGTERM later
  # than that.
  for _ in {1..20}; do
    began=$(now_ms)
    fetch --allow-private --limit=run=0.5 <to >out 2>err &
    pid=$!
    exec 7>to
    echo "$slow/silent" >&7
    soon "grep -q 'time of --limit=run is up' err"
    kill -TERM $pid
    (($(now_ms) - began > 2400)) || break
    wait $pid || true
    exec 7>&-
  done
  wait $pid || true
  exec 7>&-
  (($(wc -l <out) == 1))
  # It did not stop reading because that took too long either.
  run ! grep -q 'not read to its end' err
}

# Regression: where the folder of bodies was full, only the lines in the queue were answered.
@test "--store that fails: all that is left of a file is aborted" {
  seq -f "$base/p.html?%.0f" 10000 >list
  mkdir store
  digest=$(fetch --allow-private --fields=digest "$base/p.html")
  echo in the way >"store/${digest:0:2}"
  run -2 --separate-stderr fetch --allow-private --store-as=files --store=store list
  ((${#lines[@]} == 10000))
}

# Regression: settled lines kept transfers from their turn, and servers were blamed for a reader that stood still.
@test "settled lines take turns with transfers, and are no server's time" {
  {
    echo "$base/slow/page.bin"
    sleep 0.3
    yes $'http://x/\toutcome=ok' | head -n 1000000
  } | get | { sleep 10; grep -m 1 -F "$base"; cat >/dev/null; } >out
  # The server takes two seconds; the reader's ten are not counted.
  (($(grep -oP 'time-ms=\K[0-9]+' out) < 9500))
}

@test "bug: where the reader stood still for longer than --timeout, pages that began behind that were a timeout, and their host's others with them" {
  head -c 150000 "$files/site/large.bin" | base64 -w 0 >"$files/site/inline.txt"
  seq -f "$base/inline.txt?%.0f" 30 >list
  fetch --allow-private --timeout=5 list | { sleep 8; cat; } | records --fields=outcome | sort | uniq -c >out
  [[ $(xargs <out) == '30 ok' ]] || { cat out; false; }
}

@test "bug: a page whose answer came while fetch was stopped (Ctrl-Z), for longer than --timeout, was a timeout" {
  python3 -c 'import os, socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
client = server.accept()[0]
page = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
client.recv(4096)
client.sendall(page)
client.recv(4096)
open("asked", "w").close()
while not os.path.exists("stopped"): time.sleep(0.02)
client.sendall(page)
open("sent", "w").close()
client.recv(1)' >alone 3>&- &
  wait_for_file alone
  # The second URL comes on a kept connection; on a new one libcurl notices the answer by itself.
  fetch --allow-private --per-host=1 --timeout=3 --fields=outcome,error "http://127.0.0.1:$(<alone)/"{1,2} >out 3>&- &
  soon '[[ -e asked ]]'
  kill -STOP $!
  touch stopped
  soon '[[ -e sent ]]'
  nap 3.5
  kill -CONT $!
  wait $!
  [[ $(<out) == ok$'\t\n'ok$'\t' ]] || { cat out; false; }
}

# Regression: libcurl's own limit made such pages a bad-response.
@test "--limit=headers: no more than can be had" {
  run -2 get --limit=headers=301K "$base/p.html"
  [[ $output == *"--limit=headers takes 300K at most"* ]]
  run -0 get --limit=headers=300K "$base/long-head"
  [[ $output == *"outcome=too-large" ]]
}

# Regression: the pool of kept connections took all descriptors, and hosts were reported as unreachable.
@test "few descriptors: fewer transfers and kept connections, and no host is blamed" {
  export SPINNERET_DNS=$dns
  seq -f "http://good%.0f.test:$port/p.html" 250 >list
  run -0 --separate-stderr bash -c 'ulimit -n 60; fetch --allow-private --no-body --fields=outcome -j 8 list'
  [[ -z $stderr ]]
  (($(grep -cx ok <<<"$output") == 250))
  run -0 --separate-stderr bash -c 'ulimit -n 60; fetch --allow-private --no-body --fields=outcome list'
  [[ $stderr == "fetch: 60 file descriptors (ulimit -n) allow 9 transfers at a time, not 64" ]]
  (($(grep -cx ok <<<"$output") == 250))
  run -2 bash -c 'ulimit -n 31; fetch --allow-private --no-body list'
  [[ $output == "fetch: needs 32 file descriptors at least (ulimit -n), not 31"* ]]
}

@test "a socket that cannot be made is trouble of ours" {
  need_strace
  printf '%s\n' "$base/p.html" "http://127.0.0.2:$port/p.html" >list
  run -2 --separate-stderr strace -f -qq -o /dev/null -e trace=socket -e inject=socket:error=EMFILE \
    fetch --allow-private --no-body --fields=outcome,error list
  [[ $output == "aborted"$'\t'"cannot make a socket: Too many open files
aborted"$'\t'"cannot make a socket: Too many open files" ]]
  [[ $stderr == "fetch: cannot make a socket: Too many open files" ]]
}

# Regression: for a URL that libcurl does not take at all, the name server was blamed.
@test "a URL that is too long is too-large, and says so" {
  for size in 1100000 9000000; do
    printf '%s/p.html?%0*d\n' "$base" "$size" 0 | get --fields=outcome,error >out
    [[ $(cat out) == "too-large"$'\t'"URL is longer than 1000000 bytes" ]]
  done
  printf '%s/good?%060000d\n' "$slow" 0 | get --fields=outcome | grep -qx ok
}

# boot SECONDS: prints the time since the machine was started, plus SECONDS.
boot() { awk -v more="$1" '{ printf "%.3f", $1 + more }' /proc/uptime; }

@test "send-by: what is late is not sent, on no connection, and is no trouble; the fields are taken out" {
  printf '%s\tsend-by=%s\tend-by=%s\n' "$base/p.html?in-time" "$(boot 600)" "$(boot 601)" "$base/p.html?late" "$(boot -1)" "$(boot 0)" >in
  run -0 --separate-stderr get -j 1 in
  [[ -z $stderr && $output != *send-by* && $output != *end-by* ]]
  [[ ${lines[0]} == *in-time*outcome=ok* && ${lines[1]} == *late*"the time by which it was to be sent is over"*outcome=aborted* ]]
  [[ ${lines[0]} != *late=* && ${lines[1]} == *$'\tlate=yes\t'* ]]
  # The same for a URL that waits for its host's gap, and on an open connection.
  printf '%s\tgap=2\tsend-by=%s\tend-by=%s\n' "$base/p.html?1" "$(boot 600)" "$(boot 601)" "$base/p.html?2" "$(boot 1)" "$(boot 100)" >in
  run -0 get --per-host=1 in
  [[ ${lines[0]} == *outcome=ok* && ${lines[1]} == *outcome=aborted* ]]
}

@test "end-by: a transfer that goes on for too long is cut" {
  SECONDS=0
  printf '%s\tsend-by=%s\tend-by=%s\n' "$base/slow/large.bin" "$(boot 30)" "$(boot 1.5)" >in
  run -0 --separate-stderr get in
  [[ $output == *"cut at the end of the lease that its partition had"*outcome=timeout && -z $stderr ]]
  ((SECONDS < 60))
}

# leased NAME SECONDS COMMAND...: runs the command with the shared memory of a scheduler of four partitions, in which
# the lease NAME ends at that time.
leased() {
  python3 -c 'import fcntl, os, struct, sys
memory = os.memfd_create("deadlines", os.MFD_ALLOW_SEALING)
os.ftruncate(memory, 64)
name = int(sys.argv[1])
os.pwrite(memory, struct.pack("qq", name, int(float(sys.argv[2]) * 1000)), name % 4 * 16)
fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
os.set_inheritable(memory, True)
os.environ["SPINNERET_LEASES"] = str(memory)
os.execvp(sys.argv[3], sys.argv[3:])' "$@"
}

@test "bug: by-lease: a page that takes longer than the lease of its partition was cut, though that was renewed" {
  local line
  line() { printf '%s\tsend-by=%s\tend-by=%s\tby-lease=%s\n' "$base/slow/$1" "$(boot 20)" "$(boot "$2")" "$3" >in; }
  line page.bin .2 6
  run -0 --separate-stderr leased 6 "$(boot 600)" fetch --allow-private --no-body in
  [[ $output == *outcome=ok && $output != *by-lease* && -z $stderr ]]
  # A transfer is cut where the lease is no longer renewed, where another lease has taken its place, and where no shared
  # memory is given.
  line=$EPOCHREALTIME
  line large.bin .2 6
  run -0 --separate-stderr leased 6 "$(boot 3)" fetch --allow-private --no-body in
  [[ $output == *late=yes*"cut at the end of the lease that its partition had"*outcome=aborted && -z $stderr ]]
  ((${EPOCHREALTIME/./} - ${line/./} > 2900000))
  line large.bin 1 6
  run -0 leased 10 "$(boot 600)" fetch --allow-private --no-body in
  [[ $output == *late=yes*outcome=aborted ]]
  run -0 get in
  [[ $output == *outcome=timeout ]]
  for line in 0 99 x -1 18446744073709551616; do
    run -2 --separate-stderr env SPINNERET_LEASES="$line" fetch --allow-private in
    [[ $stderr == "fetch: SPINNERET_LEASES=\"$line\": "*"whatever starts fetch must leave it open"* ]]
  done
}
