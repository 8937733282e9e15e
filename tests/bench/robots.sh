#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# robots-check beside python3-protego and Python's urllib.robotparser: conformance on the shared vectors, and
# URLs per second of CPU time (user and system, so that other work on the machine does not count).
#
#   tests/bench/robots.sh            SPINNERET_BIN: folder of the tools (build/bin)
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
export LC_ALL=C
need "$data/robots/corpus.tar.gz"
cd "$work"
mkdir corpus
tar -xzf "$data/robots/corpus.tar.gz" -C corpus --strip-components=1
zcat "$data/url/urls.txt.gz" >urls

row() { printf '%-34s %-16s %9d URLs %8.3f s %12.0f URLs/s\n' "$1" "$2" "$3" "$4" "$(awk -v n="$3" -v s="$4" 'BEGIN { print n / (s > 0 ? s : 0.001) }')"; }

cat >peer.py <<'EOF'
import sys
which, file, agent = sys.argv[1:4]
text = open(file, errors="replace").read()
if which == "protego":
    from protego import Protego
    rules = Protego.parse(text)
    check = lambda url: rules.can_fetch(url, agent)
else:
    from urllib.robotparser import RobotFileParser
    rules = RobotFileParser()
    rules.parse(text.splitlines())
    check = lambda url: rules.can_fetch(agent, url)
for line in sys.stdin:
    url = line.rstrip("\n")
    print(url, "allow" if check(url) else "disallow", sep="\t")
EOF

echo "== one host, whole process, CPU time"
for host in docs.oracle.com github.com www.sophos.com; do
  awk -F/ -v host="$host" '{ $3 = host; out = $1; for (i = 2; i <= NF; i++) out = out "/" $i; print out }' urls >one
  for _ in {1..12}; do cat one; done >many
  row "$host ($(wc -c <"corpus/$host") bytes)" robots-check "$(wc -l <many)" \
    "$(cpu robots-check -A examplebot -r "corpus/$host" many)"
  head -200 one >few
  for peer in protego robotparser; do
    row "" "$peer" 200 "$(cpu /usr/bin/python3 peer.py "$peer" "corpus/$host" examplebot <few)"
  done
done

echo "== many hosts, whole process: a cache of 4,231 files, 20 URLs each, shuffled"
export -n LC_ALL
for file in corpus/*; do
  printf 'http://%s/robots.txt\tpurpose=robots\tstatus=200\tbody-file=%s\toutcome=ok\n' "${file##*/}" "$PWD/$file"
done >records
row "learn" robots-check "$(wc -l <records)" "$(cpu robots-check --learn --cache=cache records)"
awk -F/ 'NR == FNR { hosts[n++] = $2; next }
  { for (i = 3; i <= NF; i++) path[m] = path[m] (i > 3 ? "/" $i : ""); m++ }
  END { srand(1); for (h = 0; h < n; h++) for (k = 0; k < 20; k++) print rand() "\thttp://" hosts[h] path[int(rand() * m)] }' \
  <(printf '%s\n' corpus/*) urls | sort -k1,1n | cut -f2 >shuffled
row "gate" robots-check "$(wc -l <shuffled)" "$(cpu robots-check --gate --cache=cache -A examplebot shuffled)"

echo "== conformance: the verdicts of shared/data/robots/vectors.jsonl, by status"
cat >conform.py <<'EOF'
import collections, json, subprocess, sys
from protego import Protego
from urllib.robotparser import RobotFileParser
rows = [json.loads(line) for line in open(sys.argv[1])]
def ours(mode):
    def ask(row):
        open("r.txt", "wb").write(row["robots_txt"].encode())
        url = row["url"] if mode == "google" or "://" in row["url"] else "/" + row["url"].lstrip("/")
        command = ["robots-check", "-z", "--mode=" + mode, "-r", "r.txt", "-"]
        if row["agent"]:
            command[1:1] = ["-A", row["agent"]]
        out = subprocess.run(command, input=url.encode(), capture_output=True).stdout
        return b"robots=allow" in out
    return ask
def protego(row):
    return Protego.parse(row["robots_txt"]).can_fetch(row["url"], row["agent"])
def robotparser(row):
    parser = RobotFileParser()
    parser.parse(row["robots_txt"].splitlines())
    return parser.can_fetch(row["agent"], row["url"])
table = collections.defaultdict(collections.Counter)
for row in rows:
    asked = {"robots-check": (ours("rfc"), "expected"), "protego": (protego, "expected"), "robotparser": (robotparser, "expected")}
    for name, (ask, key) in asked.items():
        try:
            right = ask(row) == (row[key] == "allow")
        except Exception:
            right = False
        table[row["status"]][name] += right
    table[row["status"]]["all"] += 1
print("%-16s %5s %14s %9s %12s" % ("status", "all", "robots-check", "protego", "robotparser"))
for status in ("agree", "google-differs", "google-only", "token-charset", "doubtful"):
    c = table[status]
    print("%-16s %5d %14d %9d %12d" % (status, c["all"], c["robots-check"], c["protego"], c["robotparser"]))
EOF
/usr/bin/python3 conform.py "$data/robots/vectors.jsonl"
