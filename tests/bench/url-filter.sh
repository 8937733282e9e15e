#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# url-filter in figures: 20 rules, 10,000 patterns, a list of a million hosts; beside grep -vEf with the same
# patterns, and beside a bare line copy. Ratios of one run; user CPU time, so that neighbours matter less.
#   tests/bench/url-filter.sh [BIN] [URLS]     BIN: folder of the tools; URLS: a list of real URLs
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${1:-$root/build/bin}
urls=${2:-$root/../shared/data/url/urls.txt.gz}
[[ -f $urls ]] || { echo "url-filter.sh: no URLs at $urls: nothing measured"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

# Real URLs, parsed, without the invalid; one million lines of them.
(if [[ $urls == *.gz ]]; then zcat -- "$urls"; else cat -- "$urls"; fi) |
  "$bin/url-filter" --allow-scheme=http,https 2>/dev/null >"$dir/once" || true
lines=$(wc -l <"$dir/once")
for ((i = 0; i * lines < 1000000; i++)); do cat "$dir/once"; done >"$dir/urls"
count=$(wc -l <"$dir/urls")

# 10,000 patterns of the kinds that such files hold, from words that real URLs have (every 7th host and
# word, so that some match), in the syntax that RE2 and grep -E share.
awk -F/ '
  NR % 7 == 0 && $3 ~ /^[a-z0-9.-]+$/ { h = $3; gsub(/[.]/, "\\.", h); hosts[++nh] = h }
  NR % 5 == 0 && $4 ~ /^[a-z][a-z-]+$/ && !seen[$4]++ { words[++nw] = $4 }
  END {
    for (i = 1; n < 10000; i++) {
      h = hosts[1 + i % nh]; w = words[1 + (i * 7) % nw]; v = words[1 + (i * 13) % nw]; k = i % 1000
      if (i % 5 == 0) p = "^https?://([^/]*\\.)?" h "/" w k "/"
      else if (i % 5 == 1) p = "/" w "/" v k "/"
      else if (i % 5 == 2) p = "/" w "-" v "/[0-9]+" k "\\.html$"
      else if (i % 5 == 3) p = "[?&]" w k "=(" v "|" h ")"
      else p = "^https?://" w k "\\." v "\\.(com|net|org)/"
      if (!have[p]++) { print p; n++ }
    }
  }' "$dir/once" >"$dir/patterns"
sed 's/^/deny-url /' "$dir/patterns" >"$dir/10000.policy"

cat >"$dir/20.policy" <<'POLICY'
allow-scheme http https
deny-domain doubleclick.net facebook.com
deny-host ads.example.com
deny-extension gif|jpg|png|zip|exe
max-url-length 1024
max-path-segments 20
max-parameters 12
deny-path ^/cgi-bin/
deny-path ^/private/
deny-path /admin/
deny-path /calendar/[0-9]{4}/
deny-query (^|&)sid=
deny-query (^|&)replytocom=
deny-url /wp-admin/
deny-url [?&]action=(edit|history)
deny-url /tag/.*/page/[0-9]+
deny-url \.php\?.*sort=
deny-url /print/
trap repeated-segments
trap repeated-keys
POLICY

# A million hosts, of which one in a thousand occurs.
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "host-%d.%s%d.example-%d.com\n", i, (i % 2 ? "ads" : "track"), i % 977, i % 31 }' >"$dir/hosts"
cut -d/ -f3 "$dir/once" | awk 'NR % 80 == 0' >>"$dir/hosts"
hosts=$(wc -l <"$dir/hosts")

# seconds COMMAND...: user CPU seconds, the least of $runs runs.
runs=3
seconds() {
  local best= took status
  for ((run = 0; run < runs; run++)); do
    { TIMEFORMAT=%U; took=$( { time "$@" >"$dir/out" 2>/dev/null || status=$?; } 2>&1 ); }
    if [[ -z $best ]] || awk "BEGIN { exit !($took < $best) }"; then best=$took; fi
  done
  echo "$best"
}
report() {  # NAME SECONDS LINES
  awk -v n="$1" -v s="$2" -v l="$3" 'BEGIN { s = s < 0.001 ? 0.001 : s
    printf "%-44s %8.3f s %10.0f URLs/s %8.0f ns/URL\n", n, s, l / s, s / l * 1e9 }'
}

empty=$(seconds "$bin/url-filter" "$dir/urls")
report "no rule (parse and pass)" "$empty" "$count"
report "20 rules" "$(seconds "$bin/url-filter" --policy="$dir/20.policy" "$dir/urls")" "$count"
report "--traps" "$(seconds "$bin/url-filter" --traps "$dir/urls")" "$count"
report "--same-domain" "$(seconds "$bin/url-filter" --same-domain --seed=http://example.com/ "$dir/urls")" "$count"
start=$(seconds "$bin/url-filter" --policy="$dir/10000.policy" http://h.example/)
many=$(seconds "$bin/url-filter" --policy="$dir/10000.policy" "$dir/urls")
report "10,000 patterns, with loading" "$many" "$count"
report "10,000 patterns, without" "$(awk "BEGIN { print $many - $start }")" "$count"
printf '%-44s %8.3f s\n' "  loading them" "$start"
load=$(seconds "$bin/url-filter" --deny-list="$dir/hosts" http://h.example/)
five=("$dir/urls" "$dir/urls" "$dir/urls" "$dir/urls" "$dir/urls")
empty5=$(seconds "$bin/url-filter" "${five[@]}")
listed=$(seconds "$bin/url-filter" --deny-list="$dir/hosts" "${five[@]}")
printf '%-44s %8.3f s   %d hosts\n' "loading a list" "$load" "$hosts"
awk -v a="$listed" -v b="$load" -v c="$empty5" -v n="$((5 * count))" 'BEGIN {
  printf "%-44s %8.0f ns/URL beyond parsing\n", "  asking it", (a - b - c) / n * 1e9 }'
if [[ -x /usr/bin/time ]]; then
  base=$(/usr/bin/time -f %M "$bin/url-filter" http://h.example/ 2>&1 >/dev/null)
  full=$(/usr/bin/time -f %M "$bin/url-filter" --deny-list="$dir/hosts" http://h.example/ 2>&1 >/dev/null)
  awk -v a="$full" -v b="$base" -v n="$hosts" 'BEGIN {
    printf "%-44s %8.1f bytes/entry\n", "  memory", (a - b) * 1024 / n }'
fi

# grep on the same patterns: it needs minutes for a million lines, so it gets a sample.
head -n 3000 "$dir/urls" >"$dir/sample"
runs=1
slow=$(seconds grep -vEf "$dir/patterns" "$dir/sample")
report "grep -vEf, 10,000 patterns, 3,000 URLs" "$slow" 3000
fast=$(seconds "$bin/url-filter" --policy="$dir/10000.policy" "$dir/sample")
report "url-filter on the same, with loading" "$fast" 3000
grep -vEf "$dir/patterns" "$dir/sample" >"$dir/by-grep" || true
"$bin/url-filter" --policy="$dir/10000.policy" "$dir/sample" >"$dir/by-filter" || true
printf '%-44s %8s   of %d passed by url-filter\n' "lines judged otherwise" \
  "$(diff "$dir/by-grep" "$dir/by-filter" | grep -c '^[<>]' || true)" "$(wc -l <"$dir/by-filter")"
