#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The only test of the command lines that reads ../shared/data (tests/data/README.md); where that is missing ctest
# reports this file as Skipped.

load helper

@test "the fast path and the slow one write the same bytes" {
  local data=$SPINNERET_ROOT/../shared/data/url/urls.txt.gz
  [ -r "$data" ] || skip "no ../shared/data/url/urls.txt.gz"
  for profile in whatwg safe crawl; do
    # --get never takes the fast path, and neither do lines whose URL is the second column.
    zcat "$data" | sed '1s/^\xEF\xBB\xBF//' | url-normalize -p $profile >fast 2>fast.err || true
    zcat "$data" | sed '1s/^\xEF\xBB\xBF//; s/^/x\t/' | url-normalize -p $profile --field 2 --on-error=drop 2>slow.err | cut -f2- >slow || true
    cmp fast slow
    cmp fast.err slow.err
  done
}
