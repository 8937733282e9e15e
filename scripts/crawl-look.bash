# SPDX-License-Identifier: Apache-2.0
# What scripts/crawl, which sources this file, prints beside its pages: help, reports, what is in a
# state, what would be fetched and why, and which links are dead. Reads given, arguments and the
# arrays of the stages.
# shellcheck shell=bash disable=SC2034,SC2154  # what is said here is read there, and the other way round

# Answers what is asked instead of a crawl.
answer() {
  case $1 in
    help) usage "${given[--help]:-screen}"; return ;;
    completions)
      if [[ ${given[--completions]} == values ]]; then value_rows; return; fi
      { usage all; value_rows; } | "$parts/complete-from-help" "${prefix}crawl" "${given[--completions]}"
      return ;;
  esac
  check_heeded "$1"
  [[ -z ${given[--cluster]+x} || $1 != @(demo|dry-run) ]] ||
    die "--$1 is of a crawl on one machine: with --cluster there are --status, --report, --list, --hosts, --show, --why and --add"
  [[ -z ${given[--cluster]+x} || $1 != live ]] ||
    die "--live shows one state: --status says how all stand, and of a partition whose state is here: ${prefix}politeness-sched --live=0 --state=$(printf %q "$state")/p0/frontier"
  find_tools
  case $1 in
    version) echo "${prefix}crawl $("$prefix"url-normalize --version | cut -d' ' -f2-)"; return ;;
    demo) exec "$parts/demo" "$self" "${arguments[@]}" ;;
    dry-run) dry_run; exit "$refused_seeds" ;;
    diff)
      # shellcheck source=scripts/crawl-diff.bash
      . "$parts/crawl-diff.bash"
      diff_states; return ;;
    status)
      [[ -n ${given[--cluster]-} ]] || die "--status goes with --cluster"
      exec "$prefix"politeness-sched --cluster="${given[--cluster]}" --status ${given[--json]+--json} ;;
    check)
      [[ -n ${given[--cluster]-} ]] || die "--check goes with --cluster"
      exec "$prefix"link-bus --check="${given[--cluster]}" ;;
    drain | pin | begin-anew)
      [[ -n ${given[--cluster]-} ]] || die "--$1 goes with --cluster"
      exec "$prefix"politeness-sched --cluster="${given[--cluster]}" "--$1=${given[--$1]}" ;;
  esac
  [[ $1 != report || -z ${given[--cluster]+x} ]] || gather_partitions
  [[ $1 == @(report|why|add) && -n ${given[--cluster]+x} ]] || recall "$1"
  [[ -z ${given[--json]+x} || $1 != @(show|why) ]] || say "--$1 is for people and has no --json; --list and --hosts have"
  [[ $1 == add ]] || ((${#seeds[@]} == 0)) ||
    die "--$1 tells of the crawl that is kept: ${seeds[0]@Q} does not go with it"
  case $1 in
    why) if [[ -n ${given[--cluster]+x} ]]; then why_in_partition; else why; fi ;;
    add) add_seeds ;;
    report) print_report ;;
    live) exec "$prefix"politeness-sched --state="$state/frontier" --log="$state/log" "${sched[@]}" --live="${given[--live]:-0}" ;;
    *) if has_partitions; then look_at_partitions "$1"; else look || exit; fi ;;
  esac
}

# check_heeded MODE: dies where the command line has an option that does not affect the output of
# MODE: the output would be taken for what was asked for, such as a list for that of --exclude.
# Options that say who crawls, where, by which way and how gently are accepted, since an alias puts
# them before everything, and so may a file of options.
check_heeded() {
  local name heeds='state|config|quiet|agent|contact|delay|per-host|in-flight|cluster|partitions|partition-lease|node|copies'
  heeds+='|proxy|auth|cookies|header|insecure|allow|allow-private|timeout'
  local of_a_host='psl|throttle|hours|max-host-pages|tries|retry-delay|patience|order|recrawl|continuous|sched:.*'
  case $1 in
    diff) heeds+='|report|json' ;;
    list | hosts | show) heeds+="|json|$of_a_host" ;;
    live) heeds+="|$of_a_host" ;;
    why) heeds+="|json|$of_a_host|scope|ignore-robots|sitemaps|filter:.*|robots:.*|normalize:.*" ;;
    report) heeds+="|$of_a_host|check-links|check:.*" ;;
    status) heeds+='|json' ;;
    check | drain | pin | begin-anew) ;;
    *) return 0 ;;
  esac
  for name in "${typed[@]}"; do
    [[ ! $name =~ ^--($1|$heeds)$ ]] || continue
    [[ ! $1:${where[$name]-} =~ ^(why:.*(filter|robots|normalize)|report:check$) ]] || continue
    die "--$1 tells of what is kept, and $name does not go with that"
  done
}

# Prints the completions for values of options: "--name", a tab, words, a tab, `files` or `folders`;
# from the tables of the stages to which the options go, as far as these are installed.
value_rows() {
  local name to tool at='' table=''
  local -A tools=([sched]=politeness-sched [filter]=url-filter [robots]=robots-check [items]=extract-items [text]=extract-text
    [extract]=extract-links [content]=dedupe [dedupe]=dedupe [normalize]=url-normalize [fetch]=fetch [check]=link-check)
  PATH=${SPINNERET_BIN:+$SPINNERET_BIN:}$here:$root/build/bin:$PATH
  printf '%s\t%s\t\n' --scope 'origin|host|domain|under|any|' --completions 'bash|zsh|fish|'
  for name in "${!where[@]}"; do
    to=${where[$name]%%,*} tool=${tools[${to%%:*}]-}
    [[ ${kind[$name]} == value && -n $tool ]] || continue
    case $to in *:*) to=--${to#*:} ;; *) to=$name ;; esac
    printf '%s\t%s\t%s\n' "$prefix$tool" "$to" "$name"
  done | sort | while IFS=$'\t' read -r tool to name; do
    [[ $tool == "$at" ]] || { at=$tool table=$("$tool" --completions=values 2>/dev/null) || table=''; }
    awk -F'\t' -v OFS='\t' -v to="$to" -v name="$name" '$1 == to { $1 = name; print }' <<<"$table"
  done
}

# Takes the options of the last run; those given now come after.
recall() {
  local kept=()
  if has_partitions; then
    [[ $1 == @(list|hosts|show) ]] ||
      die "--$1: in $(printf %q "$state") are partitions of a crawl on many machines: --list, --hosts and --show look into them, --status, --report, --why and --add go with --cluster"
  elif [[ ! -d $state/frontier ]]; then
    [[ -z ${given[--cluster]+x} ]] || die "--$1: no partition's state is in $(printf %q "$state"): ask where the machines have theirs; --status is for anywhere"
    die "no crawl is kept in $(printf %q "$state"): begin one without --$1"
  fi
  if [[ -f $state/options ]]; then mapfile -t kept <"$state/options"; fi
  sched=() filter=() robots=() normalize=(--with=userinfo) seeds=()
  local place
  place="$(printf %q "$state/options"): "
  parse_options "${kept[@]}"
  place=''
  parse_options "${arguments[@]}"
  settle_options
}

# look OPTION...: asks the scheduler about the state; a crawl may be running meanwhile.
look() { "$prefix"politeness-sched --state="${frontier:-$state/frontier}" --log="$state/log" "${sched[@]}" "$@"; }

# has_partitions [STATE]: whether the state is this machine's share of a crawl on many.
has_partitions() {
  local at=${1-$state}
  [[ ! -d $at/frontier ]] && compgen -G "$at/p[0-9]*/frontier/db" >/dev/null
}

# frontiers_at STATE: sets `frontiers` to the state's frontier or, of a crawl on many machines, to
# those of its partitions. A URL is in one of them.
frontiers_at() {
  frontiers=("$1/frontier")
  if has_partitions "$1"; then frontiers=("$1"/p[0-9]*/frontier/db) frontiers=("${frontiers[@]%/db}"); fi
}
# parts_of STATE: prints which partitions of a crawl on many machines are here, and of how many;
# nothing where the state is whole.
parts_of() {
  local frontiers count here
  ! has_partitions "$1" || {
    frontiers_at "$1"
    count=$({ cat -- "$1"/node-*/options 2>/dev/null || true; } | sed -n 's/^--sched:partitions=//p' | sort -n | tail -n 1)
    here=$(printf '%s\n' "${frontiers[@]%/frontier}" | sed 's|.*/p||' | sort -n | tr '\n' ' ')
    ((${#frontiers[@]} >= ${count:-0})) || printf '%sof %s' "$here" "$count"
  }
}

# look_at_partitions MODE: looks into each partition whose state is here. A URL is in one of them,
# and so is a host.
look_at_partitions() {
  local at=$state said missing='' found='' status
  local state
  for state in "$at"/p[0-9]*; do
    [[ -d $state/frontier/db ]] || continue
    status=0
    if [[ $1 == show ]]; then
      said=$(look 2>&1) || status=$?
      ((status == 1)) || { printf '%s\n' "$said"; exit "$status"; }
    else
      { said=$(look 2>&1 >&3) || status=$?; } 3>&1
      ((status == 1)) || { [[ -z $said ]] || printf '%s\n' "$said" >&2; found=yes; }
      ((status <= 1)) || exit "$status"
      ((status == 0)) || [[ $missing == *'did you mean'* ]] || missing=$said
    fi
  done
  [[ $1 != show ]] || { say "--show: ${given[--show]@Q} is in no partition whose state is in $(printf %q "$at")"; exit 1; }
  local here
  here=$(parts_of "$at")
  [[ -z $here ]] || say "--$1: the partitions $here are here; the others are on other machines"
  [[ -n $found ]] || { printf '%s\n' "$missing" >&2; exit 1; }
}

# Says what each stage makes of one URL, in the order of the loop. A URL unknown to the state is
# judged as one of a link.
why() {
  local url
  url=$("$prefix"url-normalize "${normalize[@]}" -- "${given[--why]}" 2>/dev/null) ||
    die "--why takes a URL, not $(printf %q "${given[--why]}")"
  explain "$url"
}

# explain URL: by the state, its options and its identity.
explain() {
  local depth
  depth=$(look --show="$1" 2>/dev/null | sed -n 's/^depth: //p') || true
  agent=${agent:-$(sed -n 1p -- "$state/identity")} contact=none
  prepare_stages
  [[ -n $depth || -z ${given[--max-depth]+x} ]] ||
    say "judged as a link of a seed: of pages further away --max-depth=${given[--max-depth]} may have refused it"
  [[ -n $depth ]] || ! judges_links ||
    say "judged without a link: rules about links (rel, tag, via, text, max-depth) may have refused all links that lead here; --rejected keeps those"
  local verdict  # empty where the policy cannot be read, which has been reported
  verdict=$(judged <<<"$1"$'\tdepth='"${depth:-1}")
  look --show="$1" --judged="$verdict" || exit
}

# Adds seeds to the crawl that runs on this state, or to its next run. The filters learn the scope
# before the crawl has the seed.
add_seeds() {
  read_seeds
  [[ -n $fresh ]] || die "--add takes URLs, or files of them"
  if [[ -n ${given[--cluster]+x} ]]; then add_to_all; fi
  local word name other=' ' last
  last=" $(cat -- "$state/options" 2>/dev/null | tr '\n' ' ') "
  for word in "${words[@]}"; do
    name=${word%%=*}
    [[ $name =~ ^--(state|add|quiet|agent|contact|sitemaps)$ || ${where[$name]-} == *normalize || $name == --normalize:* ||
      $last == *" $word "* || $other == *" $name "* ]] || other+="$name "
  done
  [[ $other == ' ' ]] || say "--add changes no option of the crawl:${other% } waits for a run of its own"
  contact=$(sed -n 2p -- "$state/identity")
  [[ $contact != root@localhost ]] || is_loopback_only ||
    die "the crawl has no contact, which hosts other than loopback are to be told: stop it, and give --agent and --contact"
  : 2>/dev/null >>"$state/adopted" || die "cannot write $(printf %q "$state/adopted")"
  scope_of - <<<"$fresh" | sed 's/$/\tdepth=0/' >>"$state/adopted" || die "cannot write $(printf %q "$state/adopted")"
  { printf '%s\n' "$fresh"; sitemaps_of - <<<"$fresh"; } | look --add || refused_seeds=$?
  exit "$refused_seeds"
}

print_report() {
  local file=${given[--report]} draft status=0 kept=() name
  for name in "${typed[@]}"; do
    [[ -e $state/links || ($name != --check:* && ${where[$name]-} != check) ]] ||
      die "--report: the crawl in $(printf %q "$state") was without --check-links, and has no links for $name"
  done
  if [[ -f $state/options ]]; then mapfile -t kept <"$state/options"; fi
  [[ -z $file ]] || file_at --report "$file"
  # A file that is standard output is written as that: its link, /dev/stdout, would be replaced, for
  # the whole machine if root asks. Of another link the target is replaced.
  [[ ! $file -ef /dev/fd/1 ]] || file=''
  [[ ! -L $file ]] || file=$(realpath -m -- "$file")
  # A path that exists and is no file, such as /dev/stdout, is written to and not replaced.
  if [[ -n $file && ( ! -e $file || -f $file ) ]]; then
    draft=$file.new
  else
    draft=$(mktemp "${TMPDIR:-/tmp}/crawl.XXXXXX") || die "cannot make a file in ${TMPDIR:-/tmp}: let TMPDIR name another place"
  fi
  # shellcheck disable=SC2064  # with its present value
  trap "rm -f -- ${draft@Q}" EXIT
  look --report --again="${again:-$(retry_command "${kept[@]}")}" >"$draft" || die "there is no report"
  if [[ -e $state/links ]]; then judge_links 3 --report="$draft" >/dev/null || status=$?; fi
  ((status < 2)) || exit "$status"
  if [[ -z $file ]]; then  # not by the name of standard output: opened anew, it loses what is in it, or is not ours to open
    cat -- "$draft"
  elif [[ $draft == "$file.new" ]]; then
    mv -- "$draft" "$file"
  else
    cat -- "$draft" >"$file"
  fi
}

# Prints what would be fetched first, a record each: the host's delay and the earliest time (seconds
# from now), the policy's verdict, and that of robots.txt as far as the cache knows it (else
# `needs`). Nothing is fetched, and nothing is written except in a temporary folder.
dry_run() {
  local frontier=$state/frontier form=(cat)
  [[ ! -e $state || -d $state ]] || die "--state names a folder, and $(printf %q "$state") is none"
  take_last_options
  work=$(mktemp -d "${TMPDIR:-/tmp}/crawl.XXXXXX") ||
    die "cannot make a folder in ${TMPDIR:-/tmp}: let TMPDIR name another place"
  trap 'rm -rf -- "$work"' EXIT
  read_seeds
  { all_seeds >"$work/seeds" && scope_of "$work/seeds" >"$work/scope"; } 2>/dev/null ||
    die "cannot write in ${TMPDIR:-/tmp}: let TMPDIR name another place"
  agent=${agent:-$(sed -n 1p -- "$state/identity" 2>/dev/null || true)}
  agent=${agent:-spinneret} contact=none
  check_agent
  check_stages
  robots+=(--cache="$state/robots")
  if [[ -f $state/adopted ]]; then cp -- "$state/adopted" "$work/"; fi
  state=$work
  prepare_stages
  # Only the last command prints JSON: between the commands there are records.
  if [[ -n ${given[--json]+x} ]]; then form=("$prefix"records --json); fi
  "$prefix"politeness-sched --state="$frontier" "${sched[@]/#--json/--quiet}" --dry-run "$work/seeds" | judged | "${form[@]}"
}
# Adds the verdicts of the policy and of robots.txt.
judged() {
  [[ -n ${given[--ignore-robots]+x} ]] || gate+=(--explain)
  refusing "$prefix"url-filter --before-fetch --explain "${by_policy[@]}" |
    refusing "${gate[@]}" | sed 's/\toutcome=needs$//'
}
# Runs a filter, whose status 1 says that it has refused something.
refusing() { "$@" || (($? == 1)); }

# Hints that a seed file is a page or a sitemap instead of a list.
hint_at_document() {
  local seed
  for seed in "${seeds[@]}"; do
    [[ -f $seed ]] || continue
    head -c 4096 -- "$seed" | grep -aqE '^[[:space:]]*<([!?]|[a-zA-Z]+[ >])' || continue
    printf ': %q is a document: %sextract-links --base=URL %q | %srecords --links | %scrawl -' "$seed" "$prefix" "$seed" "$prefix" "$prefix"
    return
  done
}

# A line of a table would be taken for one long URL: other pages would be fetched, and nobody would
# be told why.
refuse_tables() {
  local seed
  for seed in "${seeds[@]}"; do
    [[ -f $seed && ${seed,,} == *.csv ]] || continue
    ! grep -aqiE '^"?https?://[^,]*,|^[^/]*,"?https?://' -- "$seed" ||
      die "$(printf '%q is a table: %srecords --from=csv --field=1 %q | %scrawl -' "$seed" "$prefix" "$seed" "$prefix")"
  done
}

# Says what the run has left out, and which option includes it.
conclude() {
  local maps=() archive at=${given[--warc]-}
  if [[ -n ${given[--wacz]+x} ]]; then
    # A run that was ended by a kill or a full disk while packing left nothing to fetch, so no fetch
    # would pack it.
    at=${at%.gz} at=${at%.warc}
    for archive in "${given[--warc]}" "$at"-[0-9][0-9][0-9][0-9][0-9]*; do
      [[ $archive -nt $at.wacz ]] || continue
      "${fetch[@]}" </dev/null >/dev/null || exit 2
      break
    done
  fi
  [[ -z ${given[--sitemaps]+x}${given[--ignore-robots]+x} ]] || return 0
  mapfile -t maps < <(named_sitemaps 200 | cut -f1 | sort -u)
  ((${#maps[@]})) || return 0
  say "robots.txt names sitemaps that --sitemaps would read (${#maps[@]}):" "${maps[@]:0:5}"
}

# --- dead links ---------------------------------------------------------------------------------

# Links can be checked only where each page was read for them.
settle_check() {
  local name
  [[ -z ${given[--links]-} || $(realpath -m -- "${given[--links]}") != "$(realpath -m -- "$state/links")" ]] ||
    die "--links: $(printf %q "$state/links") is where a crawl keeps the links that it checks; name another file"
  if [[ -z ${given[--check-links]+x} ]]; then
    for name in --fail-on --format --ignore --baseline --cache --max-age; do
      [[ -z ${given[$name]+x} ]] || die "$name goes with --check-links"
    done
    ((${#check[@]} == 0)) || die "--check:${check[0]#--} goes with --check-links"
    [[ ! -e $state/links ]] || die "the crawl in $(printf %q "$state") checks links: go on with --check-links, or name another --state"
    return 0
  fi
  [[ -z ${given[--content-seen]+x} ]] ||
    die "--check-links reads every page, and --content-seen leaves those alone that are alike, whose links may lead elsewhere: not both"
  [[ -z ${given[--cluster]+x} ]] || die "--check-links is for one machine: not with --cluster"
  [[ -e $state/links || ! -d $state/frontier ]] ||
    die "the crawl in $(printf %q "$state") was begun without --check-links, which must see all pages: name another --state"
  # Two tries say as much as three; and no host is given up before the second try could come.
  [[ -n ${given[--tries]+x} ]] || sched+=(--tries=2)
  sched+=(--give-up-after="${given[--retry-delay]-30s}")
  [[ -z ${given[--json]+x} ]] || check+=(--json)
  [[ -z ${given[--max-age]+x} || -n ${given[--cache]+x} ]] || die "--max-age goes with --cache"
}

# Runs the crawl and prints only findings: page records are in the log.
check_links() {
  local status=0
  prepare_check
  run_scheduler "$@" >/dev/null || status=$?
  ((status == 0 || status == 3)) || exit "$status"
  conclude
  set -- "${given[--report]:-$state/report.html}"
  [[ -f $1 ]] || shift
  judge_links "$status" ${1+"--report=$1"} && exit "$refused_seeds" || exit
}

# Prepares a run: URLs that the cache knows to exist are not asked for. What the state took from an
# earlier cache stays, like everything it has learned.
prepare_check() {
  forget_silence
  [[ -n ${given[--cache]+x} ]] || return 0
  { "$prefix"link-check "${check[@]}" --fresh && if [[ -e $state/checked ]]; then cat -- "$state/checked"; fi; } |
    "$prefix"dedupe >"$state/.new/checked" && mv -- "$state/.new/checked" "$state/checked" ||
    die "cannot write $(printf %q "$state/checked")"
}

# Prints a record for each URL that was not asked for, with what became of its host, or with what
# has ended the crawl before.
unreached() {
  local look=("$prefix"politeness-sched --state="$state/frontier")
  { "${look[@]}" --hosts && "${look[@]}" --list --with-state=waiting; } | awk -F'\t' -v OFS='\t' -v limits="$1" '
    function field(name, i) { for (i = 2; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2) }
    { split($1, part, "/"); host = part[1] "//" part[3] }
    field("finished") != "" {
      outcome[host] = field("last-outcome")
      if (outcome[host] == "") outcome[host] = field("held-reason") == "challenged" ? "challenged" : "blocked-by-robots"
    }
    field("state") == "" { next }
    host in outcome { print $1, "outcome=" outcome[host]; next }
    { print $1, "error=the crawl ended before it was asked for" (limits ? " (" limits ")" : ""), "outcome=aborted" }'
}

# judge_links STATUS [OPTION]...: judges all links: the seeds, which may be on no page, those of
# pages, and what was left undone by a run that ended with STATUS.
judge_links() {
  local status=0 name limits='' records=("$state/seeds")
  for name in --max-pages --max-host-pages --max-bytes --max-time --hours; do
    [[ -z ${given[$name]+x} ]] || limits+="${limits:+ }$name=${given[$name]}"
  done
  # Results of other crawls come first, since our own say more.
  [[ ! -e $state/checked ]] || records+=("$state/checked")
  records+=("$state/links")
  if (($1 == 3)) || [[ -n $limits ]]; then
    unreached "$limits" >"$state/unreached" || die "cannot write $(printf %q "$state/unreached")"
    records+=("$state/unreached")
    [[ -z $limits || ! -s $state/unreached ]] ||
      say "not all is checked: when $limits ended the crawl, $(wc -l <"$state/unreached") of its URLs waited; the same command goes on"
  fi
  "$prefix"link-check "${check[@]}" "${@:2}" -- "${records[@]}" || status=$?
  return "$status"
}
