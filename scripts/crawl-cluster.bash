# SPDX-License-Identifier: Apache-2.0
# Shares a crawl of scripts/crawl, which sources this file, with other machines (--cluster). Reads
# given, words and seeds.
# shellcheck shell=bash disable=SC2034,SC2154  # what is said here is read there, and the other way round

# hide_password: moves a password in --cluster, or --sched:cluster, to the environment: ps shows the
# words of a process to everybody, and a state keeps those of a crawl.
hide_password() {
  local at i url word said=() found=''
  for ((i = 0; i < ${#arguments[@]}; i++)); do
    word=${arguments[i]}
    if [[ $word =~ ^--(sched:)?cluster= || (i -gt 0 && ${arguments[i - 1]-} == --*cluster) ]]; then
      url=$word
      without_password word
      [[ $word == "$url" ]] || found=yes
    fi
    said+=("$word")
  done
  # Our own command line has it, too.
  [[ -z $found ]] || exec "$BASH" "$self" "${said[@]}"
  [[ -z ${given[--cluster]+x} ]] || without_password given[--cluster]
  for at in "${!words[@]}"; do [[ ! ${words[at]} =~ ^--(sched:)?cluster= ]] || without_password "words[$at]"; done
  for at in "${!sched[@]}"; do [[ ${sched[at]} != --cluster=* ]] || without_password "sched[$at]"; done
}
# without_password NAME: moves the password in the variable of that name.
without_password() {
  local -n named=$1
  local who word url=$named place=SPINNERET_REDIS_PASSWORD
  [[ $url == *://*@*/* ]] || return 0
  who=${url#*://} who=${who%@*}
  [[ $who == *:* ]] || return 0
  word=${who#*:} word=${word//\\/\\\\}
  # A password in the environment wins.
  [[ ${url%%://*} != *postgres* ]] || place=PGPASSWORD
  if [[ -z ${!place-} && ($place == PGPASSWORD || -z ${REDISCLI_AUTH-}) ]]; then
    while [[ $word =~ ^(.*)%([0-9A-Fa-f]{2})(.*)$ ]]; do word="${BASH_REMATCH[1]}\\x${BASH_REMATCH[2]}${BASH_REMATCH[3]}"; done
    printf -v word %b "$word"
    export "$place=$word"
  fi
  who=${who%%:*}
  named=${url%%://*}://${who:+$who@}${url##*@}
}

# Sets `engine` to the scheduler's words for the engine, and those that follow.
engine_words() {
  engine=("--cluster=${given[--cluster]}" "$@")
  for key in --node --partition-lease; do [[ -z ${given[$key]-} ]] || engine+=("$key=${given[$key]}"); done
}

# add_to_all: adds seeds, and what they bring into scope, to all machines through the engine.
add_to_all() {
  local engine file
  for file in "$state"/node-*/identity; do [[ ! -f $file ]] || contact=$(sed -n 2p -- "$file"); done
  [[ -n $contact && $contact != root@localhost ]] || is_loopback_only ||
    die "--add: no state here says what contact the crawl gives to hosts other than loopback: give --contact, too"
  engine_words --add
  { scope_of - <<<"$fresh" | sed 's/$/\tpurpose=scope/'; printf '%s\n' "$fresh"; sitemaps_of - <<<"$fresh"; } |
    "$prefix"politeness-sched "${engine[@]}" ${given[--quiet]+--quiet} || refused_seeds=$?
  exit "$refused_seeds"
}

# why_in_partition: like why(), where the state is here; else says where it is.
why_in_partition() {
  local engine url row part node at=$state frontier here='' words=()
  url=$("$prefix"url-normalize "${normalize[@]}" -- "${given[--why]}" 2>/dev/null) ||
    die "--why takes a URL, not $(printf %q "${given[--why]}")"
  engine_words --status
  row=$("$prefix"politeness-sched "${engine[@]}" "$url" 2>/dev/null) || row=$("$prefix"politeness-sched "${engine[@]}" "$url")
  part=${row%%$'\t'*} node=$(sed -nE 's/.*\tnode=([^\t]*)\.[0-9]+(\t.*|$)/\1/p' <<<"$row")
  for here in "$at/node-$node" "$at"/node-*; do [[ ! -f $here/options ]] || break; done
  frontier=$at/$part/frontier
  # A state whose owner has no folder here is as it was when the partition left.
  if [[ ! -d $frontier/db || ! -f $here/options || (-n $node && $here != "$at/node-$node") ]]; then
    [[ -n $node ]] || die "--why: the URL is of partition ${part#p}, which nobody has now and whose state is not in $(printf %q "$at"): ask on the machine that had it"
    die "--why: the URL is of partition ${part#p}, which $node has: ask there, with the --state that it was given"
  fi
  printf 'partition: %s%s\n' "${part#p}" "${node:+, with $node}"
  recall_machine "$here"
  state=$here
  explain "$url"
}

# recall_machine FOLDER: takes the options of the machine's last run, except those of a crawl on
# many; those given now come after.
recall_machine() {
  local kept=()
  mapfile -t kept < <(grep -vE '^--sched:(cluster|partitions?|partition-lease|node|terms|takes|again|retry|checkpoint|copies)=' -- "$1/options")
  sched=() filter=() robots=() normalize=(--with=userinfo) seeds=()
  parse_options "${kept[@]}"
  parse_options "${arguments[@]}"
  settle_options
}

# gather_partitions: makes a temporary state from the partitions whose states, or copies of them,
# are at hand.
gather_partitions() {
  local p from count said machine='' left=() logs=()
  count=$("$prefix"politeness-sched --cluster="${given[--cluster]}" --status 2>/dev/null | wc -l) && ((count > 0)) ||
    die "--report: the engine knows no crawl of that name, or is away: see --status"
  work=$(mktemp -d "${TMPDIR:-/tmp}/crawl.XXXXXX") ||
    die "cannot make a folder in ${TMPDIR:-/tmp}: let TMPDIR name another place"
  trap 'rm -rf -- "$work"' EXIT
  : >"$work/log"
  for ((p = 0; p < count; p++)); do
    from=$state/p$p/frontier
    if [[ ! -d $from/db && -d ${given[--copies]-} ]]; then
      from=$(find "${given[--copies]}" -maxdepth 1 -name "p$p-*-*[0-9]" | sort -V | tail -n 1)
    fi
    if [[ ! -d $from/db ]]; then left+=("$p") && continue; fi
    said=$({ "$prefix"politeness-sched --state="$from" --export | "$prefix"politeness-sched --state="$work/frontier" --import; } 2>&1) ||
      die "--report: cannot read the state in $(printf %q "$from"): $said"
  done
  for from in "$state"/node-*/log; do
    [[ -f $from ]] || continue
    cat -- "$from" >>"$work/log"
    from=${from%/log} logs+=("${from##*/node-}")
  done
  ((${#left[@]} < count)) || die "--report: no partition's state is in $(printf %q "$state")"
  # The costs of the stages of all pipelines.
  for from in "$state"/node-*/stages; do [[ ! -f $from ]] || cat -- "$from"; done |
    awk -F'\t' 'NF == 4 { cpu[$4] += $1; in_[$4] += $2; out[$4] += $3 }
      END { for (name in cpu) printf "%.0f\t%.0f\t%.0f\t%s\n", cpu[name], in_[name], out[name], name }' >"$work/frontier/stages"
  ((${#left[@]} == 0)) || say "--report: without the partitions ${left[*]}, whose states are on other machines"
  # Copies hold no pages: only the logs of the machines that fetched them do.
  if ((${#logs[@]} == 0)); then
    say "--report: without pages, as no machine's log is in $(printf %q "$state"): ask where node-NAME is"
  elif [[ -n ${given[--copies]-} ]]; then
    say "--report: with the pages of ${logs[*]}, whose logs are in $(printf %q "$state")"
  fi
  sched=()
  # All machines have the same options as far as they count here, so those of one do.
  for from in "$state"/node-*; do [[ ! -f $from/options ]] || machine=$from; done
  if [[ -n $machine ]]; then
    again=$(sed -n 's/^--sched:again=//p' -- "$machine/options")
    recall_machine "$machine"
  fi
  state=$work
}

# keep_pages: appends a machine's output to a file of its folder, as nobody reads its standard
# output. A line that a kill has torn off is cut away first: readers of the file would take half a
# record for a link.
keep_pages() {
  local pages=$state/pages all=${state%/*}
  # All machines that see the folder share one file of moved seeds, and one of what budgets have
  # counted.
  [[ " ${words[*]}" != *' --sched:partitions='* ]] ||
    { : >>"$all/adopted" && : >>"$all/booked" && ln -sfn -- ../adopted ../booked "$state"; } 2>/dev/null || die "cannot write $(printf %q "$all")"
  [[ ! -s $pages || -z $(tail -c 1 -- "$pages") ]] || truncate -s "-$(tail -n 1 -- "$pages" | wc -c)" -- "$pages" ||
    die "cannot write $(printf %q "$pages")"
  exec >>"$pages" || die "cannot write $(printf %q "$pages")"
}

# terms_word WORD: adds to run_cluster's `kept`, or `files`, what all machines must have in common
# of the word. Words about one machine or one run are left out; where a file counts by its contents,
# or gets pages, its name is the machine's own.
terms_word() {
  case $1 in
    --policy=* | --filter:policy=*) kept+=("${1%%=*}") && rule_files "${1#*=}" ;;
    --quiet | --json | --in-flight=* | --proxy=* | --metrics=* | --report=* | --max-time=* | --max-pages=* | --max-bytes=* | --retry-failed | --retry-blocked | --retry-outcome=*) ;;
    --params=* | --psl=* | --items=* | --normalize:params=* | --items:rules=*) kept+=("${1%%=*}") files+=("${1#*=}") ;;
    --store=* | --warc=* | --links=* | --items-to=* | --text-to=* | --rejected=* | --cookies=* | --auth=* | --copies=* | \
      --fetch:cookies=* | --fetch:cookie-jar=* | --fetch:auth=* | --fetch:ledger=* | --fetch:sign-key=* | --fetch:cert=* | --fetch:key=*)
      kept+=("${1%%=*}") ;;
    *) kept+=("$1") ;;
  esac
}

# rules_now: prints a digest of the files of rules.
rules_now() {
  local word kept=() files=()
  for word in "${words[@]}"; do terms_word "$word"; done
  cat -- "${files[@]}" /dev/null | sha256sum
}
# Stages that are restarted read the rules again: rules other than those on which all machines have
# agreed would refuse links, and lose the pages behind them.
check_rules() {
  local record
  [[ $(rules_now) != "$SPINNERET_RULES" ]] || return 0
  # A page already in flight must not get the blame for the pipeline's end, and be given up for it.
  ! IFS= read -rt 5 record || printf '%s\terror=the rules have changed\toutcome=aborted\n' "$record"
  die "the files of rules have changed since this machine began: put them back, or stop all machines, and go on under another name at the end of --cluster"
}

# Runs this machine's share of a crawl: one pipeline for all its partitions, in a folder of its own
# beside their states. What all machines must have in common goes along as a digest: the options,
# the rules, the seeds.
run_cluster() {
  local word file node=${given[--node]-$(uname -n)} count=${given[--partitions]-16} kept=() words_here=() files=() engine=() terms takes said tries status again=''
  [[ $count =~ ^[1-9][0-9]{0,3}$ ]] && ((count <= 4096)) || die "--partitions takes a number of 1 to 4096, not $(printf %q "$count")"
  ((${#seeds[@]})) || die "--cluster: give the seeds of the crawl: all machines are given the same"
  [[ ! -e $state/frontier/db ]] || die "--state: in $(printf %q "$state") is a crawl on one machine, and all of it would be asked for again beside it: name another --state"
  [[ $state != *'{}'* ]] || die "--state: {} is the number of a partition in the names of its files: name another folder, which all machines see, or each its own"
  [[ $node != *[/[:space:]]* ]] || die "--node takes a name without spaces and slashes"
  for word in "${words[@]}"; do
    [[ $word != --@(report|metrics|sched:@(report-file|metrics|stats|checkpoint))=* || $word == *'{}'* ]] ||
      die "--cluster: ${word%%=*} wants {} in its name, where the number of the partition goes"
    # Jars are written whole, so that two machines would overwrite each other's; and only one at a
    # time can pay from a ledger.
    [[ $word != --@(fetch:|)@(cookies|cookie-jar|ledger)=* || $word == *'{}'* ]] ||
      die "--cluster: ${word%%=*} wants {} in its name, where the name of the machine goes"
    [[ ! $word =~ ^--sched:(cluster|partitions?|partition-lease|node|copies|terms|takes|again|retry)(=|$) ]] ||
      die "--cluster: ${word%%=*} is set by crawl itself: give --cluster, --partitions, --partition-lease, --node or --copies"
    case $word in
      --cluster=* | --partitions=* | --partition-lease=* | --node=* | --state=*) continue ;;
    esac
    terms_word "$word"
    [[ $word != --retry-@(failed|blocked|outcome=*) ]] || continue
    # Files of a machine, unlike those of a partition, bear its name.
    [[ $word == --@(report|metrics|sched:*)=* ]] || word=${word//'{}'/"$node"}
    words_here+=("$word")
  done
  for word in "${words[@]}"; do
    [[ $word != --@(max-bytes|sched:max-total-pages)=* ]] || say "$word counts for each of $count partitions by itself"
  done
  if [[ -n ${given[--copies]-} ]]; then
    word=${given[--copies]}
    [[ -d $word || ($word == */* && -x $word) ]] ||
      die "--copies takes a folder that all machines see, or the path of a program, and $(printf %q "$word") is neither"
    [[ $scope == any || $scope == *,fixed ]] ||
      die "--copies: what a seed's redirect adds to the scope would be lost with a machine: give --scope=$scope,fixed or any"
    ! grep -qshE '^[[:space:]]*(budget|max-offsite-hops)[[:space:]]' -- "${files[@]}" /dev/null && [[ " ${words[*]}" != *'rule='*(budget|max-offsite-hops)* ]] ||
      say "--copies: each machine counts budgets and max-offsite-hops by itself, which may give more pages than one machine would have, or fewer"
  fi
  # Each partition's state records it, whichever machine has the state now, and whatever its files
  # are called.
  takes=$({ taken_of "${words[@]}" | sed -E 's/^(--([a-z]+:)?(policy|params|psl|items|rules))=.*/\1/' && cat -- "${files[@]}" /dev/null; } | sha256sum) || die "cannot read the rules"
  for file in "${seeds[@]}"; do
    [[ $file != - ]] || die "--cluster: all machines read the same seeds; name their file"
    if [[ $file == *://* ]]; then kept+=("$file"); else files+=("$file"); fi
  done
  find_tools
  read_seeds
  require_identity
  export SPINNERET_AGENT=$agent SPINNERET_CONTACT=$contact
  terms=$({ printf '%s\n' "$agent" "${kept[@]}" && cat -- "${files[@]}" /dev/null; } | sha256sum) ||
    die "cannot read the rules and seeds"
  SPINNERET_RULES=$(rules_now) || die "cannot read the rules"
  export SPINNERET_RULES
  # The engine is checked before a crawl trusts it, and before there is a state; later a replica may
  # be away.
  for tries in 1 2 3; do
    status=0 said=$("$prefix"link-bus --check="${given[--cluster]}" 2>&1) || status=$?
    # An engine whose connection broke amid the answers may be asked again.
    ((status == 2)) && [[ $said == 'ok '* ]] || break
  done
  ((status == 0)) || {
    ((status != 1)) || [[ $said != *'no crawl named'* ]] ||
      die "--cluster: the engine is not one that a crawl can trust:"$'\n'"$(grep '^bad' <<<"$said")"
    [[ $said != 'link-bus: --check: '* ]] || die "--cluster: $(head -n 1 <<<"${said#link-bus: --check: }")"
  }
  # (A machine that was refused has left its options behind, too.)
  said=$({ cat -- "$state"/node-*/options 2>/dev/null || true; } | sed -n 's/^--sched:partitions=//p' | sort -u)
  if [[ -n $said && $'\n'$said$'\n' != *$'\n'$count$'\n'* ]] && compgen -G "$state/p*/frontier/db" >/dev/null; then
    die "--partitions: the states in $(printf %q "$state") are of a crawl in ${said%%$'\n'*} partitions, and not in $count: hosts would be in two of them; name another --state, or split them (man spinneret-cluster, Twice as many partitions)"
  fi
  # States may be elsewhere, and arrive later; what belongs to the machine is here.
  [[ -z ${given[--retry-failed]+x} ]] || { again=failed && state=$state/node-$node forget_silence; }
  again+=,$(outcomes_to_retry)
  again=${again#,} again=${again%,}
  [[ -z $again ]] || words_here+=("--sched:retry=$again")
  # Unlike a crawl on one machine, it must be given all options again, in the same order on all
  # machines.
  again="${prefix}crawl --state=$(printf %q "$state")"
  for word in "${words[@]}"; do
    [[ $word =~ $secrets|^--(state=|quiet$|json$|report|retry-(failed$|blocked$|outcome=)) ]] || again+=" $(printf %q "$word")"
  done
  again+=" --retry-failed$(printf ' %q' "${seeds[@]}")"
  words_here+=("--sched:cluster=${given[--cluster]}" "--sched:partitions=$count"
    "--sched:partition-lease=${given[--partition-lease]-10s}" "--sched:terms=${terms:0:16}" "--sched:takes=${takes:0:16}" "--sched:again=$again"
    ${given[--node]+"--sched:node=${given[--node]}"})
  [[ -z ${given[--checkpoint-every]+x} ]] || words_here+=("--sched:checkpoint=$state/p{}/checkpoint")
  say "page records go to $(printf %q "$state/node-$node")/pages"
  # The tools have been found, and built, already.
  SPINNERET_BIN=${PATH%%:*} exec "$BASH" "$self" "--state=$state/node-$node" "${words_here[@]}" -- "${seeds[@]}"
}
