# SPDX-License-Identifier: Apache-2.0
# What scripts/crawl answers without crawling: help, reports, what is in a state, what would be fetched and why. Sourced
# by it; reads given, arguments and the arrays of the stages.
# shellcheck shell=bash disable=SC2034,SC2154  # what is said here is read there, and the other way round

# What is asked instead of a crawl.
answer() {
  case $1 in
    help) usage "${given[--help]:-screen}"; return ;;
    completions) usage all | "$parts/complete-from-help" "${prefix}crawl" "${given[--completions]}"; return ;;
  esac
  find_tools
  case $1 in
    version) echo "${prefix}crawl $("$prefix"url-normalize --version | cut -d' ' -f2-)"; return ;;
    demo) exec "$parts/demo" "$self" "${arguments[@]}" ;;
  esac
  recall
  case $1 in
    why) why ;;
    report) print_report ;;
    *) look || exit ;;
  esac
}

# The options of the last run, which those given now come after.
recall() {
  local kept=()
  [[ -d $state/frontier ]] || die "no crawl is kept in $(printf %q "$state")"
  if [[ -f $state/options ]]; then mapfile -t kept <"$state/options"; fi
  sched=() filter=() robots=() normalize=() seeds=()
  parse_options "${kept[@]}" "${arguments[@]}"
  settle_options
}
# look OPTION...: what the scheduler says of the state; a crawl may be running meanwhile.
look() { "$prefix"politeness-sched --state="$state/frontier" --log="$state/log" "${sched[@]}" "$@"; }

# What each stage makes of one URL, as a link of the last run.
why() {
  local url=${given[--why]} record
  url=$("$prefix"url-normalize "${normalize[@]}" -- "$url") || die "--why takes a URL, not $(printf %q "$url")"
  record=$url$'\tdepth=1'
  if cut -f1 -- "$state/seeds" | grep -qxF -- "$url"; then record=$url$'\tdepth=0'; fi
  agent=${agent:-$(sed -n 1p -- "$state/identity")} contact=none
  prepare_stages
  judged <<<"$record" | sed -E 's/^[^\t]*\tdepth=[01]\t/by the policy and robots.txt: /; s/\t/, /g'
  look --show="$url" || exit
}

print_report() {
  local file=${given[--report]}
  if [[ -z $file ]]; then look --report; return; fi
  file_at --report "$file"
  # What is there and no file, such as /dev/stdout, is written to and not replaced.
  if [[ -e $file && ! -f $file ]]; then look --report >"$file"; return; fi
  look --report >"$file.new" || { rm -f -- "$file.new"; die "there is no report"; }
  mv -- "$file.new" "$file"
}

# What would go out first, a record each: the host's delay and when at the earliest (seconds from now), the
# policy's verdict, and that of robots.txt as far as the cache knows it (else `needs`). Nothing is fetched,
# and nothing is written but in a folder that goes away.
dry_run() {
  local frontier=$state/frontier
  [[ ! -e $state || -d $state ]] || die "--state names a folder, and $(printf %q "$state") is none"
  work=$(mktemp -d "${TMPDIR:-/tmp}/crawl.XXXXXX") ||
    die "cannot make a folder in ${TMPDIR:-/tmp}: let TMPDIR name another place"
  trap 'rm -rf -- "$work"' EXIT
  read_seeds
  all_seeds >"$work/seeds"
  scope_of "$work/seeds" >"$work/scope"
  agent=${agent:-$(sed -n 1p -- "$state/identity" 2>/dev/null || true)}
  agent=${agent:-spinneret} contact=none
  check_agent
  check_stages
  robots+=(--cache="$state/robots")
  if [[ -f $state/adopted ]]; then cp -- "$state/adopted" "$work/"; fi
  state=$work
  prepare_stages
  "$prefix"politeness-sched --state="$frontier" "${sched[@]}" --dry-run "$work/seeds" | judged
}
# With the verdicts of the policy and of robots.txt.
judged() {
  [[ -n ${given[--ignore-robots]+x} ]] || gate+=(--explain)
  refusing "$prefix"url-filter --before-fetch --explain "${by_policy[@]}" |
    refusing "${gate[@]}" | sed 's/\toutcome=needs$//'
}
# A filter's status 1 says that it has refused something.
refusing() { "$@" || (($? == 1)); }
