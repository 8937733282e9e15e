# SPDX-License-Identifier: Apache-2.0
# For tests of politeness-sched: pipelines of a few lines of bash.

# A site as a stage: page N links to 2N and 2N+1, up to MAX. Its log names the pages that were asked
# for.
make_site() {
  cat >site <<'EOF2'
#!/usr/bin/env bash
max=$1
while IFS= read -r line; do
  url=${line%%$'\t'*} n=${line%%$'\t'*} n=${n##*/} links=
  printf '%s\n' "$url" >>asked
  for link in $((2 * n)) $((2 * n + 1)); do
    ((link <= max)) && printf -v links '%s%s\tdepth=1\tvia=%s\n' "$links" "${url%/*}/$link" "$url"
  done
  printf '%s%s\tstatus=200\ttime-ms=1\toutcome=ok\n' "$links" "$line"
done
EOF2
  chmod +x site
}

# answer FIELDS: prints a stage that answers every line with these fields.
answer() { printf 'while IFS= read -r line; do printf "%%s\\t%s\\n" "$line"; done' "$1"; }

sched() { timeout 60 politeness-sched --state s -q --delay 0 "$@" 3>&-; }
