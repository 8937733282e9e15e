#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/check-layers finds what it is for: each row plants one wrong edge in a copy of the tree.

load helper

setup() {
  cd "$SPINNERET_ROOT"
  find lib tools \( -name '*.h' -o -name '*.cc' -o -name CMakeLists.txt \) -exec \
    cp --parents -t "$BATS_TEST_TMPDIR" {} +
  cd "$BATS_TEST_TMPDIR"
}

check() { "$SPINNERET_ROOT/scripts/check-layers" "$BATS_TEST_TMPDIR"; }

# planted FILE LINE: adds the line; the check must fail, and name the file and the line's number.
planted() {
  local file=$1 number
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$2" >>"$file"
  number=$(wc -l <"$file")
  run -1 check
  [[ $output == *"$file:$number: "* ]] || { echo "not named: $file:$number"; false; }
}

@test "the tree itself is clean" {
  run -0 check
  [[ -z $output ]]
}

@test "io and url do not know each other" {
  planted lib/io/reader.cc '#include "url/parse.h"'
}

@test "url does not know io" {
  planted lib/url/parse.cc '#include "io/reader.h"'
}

@test "base knows nobody" {
  planted lib/base/file.cc '#include "io/reader.h"'
}

@test "feature modules do not know each other, nor io, nor cli" {
  planted lib/frontier/store.h '#include "http/engine.h"'
  planted lib/robots/parse.cc '#include "io/record.h"'
  planted lib/html/tokenizer.cc '#include "cli/tool.h"'
}

@test "a header is named by its path from lib/, and exists" {
  planted lib/io/reader.cc '#include "sink.h"'
  planted lib/io/sink.cc '#include "../base/file.h"'
  planted lib/io/json.cc '#include "base/nowhere.h"'
}

@test "a tool has headers beside it; the library does not see them" {
  echo '#pragma once' >tools/own_part.h
  echo '#include "own_part.h"' >>tools/dedupe.cc
  run -0 check
  planted tools/dedupe.cc '#include "other_part.h"'
  planted lib/io/sink.cc '#include "own_part.h"'
}

@test "running out of memory may be thrown, nothing else" {
  echo '  if (p == nullptr) throw std::bad_alloc();' >>lib/base/zz.cc
  run -0 check
  planted lib/base/zz.cc '  throw std::runtime_error("x");'
}

@test "a third-party header in a header" {
  planted lib/http/engine.h '#include <curl/curl.h>'
}

@test "a third-party library in two files" {
  planted lib/base/zz.cc '#include <xxhash.h>'
}

@test "libcurl beside the wire's files" {
  planted lib/http/engine.cc '#include <curl/curl.h>'
  planted tools/fetch.cc '#include <curl/curl.h>'
}

@test "a new module needs a row in the table" {
  planted lib/newcomer/thing.cc '#include "base/file.h"'
}

@test "nothing below cli throws, exits or prints" {
  planted lib/base/zz.cc '  throw 1;'
  planted lib/io/zz.cc '  if (x) std::exit(1);'
  planted lib/url/zz.cc '  exit(1);'
  planted lib/url/zy.cc '  std::fprintf(stderr, "x");'
  planted lib/url/zx.cc '  write_all(STDERR_FILENO, "x");'
}

@test "no iostream anywhere" {
  planted lib/cli/tool.cc '#include <iostream>'
}

@test "a module's names are in its own namespace" {
  planted lib/robots/parse.cc 'namespace spinneret {'
  planted lib/http/engine.cc 'namespace spinneret::robots {'
  printf 'namespace spinneret {\nclass Url;\n}\nnamespace spinneret::html::rows {\n' >lib/html/zz.h
  run -1 check
  [[ $output != *lib/html/zz.h* ]]
}

@test "words in comments and strings are no code" {
  {
    echo '// throw, exit( and printf( may be spoken of'
    echo 'const char* kText = "throw exit(1) printf(";'
    echo 'snprintf(buffer, 1, "%d", 1); on_exit_code(1);'
  } >>lib/base/zz.cc
  run -0 check
}

@test "CMake may not link what may not be included" {
  sed -i '/^spinneret_module(frontier/,/)/s/DEPS /DEPS http /' lib/frontier/CMakeLists.txt
  run -1 check
  [[ $output == *"frontier may not link http"* ]]
}

@test "url-normalize links neither curl nor RocksDB" {
  run -0 readelf -d "$SPINNERET_BIN/url-normalize"
  [[ $output != *curl* && $output != *rocksdb* ]]
}
