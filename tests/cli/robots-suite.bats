#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The conformance suite of RFC 9309: robots-check passes all of it, and the suite itself is tested.

load helper

suite() { python3 "$SPINNERET_ROOT/tests/robots-suite" "$@"; }

@test "robots-check passes every case, with its line" {
  run -0 suite --lines --cmd 'robots-check --explain --robots {robots} --agent {agent} {url}'
  count=${lines[-1]##* }
  [[ ${lines[-1]} == "all: $count of $count" ]]
  ((count >= 400))
}

@test "a program that is wrong fails, and what is no verdict is an error" {
  local case="$SPINNERET_ROOT/tests/data/robots/rules.case"
  run -1 suite --cmd true "$case"
  [[ $output == *": disallow "* || $output == *"allow for disallow [2.2.2]"* ]]
  run -2 suite --cmd 'sh -c "exit 3"' "$case"
  [[ $output == *"status 3"* ]]
  printf 'file x\n| a\ncase a /x maybe 0 2.2\n' >bad.case
  run -2 suite --cmd true bad.case
  [[ $output == *"bad.case:3: verdict is allow or disallow"* ]]
}

@test "an adapter asks a peer" {
  run suite --quiet --peer urllib
  ((status <= 1))
  [[ ${lines[-1]} =~ ^all:\ [0-9]+\ of\ [0-9]+$ ]]
}
