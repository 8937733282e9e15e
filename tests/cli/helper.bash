# SPDX-License-Identifier: Apache-2.0
# Every bats file loads this: the tools under test are on PATH, each test has a folder of its own, and there is no
# locale.
SPINNERET_ROOT=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$SPINNERET_ROOT/build/bin}"
PATH=$SPINNERET_BIN:$PATH
export LC_ALL=C SPINNERET_ROOT SPINNERET_BIN PATH
# The README has its reader set these variables for crawls; tests of an unnamed crawler must not see them. A test that
# needs a terminal sets TERM itself, or it would pass by hand and fail in CI.
unset SPINNERET_AGENT SPINNERET_CONTACT SPINNERET_DNS TERM NO_COLOR
bats_require_minimum_version 1.5.0
TOOLS=(url-normalize url-filter robots-check fetch extract-links extract-items extract-text dedupe politeness-sched records link-check)
# is_sanitized: whether the tools were built with AddressSanitizer, whose memory and time are then measured with theirs.
is_sanitized() { grep -qa __asan_init "$SPINNERET_BIN/url-normalize"; }
# nap SECONDS: sleeps without a process, since starting one takes up to 10 ms of a core, which was most of the work of
# tests that wait.
nap() {
  [[ -p $BATS_RUN_TMPDIR/nobody ]] || mkfifo -- "$BATS_RUN_TMPDIR/nobody" 2>/dev/null || true
  read -rt "$1" <>"$BATS_RUN_TMPDIR/nobody" || true
}
# soon CONDITION: waits until it holds, at most two minutes, for the process that is waited for may have died or never
# begun.
soon() {
  local end=$((SECONDS + 120)) pauses=(.1 .1 .05 .02 .02)
  until eval "$1"; do
    ((SECONDS < end)) || { echo "not within two minutes: $1" >&2; tail -qn 3 progress messages messages.* err 2>/dev/null >&2 || true; return 1; }
    nap "${pauses[-1]}"
    ((${#pauses[@]} == 1)) || unset 'pauses[-1]'
  done
}
# takes_term PID NAME: whether the process runs that program by now and has a handler for SIGTERM.
takes_term() {
  [[ $(<"/proc/$1/comm") == "$2" ]] && ((0x$(awk '/^SigCgt/ {print $2}' "/proc/$1/status") & 1 << 14))
}
# unread PIPE: prints how many bytes are in a named pipe that somebody has open for writing.
unread() {
  python3 -c 'import array, fcntl, os, sys, termios
left = array.array("i", [0])
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK), termios.FIONREAD, left)
print(left[0])' "$1"
}
# expect STATUS LINE...: compares what `run --separate-stderr` has left.
expect() {
  [ "$status" -eq "$1" ] || { echo "status $status, stderr: $stderr"; return 1; }
  shift
  local wanted
  wanted=$(printf '%s\n' "$@")
  [ "$output" = "$wanted" ] || { diff <(echo "$wanted") <(echo "$output"); return 1; }
}
# on_terminal COMMAND...: prints what the command writes to a terminal, whatever its status.
on_terminal() {
  python3 -c 'import os, pty, sys
os.environ["TERM"] = "xterm"
pid, end = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
while True:
  try: piece = os.read(end, 65536)
  except OSError: break
  if not piece: break
  sys.stdout.buffer.write(piece); sys.stdout.flush()
os.waitpid(pid, 0)' "$@"
}
# make_turkish: makes a locale in which a-z has no i, for LC_ALL=tr_TR.UTF-8.
make_turkish() {
  export LOCPATH=$PWD/locales
  mkdir -p locales && localedef -i tr_TR -f UTF-8 locales/tr_TR.UTF-8 >locales/log 2>&1 || skip "no sources of locales"
}
# For tests in which system calls fail; a sanitizer's own calls may not.
need_strace() {
  is_sanitized && skip "a sanitizer ends the tool on faults of its own calls"
  command -v strace >/dev/null || skip "no strace"
  strace -qq -o /dev/null true 2>/dev/null || skip "strace may not trace here"
}
# end_tree PID: ends the process, its descendants, and the session that it leads. It is stopped first, so that it starts
# no more.
end_tree() {
  local child
  kill -STOP "$1" 2>/dev/null || true
  for child in $(pgrep -P "$1" || true); do end_tree "$child"; done
  pkill -KILL -s "$1" || true
  kill -KILL "$1" 2>/dev/null || true
}
# end_jobs: ends what the test has left in the background. A test that fails half-way ends nothing itself, and nobody
# should wait for a process that was not told to end.
end_jobs() {
  local job
  for job in $(jobs -p); do end_tree "$job"; done
  wait 2>/dev/null || true
}
# A file with a teardown of its own calls end_jobs there.
teardown() { end_jobs; }
cd "$BATS_TEST_TMPDIR" 2>/dev/null || true
