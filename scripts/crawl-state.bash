# SPDX-License-Identifier: Apache-2.0
# What a run of scripts/crawl, which sources this file, keeps in its state, and how it goes on from
# an earlier run's. Reads given, words, seeds, fresh, state, where and the arrays of the stages.
# shellcheck shell=bash disable=SC2034,SC2154  # what is said here is read there, and the other way round

# Options whose words may hold a password.
secrets='^--(fetch:|header|proxy)'

# draft NAME COMMAND...: makes a file of the state. All drafts take their places at once, each whole
# or not at all.
draft() {
  "${@:2}" 2>/dev/null >"$state/.new/$1" || die "cannot write $(printf %q "$state/$1"): $(blame "$state/.new/$1")"
}

# blame FILE: says why it could not be written; the shell's message does not tell one reason from
# another.
blame() {
  if [[ -w $1 && -r $1 || ! -e $1 && -w ${1%/*} && -x ${1%/*} ]]; then
    printf 'is the disk full?'
  else
    printf 'it may not be read and written here, with a umask of %s; remove what was made, and set another umask or name another place' "$(umask)"
  fi
}

# outwait_dead: takes the lock of the state after a killed crawl: its scheduler takes a while to die
# where it has much in memory, or waits for a disk.
outwait_dead() {
  local holder
  holder=$(head -c 20 -- "$state/lock" | tr -dc 0-9)
  [[ -n $holder ]] && ! grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$holder/status" || return 1
  say "waiting for the scheduler of process $holder, which was killed, to end"
  flock -w 60 "$lock"
}

# Writes the run's changes to the state, once nothing can refuse the run any more. The options are
# kept for whoever looks into the state, except those of fetch, which may hold a password, and those
# that ask for something at once.
write_state() {
  local kept=()
  mapfile -t kept < <(kept_words)
  draft seeds all_seeds
  draft scope scope_of "$state/.new/seeds"
  [[ -z ${given[--sitemaps]+x} && ! -s $state/sitemaps ]] || draft sitemaps sitemaps_of "$state/.new/seeds"
  draft identity printf '%s\n' "$agent" "$contact"
  draft options printf '%s\n' "${kept[@]}"
  draft unkept unkept_names
  draft begun-in printf '%s\n' "$PWD"
  draft rules-digests printf '%s\n' "${rules[@]}"
  ((whole_before == 0)) || draft whole-before printf '%s\n' "$whole_before"
  # The file that marks a crawl of this kind exists before anything that a killed run leaves behind.
  [[ -z ${given[--check-links]+x} || -e $state/links ]] || draft links :
  local first=${given[--sitemaps]-no}
  [[ ! -s $state/sitemaps ]] || first=no
  mv -t "$state" -- "$state/.new/"* || die "cannot write $(printf %q "$state")"
  [[ $first == no ]] || known_sitemaps >>"$state/sitemaps" || die "cannot write $(printf %q "$state/sitemaps")"
}

# named_sitemaps HOSTS: prints the sitemaps that the robots.txt files of that many hosts name, as
# links on these.
named_sitemaps() {
  [[ -d $state/robots ]] || return 0
  find "$state/robots" -type f 2>/dev/null | head -n "$1" | tr '\n' '\0' |
    { xargs -0r "$prefix"robots-check --list=sitemaps /dev/null || true; } | awk -F'\t' '
      { file = via = ""; for (i = 2; i <= NF; i++) if (index($i, "file=") == 1) file = substr($i, 6)
        while (via == "" && (getline line <file) > 0) if (sub(/^source: /, "", line)) via = line
        close(file); print $1 "\tdepth=1\tvia=" via "\tpurpose=sitemap" }'
}
# A known robots.txt is not asked for again before it expires, if at all. In the first run that
# reads sitemaps, those that it names are taken from it here, as they would be with a new
# robots.txt.
known_sitemaps() {
  named_sitemaps 1000000 | "${normalize[@]}" | { "${filter[@]}" || (($? == 1)); } | sed '/\toutcome=/d'
}

# Prints the words of this run that are kept: none that may be a secret. Of such an option only the
# name is kept: whoever goes on without a proxy or a login would otherwise learn of it only by the
# pages.
kept_words() {
  local word
  echo --delay=1s
  for word in "${words[@]}"; do
    [[ $word =~ $secrets|^--(state=|quiet|json|retry-(failed$|blocked$|outcome=)) ]] || printf '%s\n' "$word"
  done
}
unkept_names() {
  local word
  for word in "${words[@]}"; do [[ ! $word =~ $secrets ]] || printf '%s\n' "${word%%=*}"; done | sort -u
}
# Prints the secret options of the last run that this one was not given.
missing_secrets() {
  local name out=''
  [[ -f $state/unkept ]] || return 0
  while read -r name; do [[ " ${words[*]}" == *" $name"@(|[ =]*) ]] || out+=" $name"; done <"$state/unkept"
  printf '%s' "$out"
}

# retry_command WORD...: prints the command that gives failed hosts and URLs another chance, with
# all else unchanged.
retry_command() {
  local word out
  out="${prefix}crawl --state=$(printf %q "$state")"
  for word; do
    [[ $word =~ ^--(state=|delay=1s$|report|agent=|contact=) ]] || out+=" $(printf %q "$word")"
  done
  printf '%s --retry-failed' "$out"
}

# not_from_elsewhere WORD...: dies where words name files relative to another folder which still
# exists: from here they would be other files, or none. (A folder that was moved has taken them
# along.)
not_from_elsewhere() {
  local word folder
  folder=$(cat -- "$state/begun-in" 2>/dev/null) || return 0
  [[ -d $folder && ! $folder -ef . ]] || return 0
  for word; do
    [[ ! $word =~ ^--([a-z]+:)?(policy|deny-list|seeds|psl|params|items|rules|auth|cookies|baseline|ignore|cache|store|warc|report|metrics|stats|links|edges|rejected|items-to|text-to)=[^/] ]] ||
      die "the last run was in $(printf %q "$folder"), and names a file from there: $(printf %q "$word"); go on there, or give options"
  done
}

# A run without seeds and options of its own takes those of the last one: otherwise it would judge
# what waits by no policy, in another scope, and for good.
take_last_options() {
  local word kept=() as missing kept_in=("$state/options")
  # A partition has no options of its own: they are in the folder of its machine, beside it.
  [[ ! ${state%/} =~ (^|/)p[0-9]+$ ]] || kept_in+=("$state"/../node-*/options)
  [[ " ${words[*]}" == *' --sched:partition'?(s)=* ]] || ! grep -qsE '^--sched:partitions?=' -- "${kept_in[@]}" ||
    die "$(printf %q "$state") is a part of a crawl of several machines: go on with the command that began it"
  [[ -f $state/options && ${#seeds[@]} == 0 ]] || return 0
  for word in "${words[@]}"; do
    [[ $word =~ $secrets|^--(state=|quiet$|json$|dry-run$|retry-(failed$|blocked$|outcome=)|agent=|contact=) ]] || return 0
  done
  missing=$(missing_secrets)
  [[ -z $missing || -n ${given[--dry-run]+x} ]] ||
    die "the last run had$missing: not kept, since it may hold a secret; give it again, or what this run is to have instead, such as --delay=1s"
  mapfile -t kept < <(grep -vE '^--(state|agent|contact)=' -- "$state/options")  # who crawls is in identity
  not_from_elsewhere "${kept[@]}"
  place="$(printf %q "$state/options"): "
  parse_options "${kept[@]}"
  place=''
  settle_options
  as=$(retry_command "${kept[@]}")
  say "going on as the last run did: ${as% --retry-failed}"
}

# Whoever goes on with other and fewer options may have forgotten some.
tell_what_is_missing() {
  local word missing last=()
  missing=$(missing_secrets)
  [[ -f $state/options && -z $fresh ]] || return 0
  mapfile -t last <"$state/options"
  for word in "${last[@]}"; do
    [[ $word =~ ^--(state=|delay=1s$|report|agent=|contact=|max-(pages|bytes|time)=) || -n ${given[${word%%=*}]+x} || " ${words[*]} " == *" $word "* ]] ||
      missing+=" $(printf %q "$word")"
  done
  [[ -z $missing ]] || say "the last run had$missing too; to go on as it did, stop this one and give what it lacks"
}

# The scheduler takes --checkpoint-every only with --checkpoint, whatever it is asked. By itself
# --checkpoint makes a copy, and no crawl.
settle_checkpoint() {
  if [[ " ${sched[*]} " != *' --checkpoint'[=\ ]* ]]; then
    [[ -z ${given[--checkpoint-every]+x} ]] || sched+=(--checkpoint="$state/checkpoint")
  elif [[ " ${sched[*]}" != *' --checkpoint-every='* ]]; then
    die "--sched:checkpoint says where copies go: it goes with --checkpoint-every=TIME"
  fi
}

# rules_of WORD...: prints the words that say what is kept out.
rules_of() {
  local word name
  for word; do
    name=${word%%=*}
    if [[ ${where[$name]-} == @(filter|robots)* || $name =~ ^--(scope|ignore-robots|allow|allow-private|filter:.*|robots:.*)$ ]]; then
      printf '%s\n' "$word"
    fi
  done | sort
}
# taken_of WORD...: prints the words that say what is taken from fetched pages: which links are
# followed, and what else is kept. Where it goes does not matter: a new file begins with the next
# pages.
taken_of() {
  local word name
  for word; do
    name=${word%%=*}
    case $name in
      --store | --warc | --links | --items-to | --text-to) printf '%s\n' "$name" ;;
      --scope | --follow-nofollow | --content-seen | --check-links | --sitemaps | --filter:* | --normalize:* | --content:* | --items:* | \
        --text:* | --extract:*) printf '%s\n' "$word" ;;
      *) [[ ! ${where[$name]-} =~ ^(.*,)?(filter|extract|normalize|items)(:.*)?(,|$) ]] || printf '%s\n' "$word" ;;
    esac
  done | sort
}
# Prints, with commas between, the outcomes that pages may have had because of options that differ
# from the last run's. Of possible secrets only the name was kept.
outcomes_of_change() {
  local pair name word out='' now=" ${words[*]} " unkept=' '
  local -A was=()
  for word in "${last[@]}"; do [[ $word != *=* ]] || was[${word%%=*}]=${word#*=}; done
  [[ ! -f $state/unkept ]] || unkept=" $(tr '\n' ' ' <"$state/unkept") "
  for pair in --max-size=too-large --types=unsupported-type --auth=forbidden --fetch:max-price=payment-required; do
    name=${pair%=*}
    case $name in
      --fetch:*) [[ $now == *" $name="* && $unkept != *" $name "* ]] || continue ;;
      *) [[ ${given[$name]-} != "${was[$name]-}" ]] || continue ;;
    esac
    out+=,${pair##*=}
  done
  printf '%s' "${out#,}"
}
# digest_of FILE...: prints a digest of their contents. Times would not do: a file that mv or rsync
# puts in another's place may be older.
digest_of() {
  local file there=()
  for file; do [[ ! -f $file || ! -r $file ]] || there+=("$file"); done
  ((${#there[@]} == 0)) || cat -- "${there[@]}" | cksum
}
# Compares the rules with those of the last run. URLs that wait are judged by the rules of this run;
# those kept out by earlier rules are not judged again, and visited pages are not visited again for
# new rules. Where pages are taken otherwise now, sets whole_before, in seconds. Sets rules, of the
# policies and of --items.
compare_with_last() {
  local last=() files=() sets=() was=() newer='' looks='' other='' before word
  for word in "${filter[@]}"; do
    [[ $word != --policy=* ]] || rule_files "${word#*=}"
    [[ $word != --deny-list=* ]] || files+=("${word#*=}")
  done
  for word in "${items[@]}"; do [[ $word != --rules=* ]] || sets+=("${word#*=}"); done
  rules=("$(digest_of "${files[@]}")" "$(digest_of "${sets[@]}")")
  whole_before=0
  [[ -f $state/options ]] || return 0
  mapfile -t last <"$state/options"
  if [[ -f $state/whole-before ]]; then whole_before=$(head -c 20 -- "$state/whole-before" | tr -dc 0-9); fi
  if [[ -f $state/rules-digests ]]; then
    mapfile -t was <"$state/rules-digests"
    [[ ${was[0]-} == "${rules[0]}" ]] || newer=policy
    [[ ${was[1]-} == "${rules[1]}" ]] || looks=items
  else  # earlier versions kept no digests
    for word in "${files[@]}"; do [[ ! $word -nt $state/options ]] || newer=policy; done
    for word in "${sets[@]}"; do [[ ! $word -nt $state/options ]] || looks=items; done
  fi
  before=$(taken_of "${last[@]}")
  if [[ -n $newer$looks || $before != "$(taken_of "${words[@]}")" ]]; then
    whole_before=$((EPOCHSECONDS + 1))  # the last page before may have come in this second
  fi
  [[ -d $state/frontier ]] || return 0
  # Effects of rules are reported below.
  while read -r word; do [[ $word == --sitemaps || -n $(rules_of "$word") || " $other " == *" ${word%%=*} "* ]] || other+=" ${word%%=*}"; done < <(
    comm -3 <(printf '%s\n' "$before") <(taken_of "${words[@]}") | sed -n 's/\t//; /./p'
  )
  [[ -z $other$looks || -n ${given[--recrawl]+x} ]] ||
    say "the last run took other things from its pages (${other:+${other# }}${looks:+${other:+ }the rules of --items}): those stay as they came until they are visited again (--recrawl)"
  if [[ -z ${given[--retry-outcome]+x} ]]; then
    before=$(outcomes_of_change)
    [[ -z $before ]] || say "the last run took other pages: what came to $before then keeps that outcome without --retry-outcome=$before"
  fi
  [[ -z ${given[--retry-blocked]+x} ]] || return 0
  # A robots.txt may have other rules for another name.
  if [[ -z ${given[--ignore-robots]+x} && $(sed -n 1p -- "$state/identity") != "$agent" ]]; then newer=agent; fi
  [[ -n $newer || $(rules_of "${last[@]}") != "$(rules_of "${words[@]}")" ]] || return 0
  say "the rules are not those of the last run: URLs that those blocked stay so without --retry-blocked, and links that they refused come again with their pages (--recrawl)"
}

# Lets hosts that were down be asked again, even where their robots.txt failed a moment ago: that
# would count as an answer for five minutes.
forget_silence() {
  [[ ! -d $state/robots || " ${robots[*]}" == *' --stale='* ]] ||
    { grep -rlZ '^unreachable: ' -- "$state/robots" || true; } | xargs -0r rm -f --
}

# Prints the outcomes with commas between, or nothing.
outcomes_to_retry() {
  local outcomes=${given[--retry-outcome]-}
  [[ -z ${given[--retry-blocked]+x} ]] || outcomes+=,blocked-by-robots,blocked-by-policy,refused-address
  printf '%s' "${outcomes#,}"
}

# give_another_chance FRONTIER: for what failed in it, or was kept out, where that is asked for.
give_another_chance() {
  if [[ -n ${given[--retry-failed]+x} ]]; then
    forget_silence
    "$prefix"politeness-sched --state="$1" --clear-errors || return
  fi
  local again
  again=$(outcomes_to_retry)
  [[ -z $again ]] || "$prefix"politeness-sched --state="$1" --clear-outcome="$again"
}

# rule_files POLICY: adds the policy to the caller's `files`, and the rules, lists and seeds that it
# names.
rule_files() {
  local verb rest name known
  for known in "${files[@]}"; do [[ $known != "$1" ]] || return 0; done
  files+=("$1")
  [[ -r $1 ]] || return 0  # url-filter says so
  while read -r verb rest || [[ -n $verb ]]; do
    while [[ $rest =~ ^[[:blank:]]*(\"(([^\"\\]|\\.)*)\"|([^[:blank:]#\"][^[:blank:]]*)) ]]; do
      rest=${rest:${#BASH_REMATCH[0]}}
      name=${BASH_REMATCH[2]//\\\"/\"} name=${name//\\\\/\\}${BASH_REMATCH[4]}
      if [[ $name != /* && $1 == */* ]]; then name=${1%/*}/$name; fi
      if [[ $verb == include ]]; then rule_files "$name"; else files+=("$name"); fi
    done
  done < <(sed -nE '1s/^\xef\xbb\xbf//; s/\r$//; s/^[[:blank:]]*(include|seeds|(allow|deny|tag)-(domain-)?list)[[:blank:]]+/\1 /p' -- "$1")
}
