# SPDX-License-Identifier: Apache-2.0
# crawl --diff OLD [NEW]: compares two crawls of a site, or two moments of one. Sourced by
# scripts/crawl. Both lists are sorted, on disk where they are large, and read side by side. Memory
# holds at most 100,000 pages that are gone, and as many new ones among which to find them.
# shellcheck shell=bash disable=SC2154  # given, seeds, place, prefix and state are scripts/crawl's

# shellcheck disable=SC2016  # an awk program
diff_program='
function value(name,  i) {
  for (i = 2; i <= n; i++) if (index(part[i], name "=") == 1) return substr(part[i], length(name) + 2)
  return ""
}
# Reads the next URL of a list; false at its end. An outcome is that of the last visit, if any.
function next_of(file, R,  line) {
  do if ((getline line < file) <= 0) return R["url"] = ""
  while (!index(line, "\tstate="))
  n = split(line, part, "\t")
  R["url"] = part[1]; R["status"] = value("status"); R["digest"] = value("digest"); R["via"] = value("via")
  R["outcome"] = value("outcome")
  if (R["outcome"] == "") R["outcome"] = value("last-outcome")
  return 1
}
function good(outcome) { return outcome ~ /^(ok|not-modified|noindex|non-canonical|duplicate|too-large|unsupported-type)$/ }
function tell(change, url, old_outcome, old_status, outcome, status, location) {
  print url "\tchange=" change (status == "" ? "" : "\tstatus=" status) \
    (old_status == "" ? "" : "\tstatus-old=" old_status) (old_outcome == "" ? "" : "\toutcome-old=" old_outcome) \
    (location == "" ? "" : "\tlocation=" location) (outcome == "" ? "" : "\toutcome=" outcome)
}
# Takes a page that is gone or moved: where it went is known once all new pages are.
function leave(url, digest, old_outcome, old_status, outcome, status) {
  if (left >= most) { tell(outcome ~ /^(moved|redirect)$/ ? "moved" : "gone", url, old_outcome, old_status, outcome, status, ""); return }
  row[++left] = url; row_digest[left] = digest; row_was[left] = old_outcome; row_status_was[left] = old_status
  row_is[left] = outcome; row_status[left] = status
}
function compare() {
  if (O["outcome"] == "" || N["outcome"] == "") {
    if (N["outcome"] != "") arrive()
  } else if (good(O["outcome"]) && N["outcome"] ~ /^(not-found|gone|moved|redirect)$/) {
    leave(O["url"], O["digest"], O["outcome"], O["status"], N["outcome"], N["status"])
  } else if (O["outcome"] != N["outcome"] && N["outcome"] != "not-modified" && O["outcome"] != "not-modified") {
    tell("status", N["url"], O["outcome"], O["status"], N["outcome"], N["status"], "")
  } else if (good(N["outcome"]) && O["digest"] != N["digest"] && O["digest"] != "" && N["digest"] != "") {
    tell("changed", N["url"], "", "", N["outcome"], N["status"], "")
  }
}
function arrive() {
  if (N["outcome"] ~ /^blocked-/) return
  if (++arrived <= most && good(N["outcome"])) { if (N["digest"] != "") at[N["digest"]] = N["url"]; if (N["via"] != "") from[N["via"]] = N["url"] }
  tell("new", N["url"], "", "", N["outcome"], N["status"], "")
}
BEGIN {
  more_old = next_of(old, O); more_new = next_of(new, N)
  while (more_old || more_new) {
    if (more_new && (!more_old || (N["url"] "") < (O["url"] ""))) { if (N["outcome"] != "") arrive(); more_new = next_of(new, N) }
    else if (more_old && (!more_new || (O["url"] "") < (N["url"] ""))) {
      if (good(O["outcome"])) leave(O["url"], O["digest"], O["outcome"], O["status"], "", "")
      more_old = next_of(old, O)
    } else { compare(); more_old = next_of(old, O); more_new = next_of(new, N) }
  }
  for (i = 1; i <= left; i++) {
    target = row_digest[i] in at ? at[row_digest[i]] : ""
    if (row_is[i] ~ /^(moved|redirect)$/ && row[i] in from) target = from[row[i]]
    tell(row_is[i] ~ /^(moved|redirect)$/ || target != "" ? "moved" : "gone", row[i], row_was[i], row_status_was[i], row_is[i], row_status[i], target)
  }
}'

# Prints the same as a page, after a head from a report: counts, and the first thousand of each
# kind.
# shellcheck disable=SC2016
diff_page='
function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s); gsub(/[[:cntrl:]]/, "?", s); return s }
function link(s) { return s ~ /^https?:/ && length(s) < 2000 ? "<a rel=\"noreferrer\" href=\"" text(s) "\">" text(s) "</a>" : text(s) }
BEGIN { FS = "\t"; kinds = split("new gone moved changed status", kind, " ")
  split("New|Gone|Moved|Changed|Another outcome", title, "|") }
{ delete f
  for (i = 2; i <= NF; i++) { at = index($i, "="); f[substr($i, 1, at - 1)] = substr($i, at + 1) }
  if (count[f["change"]]++ >= 1000) next
  note = f["change"] == "new" || f["change"] == "changed" ? (f["outcome"] == "ok" ? "" : f["outcome"]) : \
    (f["location"] != "" ? "" : f["outcome-old"] " " f["status-old"] ", now " (f["outcome"] == "" ? "not met" : f["outcome"] " " f["status"]))
  rows[f["change"]] = rows[f["change"]] "<tr><td class=\"url\">" link($1) (f["location"] == "" ? "" : "<br/>now " link(f["location"])) "</td><td>" text(note) "</td></tr>\n" }
END {
  print "<header><h1>What has changed</h1><p>" text(old) " to " text(new) "</p></header>\n<div class=\"tiles\">"
  for (k = 1; k <= kinds; k++) print "<div class=\"tile\"><b data-value=\"" count[kind[k]] + 0 "\">" count[kind[k]] + 0 "</b><span>" title[k] "</span></div>"
  print "</div>" (NR == 0 ? "<section><p>No page is new, gone, moved or changed.</p></section>" : "")
  for (k = 1; k <= kinds; k++) if (count[kind[k]]) {
    print "<section id=\"" kind[k] "\"><h2>" title[k] "</h2><table>" rows[kind[k]] "</table>"
    if (count[kind[k]] > 1000) print "<p class=\"more\">and " count[kind[k]] - 1000 " more, which crawl --diff prints without --report</p>"
    print "</section>"
  }
  print "</main></body></html>"
}'

list_frontiers() {
  local frontier
  for frontier in "${frontiers[@]}"; do "$prefix"politeness-sched --state="$frontier" --list || return; done
}

# list_at PLACE: prints the URLs of a state, or of a file that crawl --list has written, sorted by
# their bytes.
list_at() {
  local lines=(list_frontiers) frontiers
  frontiers_at "$1"
  if [[ ! -d $1 ]]; then
    lines=(cat -- "$1")
    [[ -r $1 ]] || die "--diff: cannot read $(printf %q "$1")"
    [[ ! -s $1 ]] || LC_ALL=C awk '/^[a-z]+:[^\t]*\t.*state=/ { found = 1; exit } NR == 1000 { exit } END { exit !found }' <"$1" ||
      die "--diff takes the folders of states, or files that crawl --list has written, and $(printf %q "$1") is neither"
  fi
  "${lines[@]}" | LC_ALL=C sort -s -S 64M -t$'\t' -k1,1
}

# Prints the head of a report, where one of the two is a state.
page_head() {
  local at frontiers
  for at in "$new" "$old"; do
    [[ -d $at ]] || continue
    frontiers_at "$at"
    "$prefix"politeness-sched --state="${frontiers[0]}" --report |
      sed -n 's|<title>[^<]*</title>|<title>What has changed</title>|; /<body>/{ s/<body>.*/<body><main>/; p; q; }; p'
    return
  done
  printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>What has changed</title></head>\n<body><main>\n'
}

# tell_waiting STATE LIST CHANGE: reports URLs that an unfinished crawl has yet to visit: pages
# behind them are reported as CHANGE.
tell_waiting() {
  local waiting
  waiting=$(grep -c $'\tstate=waiting' -- "$2") || return 0
  say "--diff: in $(printf %q "$1") $waiting URLs wait to be asked for: pages behind them are told as $3"
}

diff_states() {
  local old=${given[--diff]} new=${seeds[0]-$state} form=(cat) file=${given[--report]-} here there
  ((${#seeds[@]} < 2)) || die "--diff compares two: OLD and NEW, not $(printf %q "${seeds[1]}") too"
  [[ -z $file ]] || file_at --report "$file"
  [[ -z ${given[--json]+x} ]] || form=("$prefix"records --json)
  # Pages on another machine's disk would be reported as gone, or as new.
  here=$(parts_of "$old") there=$(parts_of "$new")
  [[ $here == "$there" ]] ||
    die "--diff: not all partitions of both are here: $(printf %q "$old") has ${here:-all}, $(printf %q "$new") has ${there:-all}"
  [[ -z $here ]] || say "--diff: the partitions $here are here, and are compared"
  work=$(mktemp -d "${TMPDIR:-/tmp}/crawl.XXXXXX") ||
    die "cannot make a folder in ${TMPDIR:-/tmp}: let TMPDIR name another place"
  trap 'rm -rf -- "$work"' EXIT
  list_at "$old" >"$work/old"
  list_at "$new" >"$work/new"
  tell_waiting "$old" "$work/old" new
  tell_waiting "$new" "$work/new" gone
  changes() { LC_ALL=C awk -v old="$work/old" -v new="$work/new" -v most=100000 "$diff_program"; }
  if [[ -z ${given[--report]+x} ]]; then
    changes | "${form[@]}"
  elif [[ -z $file ]]; then
    page_head
    changes | LC_ALL=C awk -v old="${old//\\/\\\\}" -v new="${new//\\/\\\\}" "$diff_page"
  else
    { page_head; changes | LC_ALL=C awk -v old="${old//\\/\\\\}" -v new="${new//\\/\\\\}" "$diff_page"; } >"$file"
  fi
}
