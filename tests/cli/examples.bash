# SPDX-License-Identifier: Apache-2.0
# Examples of man pages as tests.

# The literal blocks of a page as shell and expectation: "$ command" lines and what they print; of the section EXAMPLES,
# or of another one: examples PAGE Ss TITLE.
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

# block PAGE TITLE [NUMBER]: the literal block of that number, the first unless given, in the subsection of that title.
block() {
  awk -v title="$2" '
    /^\.S[sh] / { inside = $0 == ".Ss " title }
    inside && /^\.Bd -literal/ { block = 1; count++; next }
    /^\.Ed/ { block = 0 }
    inside && block && count == wanted { gsub(/\\e/, "\\"); print }' wanted="${3-1}" "$SPINNERET_ROOT/man/$1"
}

# Runs the examples of a page, in one folder, in their order; fails with the first that prints otherwise.
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
