#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The simple cells of tests/loop/matrix, a test that its judge finds faults, and the effect of a policy on a crawl.

load ../cli/helper
load site

@test "every simple way to run a crawl keeps its word, by the server's log" {
  command -v python3 >/dev/null || skip "no python3"
  run -0 "$SPINNERET_ROOT/tests/loop/matrix" --ci --jobs=2
  [[ $output == *' cells hold' ]]
}

# A crawl that follows nofollow, and goes one link less far, is caught for both.
@test "the matrix's judge names what was lost and what was asked for against the rules" {
  command -v python3 >/dev/null || skip "no python3"
  mkdir -p tree/scripts tree/tests/{loop,support}
  cp "$SPINNERET_ROOT"/tests/loop/matrix{,site.py} tree/tests/loop
  cp "$SPINNERET_ROOT/tests/support/serving.py" tree/tests/support
  # shellcheck disable=SC2016  # for the script
  printf '#!/bin/sh\nexec "%s" "$@" --follow-nofollow --max-depth=2\n' "$SPINNERET_ROOT/scripts/crawl" >tree/scripts/crawl
  chmod +x tree/scripts/crawl
  run -1 tree/tests/loop/matrix --only=inline,4-at-once,0s,no-fault,plain
  [[ $output == *'never asked for: '*'/chain/3'* ]]
  [[ $output == *'8 must not be asked for: 127.0.77.1/nofollow-only, 127.0.77.1/noindex-only'* ]]
  [[ $output == *'0 of 1 cells hold' ]]
}

@test "deny-type did nothing in a crawl: no body of that type is read, by section too" {
  mkdir docs
  chmod 755 docs
  echo '<a href="a.png">a</a><a href="b.css">b</a><a href="c.html">c</a>' >docs/index.html
  echo page >docs/c.html
  head -c 1000 /dev/zero >docs/a.png
  echo 'a {}' >docs/b.css
  start_site "$PWD/docs"
  printf '%s\n' 'deny-type image/*' '[127.0.0.2]' 'deny-type text/css' >policy
  "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private --delay=0 --policy=policy --warc=out.warc.gz \
    "http://127.0.0.1:$PORT/" "http://127.0.0.2:$PORT/" >records 2>progress 3>&-
  run -0 sed -nE $'s,^http://(127.0.0.[12]):[0-9]*/([^\t]*)\t.*\toutcome=(.*),\\1 /\\2 \\3,p' records
  [[ $(sort <<<"$output") == '127.0.0.1 / ok
127.0.0.1 /a.png unsupported-type
127.0.0.1 /b.css ok
127.0.0.1 /c.html ok
127.0.0.2 / ok
127.0.0.2 /a.png unsupported-type
127.0.0.2 /b.css unsupported-type
127.0.0.2 /c.html ok' ]]
  # fetch gets the list of types, and no stage after it.
  run ! grep -q $'\ttypes=' records
}
