#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The whole loop on real pages: two documentation packages behind nginx, judged by the server's own log. Every reachable
# allowed page is asked for exactly once, robots.txt first, no disallowed page, no gap too short; also with kill -9 of
# the whole group or of one stage in the middle.

load ../cli/helper
load site

DISALLOWED=(/python/whatsnew/ /postgresql/sql-)

setup_file() {
  local docs=$BATS_FILE_TMPDIR/docs
  # The versions are those of this Debian release.
  local python=(/usr/share/doc/python3.*[0-9]/html) postgresql=(/usr/share/doc/postgresql-doc-*/html)
  [[ -d ${python[0]} ]] || skip "no documentation of Python: apt-get install python3-doc"
  [[ -d ${postgresql[0]} ]] || skip "no documentation of PostgreSQL: apt-get install postgresql-doc"
  mkdir -p "$docs"
  chmod 755 "$BATS_FILE_TMPDIR" "$docs"
  ln -s "${python[0]}" "$docs/python"
  ln -s "${postgresql[0]}" "$docs/postgresql"
  echo '<a href="python/index.html">Python</a> <a href="postgresql/index.html">PostgreSQL</a>' >"$docs/index.html"
  {
    echo 'User-agent: *'
    printf 'Disallow: %s\n' "${DISALLOWED[@]}"
  } >"$docs/robots.txt"
  python3 "$SPINNERET_ROOT/tests/loop/reachable.py" "$docs" "${DISALLOWED[@]}" | sort >"$BATS_FILE_TMPDIR/reachable"
  (($(wc -l <"$BATS_FILE_TMPDIR/reachable") > 1000))
}

setup() {
  [[ -f $BATS_FILE_TMPDIR/reachable ]] || skip "documentation packages are missing"
  start_site "$BATS_FILE_TMPDIR/docs"
}

crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private "$@" 3>&-
}

# lost: prints reachable pages that were never asked for.
lost() { asked | sort -u | comm -23 "$BATS_FILE_TMPDIR/reachable" -; }
doubled() { asked | grep -v '^/robots.txt$' | sort | uniq -d; }
disallowed() { asked | grep -E "^($(IFS='|'; echo "${DISALLOWED[*]}"))" || true; }

judge() {
  local allowed_doubles=$1
  [[ $(asked | head -1) == /robots.txt ]]
  [[ -z $(lost) ]] || { echo "lost:"; lost | head; return 1; }
  [[ -z $(disallowed) ]] || { echo "disallowed:"; disallowed | head; return 1; }
  (($(doubled | wc -l) <= allowed_doubles)) || { echo "doubled:"; doubled | head; return 1; }
}

@test "every reachable allowed page exactly once, robots.txt first, no gap under the delay" {
  crawl --delay=4ms "http://127.0.0.1:$PORT/" >records 2>progress
  judge 0
  [[ -z $(check_gaps 0.004) ]] || { check_gaps 0.004 | head; false; }
  (($(asked | grep -c '^/robots.txt$') == 1))
  # The user gets one settled record a page.
  (($(grep -c $'\tstatus=.*\toutcome=' records) == $(asked | grep -vc '^/robots.txt$')))
  run -0 cut -f1 records
  [[ -z $(cut -f1 records | sort | uniq -d) ]]
}

@test "the same after kill -9 of the whole group in the middle: nothing lost, at most one doubled a kill" {
  local round
  for round in 1 2 3; do
    setsid "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private --delay=4ms \
      "http://127.0.0.1:$PORT/" >>records 2>>progress 3>&- &
    local group=$!
    # Waits until the log has grown by 150 requests: progress, not time, says when to kill.
    local goal=$(($(wc -l <"$LOG") + 150))
    soon '(($(wc -l <"$LOG") >= goal))'
    # The pipeline has a process group of its own; the session holds both.
    pkill -9 -s "$group" || true
    wait "$group" 2>/dev/null || true
  done
  crawl --delay=4ms "http://127.0.0.1:$PORT/" >>records 2>>progress
  judge 3
  [[ -z $(check_gaps 0.004) ]] || { check_gaps 0.004 | head; false; }
}

@test "the same with one stage after the other killed: each is named, the pipeline restarted, nothing lost" {
  setsid "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private --delay=2ms \
    "http://127.0.0.1:$PORT/" >records 2>progress 3>&- &
  local group=$! tool
  for tool in fetch extract-links url-normalize url-filter dedupe robots-check; do
    local goal=$(($(wc -l <"$LOG") + 60))
    soon '(($(wc -l <"$LOG") >= goal))'
    # The newest is killed: where nobody reaps orphans, zombies of the last pipeline are still in the session.
    pkill -9 -n -s "$group" -x "$tool"
  done
  wait "$group"
  judge 6
  for tool in fetch extract-links url-normalize url-filter dedupe robots-check; do
    grep -q "stage $tool was killed by signal 9" progress || { cat progress; false; }
  done
}

@test "Ctrl-C ends cleanly, and the same command goes on from there" {
  # A shell starts background jobs with SIGINT ignored, which the crawler would respect.
  setsid env --default-signal=INT "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private \
    --delay=4ms "http://127.0.0.1:$PORT/" >records 2>progress 3>&- &
  local crawler=$! status=0
  soon '(($(wc -l <"$LOG") >= 100))'
  kill -INT "$crawler"
  wait "$crawler" || status=$?
  ((status == 130))
  local before
  before=$(asked | wc -l)
  ((before < $(wc -l <"$BATS_FILE_TMPDIR/reachable")))
  crawl --delay=2ms "http://127.0.0.1:$PORT/" >>records 2>>progress
  judge 0
  [[ -z $(cut -f1 records | sort | uniq -d) ]]
}
