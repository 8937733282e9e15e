# SPDX-License-Identifier: Apache-2.0
# Runs the examples of man pages as tests.

# examples PAGE [Ss TITLE]: prints the literal blocks of the page as shell and expectation: "$ command" lines, and the
# output of each. They are those of the section EXAMPLES, or of the subsection TITLE.
examples() {
  awk -v level="${2-Sh}" -v title="${3-EXAMPLES}" '
    /^\.S[hs] / && ($1 == "." level || $1 == ".Sh") { inside = substr($0, 5) == title }
    inside && /^\.Bd -literal/ { block = 1; first = 1; print "@block"; next }
    /^\.Ed/ { block = 0 }
    inside && block {
      sub(/^\\&/, ""); gsub(/\\\(aq/, "\047"); gsub(/\\\(dq/, "\""); gsub(/\\\(ha/, "^"); gsub(/\\\(ti/, "~")
      gsub(/\\-/, "-"); gsub(/\\&/, ""); gsub(/\\e/, "\\")
      print
    }' "$1"
}

# block PAGE TITLE [NUMBER]: prints the literal block of that number, by default the first, in the subsection of that
# title.
block() {
  awk -v title="$2" '
    /^\.S[sh] / { inside = $0 == ".Ss " title }
    inside && /^\.Bd -literal/ { block = 1; count++; next }
    /^\.Ed/ { block = 0 }
    inside && block && count == wanted { gsub(/\\e/, "\\"); print }' wanted="${3-1}" "$SPINNERET_ROOT/man/$1"
}

# Runs the examples of a page in order, in one folder; fails at the first that prints something else.
run_examples() {
  local line command='' want='' skipping=no
  settle_example() {
    [[ -n $command ]] || return 0
    bash -c "$command" >got 2>messages </dev/null || true
    if ! diff -u --label "the page says" --label "it prints" <(printf %s "$want") got; then
      printf '$ %s\n' "$command"
      cat messages
      return 1
    fi
    command='' want=''
  }
  while IFS= read -r line; do
    case $line in
      @block) settle_example || return; skipping=no ;;
      '# not run'*) skipping=yes ;;
      '$ '*) settle_example || return; [[ $skipping == yes ]] || command=${line#'$ '} ;;
      *) want+=$line$'\n' ;;
    esac
    [[ $skipping == no ]] || want=''
  done
  settle_example
}
