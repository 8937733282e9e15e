# SPDX-License-Identifier: Apache-2.0
# Sums up test runners' results in passed, failed and skipped, which the script that sources this sets to 0 first.

# count_ctest TREE: counts and removes ctest's result of each build there, so that it counts once.
count_ctest() {
  local file total failures omitted
  for file in "$1"/build*/ctest.xml; do
    [[ -f $file ]] || continue
    total=$(attribute tests "$file") failures=$(attribute failures "$file")
    omitted=$(($(attribute skipped "$file") + $(attribute disabled "$file")))
    ((passed += total - failures - omitted, failed += failures, skipped += omitted)) || true
    rm -f -- "$file"
  done
}
attribute() { grep -m1 -oE "\\b$1=\"[0-9]+\"" "$2" | tr -dc 0-9; }

# count_checks: reads lines "ok - NAME" and "not ok - NAME", and their details; prints them as scripts/outcome does.
count_checks() {
  local line
  while IFS= read -r line; do
    case $line in
      'ok - '*) ((++passed)); printf '%s\n' "$line" ;;
      'not ok - '*) ((++failed)); printf 'failed: %s\n' "${line#not ok - }" ;;
      *) printf '    | %s\n' "$line" ;;
    esac
  done
}

# outcomes: prints the lines on stdin about failed, flaky and skipped tests, by scripts/outcome or count_checks, and the
# rows of tests/fresh/run.
outcomes() {
  awk '/^(failed|flaky): / { of = 1; print; next } of && /^    \| / { print; next } { of = 0 }
    /^skipped: / || /^fresh: [a-z]+ +(user|root) / { print }'
}

# count_closing: counts the results in the output of tests/fresh/run on stdin.
count_closing() {
  local line
  while IFS= read -r line; do
    [[ $line =~ ^fresh:\ .*:\ ([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] || continue
    ((passed += BASH_REMATCH[1], failed += BASH_REMATCH[2], skipped += BASH_REMATCH[3])) || true
  done
}
