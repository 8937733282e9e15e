#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A list over many machines: the parts of url-filter --shard, and the recipes of spinneret-scale(7). Each recipe runs as
# the page has it, with split(1) in the place of its scheduler.
load helper
load examples

# Makes lines of all sorts: many sites, repeats, settled records, and some that are no URLs.
setup() {
  awk 'BEGIN {
    for (i = 0; i < 600; i++) {
      site = "site" i % 97 ".example"
      printf "%s://%s.%s%s/%d%s\n", i % 3 ? "http" : "https", i % 2 ? "www" : "a.b", site, i % 5 ? "" : ":8080", i % 150, i % 7 ? "" : "\tdepth=1"
    }
    print "http://host.example/x\toutcome=ok\tstatus=200"; print "mailto:me@example.org"; print "http://[2001:db8::1]/"
  }' >urls
}

# recipe TITLE [NUMBER]: prints the literal block of the recipe.
recipe() { block spinneret-scale.7 "$@"; }

# --- parts ------------------------------------------------------------------------------------------

@test "--shard: every line is of exactly one part, and parts come out as one run does" {
  local i n
  printf 'http://[bad/\nno url\n' >>urls
  url-filter --traps --exclude=/7 <urls 2>/dev/null | sort >whole || true
  for n in 1 2 4 7 64; do
    rm -f part.*
    for ((i = 0; i < n; i++)); do
      url-filter --shard=$i/$n --traps --exclude=/7 <urls >part.$i 2>>part.messages || true
    done
    sort part.[0-9]* | diff whole -
    (($(wc -l <part.messages) == 2)) || { cat part.messages; false; }
    # A part keeps the order of the lines.
    grep -nxFf part.0 urls | cut -d: -f2- | diff part.0 -
  done
}

@test "--shard: a registrable domain is of one part, and parts 2p and 2p+1 of 2N are part p of N" {
  local p
  for p in 0 1 2 3; do url-filter --shard=$p/4 urls | url-normalize -g '{domain}' | sort -u >domains.$p; done
  [ -z "$(sort domains.? | uniq -d)" ]
  for p in 0 1 2 3; do
    { url-filter --shard=$((2 * p))/8 urls; url-filter --shard=$((2 * p + 1))/8 urls; } | sort >halves
    url-filter --shard=$p/4 urls | sort | diff - halves
  done
}

@test "--shard: lines of other parts are no refusals; a refused line of one's own is one" {
  run -0 url-filter --shard=1/4 https://example.org/
  [ "$output" = https://example.org/ ]
  run -0 url-filter --shard=0/4 --exclude=. https://example.org/
  [ -z "$output" ]
  run -1 url-filter --shard=1/4 --exclude=. https://example.org/
  run -0 url-filter --shard=1/4 --exclude=. --refused-ok https://example.org/
}

@test "--shard: budgets of hosts and domains come out as in one run" {
  local i
  url-filter -e 'budget domain 2' <urls >whole 2>/dev/null || true
  (($(wc -l <whole) < 250))
  for i in 0 1 2; do url-filter --shard=$i/3 -e 'budget domain 2' <urls 2>/dev/null || true; done | sort >parts
  sort whole | diff - parts
}

@test "--shard: rows of a table are of one part each, and the header of all" {
  local i
  printf 'id,url\n' >t.csv
  awk '{ print NR ",http://site" NR % 13 ".example/" }' <(seq 50) >>t.csv
  printf '51,\n52\n53,no url\n' >>t.csv
  for i in 0 1 2; do
    url-filter --csv --header --shard=$i/3 t.csv >part.$i 2>/dev/null || true
    [ "$(head -n 1 part.$i)" = id,url ]
  done
  tail -qn +2 part.? | sort | diff <(tail -n +2 t.csv | sort) -
  run -2 url-filter --csv --field=a --field=b --shard=0/2 t.csv
  [[ $output == *"goes by one URL a row"* ]]
}

@test "--shard: what is no part is told with what would be one" {
  local bad
  for bad in 4/4 0/0 x/4 3 1/2/3 -1/4 0/99999999; do
    run -2 --separate-stderr url-filter --shard=$bad urls
    [[ -z $output && $stderr == *"--shard: "* ]] || { echo "$bad: $stderr"; false; }
  done
  run -2 url-filter --shard=64/64 urls
  [[ $output == *"of 64 parts the last is 63: they are counted from 0"* ]]
  for bad in --before-fetch --hits --check --diff=p --why-not=http://h/ --convert=hosts; do
    run -2 url-filter --shard=0/2 "$bad" <urls
    [[ $output == *"--shard cuts a list, and does not go with "* || $output == *"--convert reads no URLs, and does not go with --shard"* ]] || { echo "$bad: $output"; false; }
  done
  # A crawl refuses --shard, since it would wait for pages that a part has dropped.
  run -2 "$SPINNERET_ROOT/scripts/crawl" --state=s --filter:shard=0/2 http://127.0.0.1:9/
  [[ $output == *"nothing is crawled"* && ! -e s ]]
}

@test "--psl-digest: another public suffix list is refused, its comments are none of it" {
  printf '// VERSION: 2026-01-01\ncom\nexample\n' >one.psl
  printf 'example\n\n// another order\ncom\n' >two.psl
  printf 'example\ncom\nsite1.example\n' >other.psl
  run -0 --separate-stderr url-filter --psl=one.psl --shard=0/2 --verbose /dev/null
  local digest=${stderr##* }
  [[ $digest =~ ^[0-9a-f]{16}$ ]]
  run -0 url-filter --psl=two.psl --psl-digest="$digest" --shard=0/2 /dev/null
  run -2 url-filter --psl=other.psl --psl-digest="$digest" --shard=0/2 urls
  [[ $output == *"the public suffix list here has the digest "* && $output != *"$digest"* ]]
  # Hosts below a domain that is a public suffix are not kept together.
  printf '%s\n' http://{a,b,c,d,e,f,g,h}.site1.example/ >hosts
  (($(url-filter --psl=one.psl --shard=0/2 hosts | wc -l) % 8 == 0))
  (($(url-filter --psl=other.psl --shard=0/2 hosts | wc -l) % 8 != 0))
}

# --- recipes ----------------------------------------------------------------------------------------

@test "GNU parallel: the recipe gives the bytes of one run; without --refused-ok it fails" {
  command -v parallel >/dev/null || skip "no GNU parallel"
  export SHELL=/bin/sh
  recipe 'GNU parallel' >run.sh
  sed -i 's/--block 16M/--block 4K/' run.sh
  bash -eu run.sh 2>/dev/null
  url-normalize --refused-ok <urls | cmp - normal
  url-filter --traps --refused-ok normal | sort | diff - <(sort part.[0-3])
  echo 'http://[bad/' >>urls
  bash -eu run.sh 2>/dev/null
  sed 's/ --refused-ok//' run.sh >trap.sh
  run ! bash -eu trap.sh
}

# array SCRIPT VARIABLE: runs its four tasks one after the other; fails at the first that fails.
array() {
  local i
  for i in 0 1 2 3; do env "$2=$i" bash "$1" 2>/dev/null || return; done
}

@test "Slurm: the tasks of the array together give one run; without --refused-ok one fails, and leaves nothing half" {
  recipe Slurm | sed 's/^parts=64$/parts=4/' >job.sh
  array job.sh SLURM_ARRAY_TASK_ID
  url-normalize --refused-ok <urls | url-filter --refused-ok --traps >whole
  cat normal.[0-3] | cmp whole -
  rm normal.*
  echo 'http://[bad/' >>urls
  sed 's/ --refused-ok//' job.sh >trap.sh
  run ! array trap.sh SLURM_ARRAY_TASK_ID
  [ ! -e normal.3 ]
  array job.sh SLURM_ARRAY_TASK_ID
  [ -e normal.3 ]
}

# manifest TITLE: prints the page's manifest as lines "path = value".
manifest() {
  perl -MCPAN::Meta::YAML -e '
    sub show { my ($at, $it) = @_;
      if (ref $it eq "HASH") { show("$at.$_", $it->{$_}) for sort keys %$it }
      elsif (ref $it eq "ARRAY") { show("$at\[$_]", $it->[$_]) for 0 .. $#$it }
      else { (my $text = $it) =~ s/\n/\\n/g; print "$at = $text\n" } }
    local $/; show("", CPAN::Meta::YAML->read_string(<STDIN>)->[0])' < <(recipe "$1")
}
# container_script TITLE: prints the script that its container runs.
container_script() { manifest "$1" | sed -n 's/^\.spec\.template\.spec\.containers\[0\]\.command\[4\] = //p' | sed 's/\\n/\n/g'; }

@test "Kubernetes Indexed Job: the manifest has its form, and its pods together give one run" {
  manifest Kubernetes >form
  local line
  for line in '.apiVersion = batch/v1' '.kind = Job' '.spec.completionMode = Indexed' '.spec.completions = 64' \
    '.spec.template.spec.restartPolicy = Never' '.spec.template.spec.containers[0].command[3] = -c' \
    '.spec.template.spec.containers[0].volumeMounts[0].name = data' '.spec.template.spec.volumes[0].name = data'; do
    grep -qxF -- "$line" form || { echo "not there: $line"; cat form; false; }
  done
  # There are as many parts as completions.
  container_script Kubernetes | grep -qx "parts=$(sed -n 's/^\.spec\.completions = //p' form)"
  { echo 'set -euo pipefail'; container_script Kubernetes | sed 's/^parts=64$/parts=4/'; } >pod.sh
  array pod.sh JOB_COMPLETION_INDEX
  cat normal.[0-3] | cmp <(url-normalize --refused-ok <urls) -
}

@test "Kubernetes StatefulSet: the manifest has its form, and its pods take each seed once" {
  manifest 'Kubernetes, a crawl' >form
  local line i
  for line in '.apiVersion = apps/v1' '.kind = StatefulSet' '.spec.replicas = 8' '.spec.serviceName = crawl' \
    '.spec.selector.matchLabels.app = crawl' '.spec.template.metadata.labels.app = crawl' \
    '.spec.volumeClaimTemplates[0].metadata.name = state' '.spec.volumeClaimTemplates[0].spec.accessModes[0] = ReadWriteOncePod' \
    '.spec.template.spec.containers[0].volumeMounts[0].name = state' '.spec.template.spec.volumes[0].name = seeds'; do
    grep -qxF -- "$line" form || { echo "not there: $line"; cat form; false; }
  done
  container_script 'Kubernetes, a crawl' | grep -qx "parts=$(sed -n 's/^\.spec\.replicas = //p' form)"
  # crawl takes these options, and would crawl these seeds.
  mkdir -p bin
  printf '#!/bin/sh\nexec "%s/scripts/crawl" "$@" --dry-run\n' "$SPINNERET_ROOT" >bin/crawl
  chmod +x bin/crawl
  sed -i '/^http/!d; s/\t.*//' urls
  { echo 'set -euo pipefail'; container_script 'Kubernetes, a crawl' | sed 's|/seeds/seeds|../urls|; s| > /dev/null| > sent|'; } >pod.sh
  for i in 0 1 2 3 4 5 6 7; do
    mkdir -p pod.$i
    (cd pod.$i && PATH=$BATS_TEST_TMPDIR/bin:$PATH HOSTNAME=crawl-$i bash ../pod.sh 2>messages) || { cat pod.$i/messages; false; }
  done
  sort pod.?/seeds | diff <(sort urls) -
}

# Works as Hadoop streaming does: each piece goes through the mapper, lines go to the reducers by key, a key without a
# value gets a tab, and a task whose status is not 0 fails the job.
fake_mapred() {
  mkdir -p bin
  cat >bin/mapred <<'SH'
#!/usr/bin/env bash
set -euo pipefail
while (($#)); do case $1 in -mapper) mapper=$2; shift ;; -reducer) reducer=$2; shift ;; -input) in=$2; shift ;; -output) out=$2; shift ;; -D | -partitioner) shift ;; esac; shift; done
mkdir "$out"
for i in 1 2 3; do split -n l/$i/3 "$in" | bash -c "$mapper" >"$out/map.$i"; done
sed '/\t/!s/$/\t/' "$out"/map.* | sort -t$'\t' -k1,1 -s |
  awk -F'\t' -v out="$out" '{ print > (out "/reduce." length($1) % 3) }'
for i in 0 1 2; do touch "$out/reduce.$i"; bash -c "$reducer" <"$out/reduce.$i" >"$out/part-$i"; done
SH
  chmod +x bin/mapred
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

@test "Hadoop streaming: the recipe gives the URLs of one run; without --refused-ok it fails" {
  fake_mapred
  recipe 'Hadoop streaming' >job.sh
  bash -eu job.sh 2>/dev/null
  cut -f1 normal/part-* | sort | diff <(url-normalize --refused-ok <urls | dedupe | cut -f1 | sort) -
  rm -r normal
  echo 'http://[bad/' >>urls
  sed 's/ --refused-ok//' job.sh >trap.sh
  run ! bash -eu trap.sh
  rm -r normal
  bash -eu job.sh 2>/dev/null
  # The recipe that fetches: its options are fetch's.
  recipe 'Hadoop streaming' 2 | sed -n "s/.*-reducer '\(.*\)'/\1/p" >reducer
  grep -q '^fetch ' reducer
  run -0 bash -c "$(cat reducer)" </dev/null
}

@test "Spark: the recipe gives the bytes of one run; without --refused-ok it throws" {
  mkdir -p pyspark
  cat >pyspark/__init__.py <<'PY'
import os, shlex, subprocess
class RDD:
    def __init__(self, pieces): self.pieces = pieces
    def pipe(self, command, env=None, checkCode=False):
        return RDD([subprocess.run(shlex.split(command), input=piece, stdout=subprocess.PIPE, check=checkCode).stdout for piece in self.pieces])
    def saveAsTextFile(self, path):
        os.mkdir(path)
        for i, piece in enumerate(self.pieces): open(f"{path}/part-{i}", "wb").write(piece)
class SparkContext:
    def __init__(self, appName): pass
    def textFile(self, path):
        return RDD([subprocess.check_output(["split", "-n", f"l/{i}/3", path]) for i in (1, 2, 3)])
PY
  recipe Spark >job.py
  PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 python3 job.py
  cat normal/part-? | cmp <(url-normalize --refused-ok <urls) -
  echo 'http://[bad/' >>urls
  sed 's/ --refused-ok//; s/"normal")$/"trap")/' job.py >trap.py
  PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 run ! python3 trap.py
}
