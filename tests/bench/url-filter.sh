#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# url-filter in figures: 20 rules, 10,000 patterns, a list of a million hosts; beside grep -vEf with the same
# patterns, and beside a bare line copy. Ratios of one run; CPU time, so that neighbours matter less.
#
#   tests/bench/url-filter.sh
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
export LC_ALL=C
urls=$data/url/urls.txt.gz
need "$urls"
need_tools url-filter url-normalize || exit 1

# Real URLs, parsed, without the invalid ones, repeated to a million lines.
zcat "$urls" |
  url-filter --allow-scheme=http,https 2>/dev/null >"$work/once" || true
lines=$(wc -l <"$work/once")
for ((i = 0; i * lines < 1000000; i++)); do cat "$work/once"; done >"$work/urls"
count=$(wc -l <"$work/urls")

# 10,000 patterns of the kinds found in such files, made of words in real URLs (every 7th host and every 5th word, so
# that some match), in the syntax that RE2 and grep -E share.
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
  }' "$work/once" >"$work/patterns"
sed 's/^/deny-url /' "$work/patterns" >"$work/10000.policy"

cat >"$work/20.policy" <<'POLICY'
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
awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "host-%d.%s%d.example-%d.com\n", i, (i % 2 ? "ads" : "track"), i % 977, i % 31 }' >"$work/hosts"
url-normalize --get '{host}' "$work/once" | awk 'NR % 80 == 0' >>"$work/hosts"
hosts=$(wc -l <"$work/hosts")

seconds() { least_cpu 3 /dev/null "$@"; }
report() {  # NAME SECONDS LINES
  awk -v n="$1" -v s="$2" -v l="$3" 'BEGIN { s = s < 0.001 ? 0.001 : s
    printf "%-44s %8.3f s %10.0f URLs/s %8.0f ns/URL\n", n, s, l / s, s / l * 1e9 }'
}

empty=$(seconds url-filter "$work/urls")
report "no rule (parse and pass)" "$empty" "$count"
report "20 rules" "$(seconds url-filter --policy="$work/20.policy" "$work/urls")" "$count"
report "--traps" "$(seconds url-filter --traps "$work/urls")" "$count"
report "--same-domain" "$(seconds url-filter --same-domain --seed=http://example.com/ "$work/urls")" "$count"
# Links as extract-links writes them, all refused: dropped, or settled with their reason.
awk '{ printf "%s\tdepth=3\tvia=http://www.example.org/some/page.html\ttag=a@href\trel=nofollow noopener\ttext=Some words\n", $0 }' \
  "$work/urls" >"$work/links"
report "links out of scope, dropped" "$(seconds url-filter --same-host --seed=http://h.example/ "$work/links")" "$count"
report "links out of scope, settled with reason" \
  "$(seconds url-filter --action=mark --same-host --seed=http://h.example/ "$work/links")" "$count"
report "pages before their fetch, --traps" "$(seconds url-filter --before-fetch --traps "$work/links")" "$count"
start=$(seconds url-filter --policy="$work/10000.policy" http://h.example/)
many=$(seconds url-filter --policy="$work/10000.policy" "$work/urls")
report "10,000 patterns, with loading" "$many" "$count"
report "10,000 patterns, without" "$(awk "BEGIN { print $many - $start }")" "$count"
printf '%-44s %8.3f s\n' "  loading them" "$start"
load=$(seconds url-filter --deny-list="$work/hosts" http://h.example/)
five=("$work/urls" "$work/urls" "$work/urls" "$work/urls" "$work/urls")
empty5=$(seconds url-filter "${five[@]}")
listed=$(seconds url-filter --deny-list="$work/hosts" "${five[@]}")
printf '%-44s %8.3f s   %d hosts\n' "loading a list" "$load" "$hosts"
awk -v a="$listed" -v b="$load" -v c="$empty5" -v n="$((5 * count))" 'BEGIN {
  printf "%-44s %8.0f ns/URL beyond parsing\n", "  asking it", (a - b - c) / n * 1e9 }'
if [[ -x /usr/bin/time ]]; then
  base=$(/usr/bin/time -f %M url-filter http://h.example/ 2>&1 >/dev/null)
  full=$(/usr/bin/time -f %M url-filter --deny-list="$work/hosts" http://h.example/ 2>&1 >/dev/null)
  awk -v a="$full" -v b="$base" -v n="$hosts" 'BEGIN {
    printf "%-44s %8.1f bytes/entry\n", "  memory", (a - b) * 1024 / n }'
fi

# Many sections of one line each. The policy's own size is included, as the file is read whole.
sections=200000
for rule in 'max-depth 3' 'deny-path ^/private/'; do
  awk -v n="$sections" -v rule="$rule" 'BEGIN {
    for (i = 0; i < n; i++) printf "[host-%d.example]\n%s\n", i, rule }' >"$work/sections.policy"
  [[ -x /usr/bin/time ]] || break
  full=$(/usr/bin/time -f %M url-filter --policy="$work/sections.policy" http://h.example/ 2>&1 >/dev/null)
  awk -v a="$full" -v b="$base" -v n="$sections" -v rule="$rule" 'BEGIN {
    printf "%-44s %8.1f bytes/section\n", "[host] with " rule, (a - b) * 1024 / n }'
done

# grep with the same patterns gets a sample, since a million lines would take minutes.
head -n 3000 "$work/urls" >"$work/sample"
by_grep() { grep -vEf "$work/patterns" "$work/sample" >"$work/by-grep"; }
slow=$(cpu by_grep)
report "grep -vEf, 10,000 patterns, 3,000 URLs" "$slow" 3000
fast=$(cpu url-filter --policy="$work/10000.policy" "$work/sample")
report "url-filter on the same, with loading" "$fast" 3000
url-filter --policy="$work/10000.policy" "$work/sample" >"$work/by-filter" || true
printf '%-44s %8s   of %d passed by url-filter\n' "lines judged otherwise" \
  "$(diff "$work/by-grep" "$work/by-filter" | grep -c '^[<>]' || true)" "$(wc -l <"$work/by-filter")"
