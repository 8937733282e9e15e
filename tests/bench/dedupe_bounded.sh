#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dedupe --memory on endless distinct lines. For each tenth of the input: CPU time a line, lines a second of wall time,
# the longest time between two blocks of output (CPU and wall), reads a line, memory. In brackets is the wall time
# without the time that dedupe (for pauses also the reader) was ready and waited for a core, which would otherwise spoil
# it on a shared machine.
#
#   tests/bench/dedupe_bounded.sh [LINES [MEMORY [DEDUPE]...]]      default: 50000000 64M, the dedupe of build/bin
#   CGROUP=64M tests/bench/dedupe_bounded.sh ...                     in a memory cgroup of that size, page cache and all
#
# Several programs (before and after a change, say) run one after another. Needs python3; CGROUP needs root and the
# memory controller of cgroup v1 or v2. Runs go to $TMPDIR.
set -euo pipefail
here=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lines=${1:-50000000} memory=${2:-64M}
shift $(($# > 2 ? 2 : $#))
(($#)) || set -- "${SPINNERET_BIN:-$here/../../build/bin}/dedupe"
work=$(mktemp -d)
group=''
trap 'rm -rf "$work"; [[ -z $group ]] || rmdir "$group" || true' EXIT

if [[ ${CGROUP:-} ]]; then
  for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    [[ -d $root ]] && mkdir "$root/dedupe-bench-$$" 2>/dev/null && group=$root/dedupe-bench-$$ && break
  done
  limit=''
  for file in memory.limit_in_bytes memory.max; do [[ ! -e $group/$file ]] || limit=$group/$file; done
  [[ -n $group && -n $limit ]] || { echo 'no memory cgroup can be made here' >&2; exit 1; }
  echo "$CGROUP" >"$limit"
fi

for program; do
  mkfifo "$work/out"
  printf '%s --memory=%s, %s lines%s\n' "$program" "$memory" "$lines" "${CGROUP:+ in a cgroup of $CGROUP}"
  # seq is a stage of its own, so that it is not counted, and may live outside the group.
  seq "$lines" | { [[ -z $group ]] || echo "$BASHPID" >"$group/cgroup.procs"
    exec "$program" --memory="$memory" >"$work/out"; } &
  python3 - "$lines" "$work/out" "$!" <<'END'
import os, sys, time
total, path, pid = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
def sched(pid): return [int(x) for x in open(f'/proc/{pid}/schedstat').read().split()[:2]]
def value(name, key):
    return next((int(l.split()[1]) for l in open(f'/proc/{pid}/{name}') if l.startswith(key)), 0)
fd = os.open(path, os.O_RDONLY)
seen = 0
start = clock = last_clock = time.monotonic()
spent = last_spent = reads = waited = last_waited = own = last_own = 0
gap_cpu = gap_clock = gap_ready = 0
step = total // 10
while block := os.read(fd, 1 << 20):
    now = time.monotonic()
    try: used, delay = sched(pid)
    except OSError: used, delay = last_spent, last_waited
    own = sched('self')[1]
    gap_clock, gap_cpu = max(gap_clock, now - last_clock), max(gap_cpu, used - last_spent)
    gap_ready = max(gap_ready, now - last_clock - max(delay - last_waited, own - last_own) / 1e9)
    last_clock, last_spent, last_waited, last_own = now, used, delay, own
    before = seen
    seen += block.count(b'\n')
    if seen // step == before // step: continue
    try: made, kb = value('io', 'syscr:'), value('status', 'VmHWM:')
    except OSError: continue
    n = max(seen - (seen // step - 1) * step, 1)
    print(f'{seen / 1e6:7.1f} M  {(used - spent) / n / 1e3:5.2f} us CPU a line  {n / (now - clock) / 1e6:5.2f}'
          f' ({n / (now - clock - (delay - waited) / 1e9) / 1e6:5.2f}) M lines/s'
          f'  longest pause {gap_cpu / 1e6:6.0f} ms CPU {gap_clock * 1e3:6.0f} ({gap_ready * 1e3:5.0f}) ms'
          f'  {(made - reads) / n:5.3f} reads a line  {kb / 1024:5.0f} MB', flush=True)
    clock, spent, reads, waited, gap_cpu, gap_clock, gap_ready = now, used, made, delay, 0, 0, 0
print(f'{seen} lines in {time.monotonic() - start:.1f} s')
assert seen == total, 'lines were lost'
END
  rm "$work/out"
done
