#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lanes.sh [HOSTS]...: what the scheduler costs where politeness counts all hosts as one, compared with separate hosts.
# Each host has one URL, all have one domain and one address, and there is no delay. By default there are 40,000 and a
# million hosts: two minutes of CPU, and 500 MB in TMPDIR.
#
#   seconds of CPU, at a load of 25    40,000    1,000,000
#   host                                0.93       40.6
#   ip                                  0.97       39.9
#   domain                              0.83       31.7      (walking over all hosts of a lane, 40,000 took over 100 s)
#
# A machine of half the speed, load 10: host 1.31, ip 1.07, domain 1.03. A stage of `sed -u`, which reads single bytes,
# cost five times as much as the scheduler there: 7.0, 7.1, 5.7 in all.
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
source "${BASH_SOURCE[0]%/*}/measure.bash"
need_tools politeness-sched
(($#)) || set -- 40000 1000000
for hosts; do
  seq "$hosts" | sed 's|.*|http://h&.bigsite.com/|' >"$work/seeds"
  for key in host ip domain; do
    printf '%8d hosts  %-7s %6.2f s\n' "$hosts" "$key" "$(
      cpu politeness-sched --state "$work/$key" --quiet --politeness-key="$key" --delay 0 --per-host 64 "$work/seeds" -- \
        perl -e '$| = 1; while (sysread STDIN, $in, 65536, length $in) { ($out = $in) =~ s/[^\n]*\z//; substr($in, 0, length $out) = "";
          $out =~ s/\n/\toutcome=ok\tstatus=200\tip=127.0.0.1\n/g; print $out }'
    )"
    rm -r -- "${work:?}/$key"
  done
done
