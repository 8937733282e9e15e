#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The release's binaries have the hardening that was asked of compiler and linker, since these tools read what strangers
# wrote.

load helper

setup() {
  command -v readelf >/dev/null || skip "no readelf"
  local cache=$SPINNERET_BIN/../CMakeCache.txt
  [[ -f $cache ]] || skip "no build beside $SPINNERET_BIN"
  grep -qE '^CMAKE_BUILD_TYPE:[A-Z]*=(Release)?$' "$cache" || skip "no release build"
  grep -q '^SPINNERET_SANITIZE:[A-Z]*=$' "$cache" || skip "a sanitizer's build"
}

# each_binary CHECK: runs the check on the readelf report of each tool.
each_binary() {
  local tool
  for tool in "${TOOLS[@]}"; do
    readelf -hldW "$SPINNERET_BIN/$tool" >report
    readelf -W --dyn-syms "$SPINNERET_BIN/$tool" >symbols
    "$1" || { echo "$tool fails: $1"; return 1; }
  done
}

is_position_independent() { grep -q 'Type: *DYN' report && grep -q 'Flags:.* PIE' report; }
has_read_only_relocations() { grep -q GNU_RELRO report && grep -q 'Flags: NOW' report; }
has_no_executable_stack() { grep GNU_STACK report | grep -qw RW; }
has_no_writable_code() { [[ -z $(grep -E '^ +LOAD .* RWE ' report) ]]; }
has_no_search_path() { [[ -z $(grep -E '\((RPATH|RUNPATH)\)' report) ]]; }
has_stack_protector() { grep -q __stack_chk_fail symbols; }
is_fortified() { grep -qE '__[a-z]+_chk' symbols; }

@test "position-independent" { each_binary is_position_independent; }
@test "relocations are read-only, and bound at start" { each_binary has_read_only_relocations; }
@test "no executable stack" { each_binary has_no_executable_stack; }
@test "no segment is writable and executable" { each_binary has_no_writable_code; }
@test "libraries come from the system alone" { each_binary has_no_search_path; }
@test "stack protector" { each_binary has_stack_protector; }
@test "fortified" { each_binary is_fortified; }

@test "no tool links what it does not need" {
  local tool
  for tool in url-normalize url-filter extract-links dedupe politeness-sched; do
    run readelf -dW "$SPINNERET_BIN/$tool"
    [[ $output != *libcurl* ]] || { echo "$tool links curl"; false; }
  done
  for tool in url-normalize url-filter extract-links robots-check fetch; do
    run readelf -dW "$SPINNERET_BIN/$tool"
    [[ $output != *rocksdb* ]] || { echo "$tool links RocksDB"; false; }
  done
}
