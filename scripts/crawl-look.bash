# SPDX-License-Identifier: Apache-2.0
# What scripts/crawl says beside its pages: help, reports, what is in a state, what would be fetched and why, and which
# links are dead. Sourced by it; reads given, arguments and the arrays of the stages.
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
    dry-run) dry_run; exit "$refused_seeds" ;;
    status)
      [[ -n ${given[--cluster]-} ]] || die "--status goes with --cluster"
      exec "$prefix"politeness-sched --cluster="${given[--cluster]}" --status ${given[--json]+--json} ;;
  esac
  recall
  case $1 in
    why) why ;;
    add) add_seeds ;;
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

# What each stage makes of one URL, in the order of the loop: as of a link where the state does not know it.
why() {
  local url=${given[--why]} depth
  url=$("$prefix"url-normalize "${normalize[@]}" -- "$url") || die "--why takes a URL, not $(printf %q "$url")"
  depth=$(look --show="$url" 2>/dev/null | sed -n 's/^depth: //p') || true
  agent=${agent:-$(sed -n 1p -- "$state/identity")} contact=none
  prepare_stages
  look --show="$url" --judged="$(judged <<<"$url"$'\tdepth='"${depth:-1}")" || exit
}

# Seeds for the crawl that runs on this state, or for its next run. Its filters learn the scope before it has the seed.
add_seeds() {
  read_seeds
  [[ -n $fresh ]] || die "--add takes URLs, or files of them"
  contact=$(sed -n 2p -- "$state/identity")
  [[ $contact != root@localhost ]] || is_loopback_only ||
    die "the crawl has no contact to name to others than loopback: stop it, and give --agent and --contact"
  scope_of - <<<"$fresh" | sed 's/$/\tdepth=0/' >>"$state/adopted" || die "cannot write $state/adopted"
  { printf '%s\n' "$fresh"; sitemaps_of - <<<"$fresh"; } | look --add || refused_seeds=$?
  exit "$refused_seeds"
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

# What the run has left aside, and the option that takes it in.
conclude() {
  local maps=()
  [[ -z ${given[--sitemaps]+x}${given[--ignore-robots]+x} && -d $state/robots ]] || return 0
  mapfile -t maps < <(find "$state/robots" -type f | head -n 200 | tr '\n' '\0' |
    xargs -0r "$prefix"robots-check --list=sitemaps | cut -f1 | sort -u)
  ((${#maps[@]})) || return 0
  say "robots.txt names sitemaps that --sitemaps would read (${#maps[@]}):" "${maps[@]:0:5}"
}

# --- dead links ---------------------------------------------------------------------------------

# The links of pages are known only where each page was read for them.
settle_check() {
  local name
  if [[ -z ${given[--check-links]+x} ]]; then
    for name in --fail-on --format --ignore --baseline; do
      [[ -z ${given[$name]+x} ]] || die "$name goes with --check-links"
    done
    ((${#check[@]} == 0)) || die "--check:${check[0]#--} goes with --check-links"
    [[ ! -e $state/links ]] || die "the crawl in $(printf %q "$state") checks links: go on with --check-links, or name another --state"
    return 0
  fi
  [[ -z ${given[--cluster]+x} ]] || die "--check-links is for one machine: not with --cluster"
  [[ -e $state/links || ! -d $state/frontier ]] ||
    die "the crawl in $(printf %q "$state") was begun without --check-links, which must see all pages: name another --state"
  # Two tries say as much as three; and no host is given up before the second one could come.
  [[ -n ${given[--tries]+x} ]] || sched+=(--tries=2)
  sched+=(--give-up-after="${given[--retry-delay]-30s}")
  [[ -z ${given[--json]+x} ]] || check+=(--json)
}

# What was not asked for because its host was given up: a record each, with what became of the host.
unreached() {
  local look=("$prefix"politeness-sched --state="$state/frontier")
  { "${look[@]}" --hosts && "${look[@]}" --list --with-state=waiting; } | awk -F'\t' -v OFS='\t' '
    function field(name, i) { for (i = 2; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2) }
    { split($1, part, "/"); host = part[1] "//" part[3] }
    field("finished") != "" {
      outcome[host] = field("last-outcome")
      if (outcome[host] == "") outcome[host] = field("held-reason") == "challenged" ? "challenged" : "blocked-by-robots"
    }
    field("state") != "" && outcome[host] != "" { print $1, "outcome=" outcome[host] }'
}

# The verdicts on all links: on the seeds, which may be on no page, on those of pages, and what was left undone.
judge_links() {
  local status=0 left=/dev/null
  if (($1 == 3)); then
    unreached >"$state/unreached" || die "cannot write $(printf %q "$state/unreached")"
    left=$state/unreached
  fi
  "$prefix"link-check "${check[@]}" -- "$state/seeds" "$state/links" "$left" || status=$?
  return "$status"
}
