#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# robots-check beside python3-protego and Python's urllib.robotparser: conformance on the shared vectors and by our own
# suite, URLs per second of CPU time (user and system, so that other work on the machine does not count), the cost of
# 200 agents, hostile files, and which preferences 4,231 real files state.
#
# C++ peers that Debian lacks, measured by hand on the same files: google/robotstxt, which parses the file for each URL,
# 200 (docs.oracle.com) to 5,300 URLs/s; rep-cpp 4,700 to 134,000 URLs/s.
#
#   tests/bench/robots.sh            SPINNERET_BIN: folder of the tools (build/bin)
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
export LC_ALL=C
need "$data/robots/corpus.tar.gz"
need_tools robots-check || exit 1
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

# has PEER: whether that Python library is installed. cpu would take a missing one for a fast one.
has() { [[ $1 == robotparser ]] || /usr/bin/python3 -c "import $1" 2>/dev/null || { echo "$1: not installed"; return 1; }; }

echo "== one host, whole process, CPU time"
for host in docs.oracle.com github.com www.sophos.com; do
  awk -F/ -v host="$host" '{ $3 = host; out = $1; for (i = 2; i <= NF; i++) out = out "/" $i; print out }' urls >one
  for _ in {1..12}; do cat one; done >many
  row "$host ($(wc -c <"corpus/$host") bytes)" robots-check "$(wc -l <many)" \
    "$(cpu robots-check -A examplebot -r "corpus/$host" many)"
  head -200 one >few
  for peer in protego robotparser; do
    has "$peer" || continue
    row "" "$peer" 200 "$(cpu /usr/bin/python3 peer.py "$peer" "corpus/$host" examplebot <few)"
  done
done

echo "== many hosts, whole process: 4,231 files, 20 URLs each, in one call"
awk -F/ 'NR == FNR { hosts[n++] = $2; next }
  { for (i = 3; i <= NF; i++) path[m] = path[m] (i > 3 ? "/" $i : ""); m++ }
  END { srand(1); for (h = 0; h < n; h++) for (k = 0; k < 20; k++)
    print rand() "\tcorpus/" hosts[h] "\thttp://" hosts[h] path[int(rand() * m)] }' \
  <(printf '%s\n' corpus/*) urls >drawn
cut -f2- drawn >pairs
sort -k1,1n drawn | cut -f2- >shuffled-pairs
row "--many, by file" robots-check "$(wc -l <pairs)" "$(least_cpu 5 pairs robots-check --many -A examplebot)"
row "--many, shuffled" robots-check "$(wc -l <shuffled-pairs)" "$(least_cpu 5 shuffled-pairs robots-check --many -A examplebot)"
cut -f2 pairs >by-host
row "--robots=FOLDER" robots-check "$(wc -l <by-host)" "$(least_cpu 5 by-host robots-check -r corpus -A examplebot)"

echo "== many hosts, whole process: a cache of 4,231 files, 20 URLs each, shuffled"
export -n LC_ALL
for file in corpus/*; do
  printf 'http://%s/robots.txt\tpurpose=robots\tstatus=200\tbody-file=%s\toutcome=ok\n' "${file##*/}" "$PWD/$file"
done >records
row "learn" robots-check "$(wc -l <records)" "$(cpu robots-check --learn --cache=cache records)"
cut -f2 shuffled-pairs >shuffled
row "gate" robots-check "$(wc -l <shuffled)" "$(cpu robots-check --gate --cache=cache -A examplebot shuffled)"

# cost NAME COMMAND...: prints seconds and memory, the least of five runs.
cost() {
  local name=$1 run
  shift
  for ((run = 0; run < 5; run++)); do /usr/bin/time -f '%U %S %M' "$@" 2>&1 >/dev/null | tail -n 1; done |
    awk -v name="$name" 'NR == 1 || $1 + $2 < s { s = $1 + $2 } NR == 1 || $3 < m { m = $3 }
      END { printf "%-34s %8.3f s %8.1f MB\n", name, s, m / 1024 }'
}

echo "== 200 agents beside one, docs.oracle.com; hostile files, one URL each"
mapfile -t agents < <(seq -f '-Abot%.0f' 200)
cost "one agent" robots-check -r corpus/docs.oracle.com -Abot1 /x
cost "200 agents" robots-check -r corpus/docs.oracle.com "${agents[@]}" /x
/usr/bin/python3 - <<'EOF'
import random
random.seed(1)
word = lambda n: "".join(random.choice("abcdefgh") for _ in range(n))
open("cr", "w").write("\r" * (1 << 20))
open("stars", "w").write("User-agent: *\nDisallow: /" + "*" * 50_000_000)
open("groups", "w").write("".join(f"User-agent: g{i}\nDisallow: /{i}\n" for i in range(100_000)))
open("names", "w").write("\n".join(f"g{i}" for i in range(1000)))
open("usage", "w").write("User-agent: *\n" + "Content-Usage: /p train-ai=n\n" * 100_000)
with open("parts", "w") as out:
    out.write("User-agent: *\n")
    while out.tell() < 500 << 10:
        out.write(f"Disallow: /*{word(2)}*{word(2)}*{word(8)}*{word(1)}\n")
for size in (2_000, 16_000):
    open(f"paths{size}", "w").write("".join(f"/{word(size)}\n" for _ in range(500)))
EOF
for file in cr stars; do cost "$file ($(wc -c <$file) bytes)" robots-check -r "$file" /x; done
cost "100,000 groups, 1,000 agents" robots-check -r groups --agents=names /x
cost "100,000 Content-Usage of one path" robots-check -r usage --explain /p
for size in 2000 16000; do
  whole=$(least_cpu 3 "paths$size" robots-check -r parts)
  one=$(least_cpu 3 <(echo /x) robots-check -r parts)
  awk -v size="$size" -v whole="$whole" -v one="$one" 'BEGIN {
    printf "%-34s %8.3f ms a check\n", "500 KiB of stars, URLs of " size, (whole - one) / 499 * 1000 }'
done

echo "== signals: how many of the 4,231 files state which"
{ robots-check --list=extensions --fields=file,key corpus; robots-check --list=delays --fields=file,key corpus
  robots-check --list=sitemaps --fields=file corpus | sed 's/$/\tsitemap/'; } |
  LC_ALL=C awk -F'\t' '{ print $1 "\t" tolower($2) }' | sort -u | cut -f2 |
  grep -xE 'content-(usage|signal)|(dis)?allowaitraining|license|noindex|crawl-delay|request-rate|visit-time|host|clean-param|sitemap|llm-policy' |
  sort | uniq -c | sort -rn
for kind in train assistant search seo archive; do
  printf '%7d shut the home page to a crawler of kind %s, by its own name\n' "$(
    for file in corpus/*; do printf '%s\t/\n' "$file"; done |
      robots-check --many --explain --agents="$kind" --fields=robots-file,robots,robots-group |
      awk -F'\t' '$2 == "disallow" && $3 != "*" && !seen[$1]++ { n++ } END { print n + 0 }')" "$kind"
done

echo "== conformance: the cases of tests/robots-suite that pass"
printf '%-34s %s\n' robots-check "$("$root/tests/robots-suite" --quiet --lines --cmd 'robots-check --explain -r {robots} -A {agent} {url}' | tail -n 1)"
for peer in protego webrobots urllib robotrules; do
  printf '%-34s %s\n' "$peer" "$(/usr/bin/python3 "$root/tests/robots-suite" --quiet --peer "$peer" 2>/dev/null | tail -n 1)"
done

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
has protego || exit 0
/usr/bin/python3 conform.py "$data/robots/vectors.jsonl"
