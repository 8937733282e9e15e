#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is installed: Debian packages as lintian and a scratch root see them, tools under a prefix, and the library as
# another program finds it.

load helper
load examples

build=$(cd "$SPINNERET_BIN/.." && pwd)

setup() {
  [[ -f $build/CPackConfig.cmake ]] || skip "no build folder at $build"
  ! grep -qE '^(CMAKE_CXX_FLAGS:.*--coverage|SPINNERET_SANITIZE:STRING=.)' "$build/CMakeCache.txt" ||
    skip "an instrumented build is not for others"
}

# install_tree COMPONENT [CMAKE-OPTION...]: installs into ./root.
install_tree() {
  cmake -DCMAKE_INSTALL_PREFIX="$PWD/root" -DCMAKE_INSTALL_COMPONENT="$1" "${@:2}" \
    -P "$build/cmake_install.cmake" >installed
}

# pack FOLDER [OPTION...]: makes both packages in FOLDER.
pack() { (cd "$build" && cpack -G DEB -B "$BATS_TEST_TMPDIR/$1" "${@:2}" >"$BATS_TEST_TMPDIR/$1.log"); }

# crawls_the_manual DRIVER: checks that its demo fetches all installed pages and finds the one dead link.
crawls_the_manual() {
  local pages=("$SPINNERET_ROOT"/man/*.[157])
  mkdir -p kept
  TMPDIR=$PWD/kept run "$1" --demo
  [[ $output == *" $((${#pages[@]} + 1)) ok"*' 1 not-found'* ]] || { echo "$output"; false; }
}

@test "packages: lintian finds nothing, two packings are equal, and what they hold works" {
  command -v lintian >/dev/null || skip "no lintian"
  pack one
  # Only the contents are compared, so gzip will do: xz would take more time than all the rest.
  (umask 077 && LC_ALL=C.UTF-8 TZ=Asia/Kathmandu SOURCE_DATE_EPOCH='' pack two -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
  (($(ls one/*.deb | wc -l) == 2))
  local package
  for package in one/*.deb; do
    # The outer archive has the modes of CPack's own files.
    cmp <(dpkg-deb --ctrl-tarfile "$package") <(dpkg-deb --ctrl-tarfile "two/${package##*/}")
    cmp <(dpkg-deb --fsys-tarfile "$package") <(dpkg-deb --fsys-tarfile "two/${package##*/}")
  done
  run lintian --fail-on error,warning --no-cfg one/*.deb
  [[ $status == 0 ]] || { echo "$output"; false; }

  # The description once spoke of seven tools.
  dpkg-deb -f one/spinneret_*.deb Description | grep -q "^ Twelve small programs"
  grep -q 'Unix tools: twelve small' "$SPINNERET_ROOT/README.md" && ((${#TOOLS[@]} + 1 == 12))
  dpkg-deb -f one/spinneret_*.deb Depends | grep -q 'libcurl4.*libpsl5.*librocksdb'
  dpkg -x one/spinneret_*.deb root
  local folder
  for folder in bin share/bash-completion/completions share/man/man1; do
    # The filters, crawl and link-bus.
    (($(ls "root/usr/$folder" | wc -l) == ${#TOOLS[@]} + 2)) || { ls "root/usr/$folder"; false; }
  done
  PATH=$PWD/root/usr/bin:/usr/bin:/bin
  [[ $(command -v fetch) == "$PWD/root/usr/bin/fetch" ]]
  [[ $(url-normalize 'HTTP://Example.org:80/a/../b') == http://example.org/b ]]
  url-filter --check --policy=root/usr/share/doc/spinneret/examples/documents.policy
  crawls_the_manual crawl
}

@test "the packages' version is the project's" {
  local version
  version=$(sed -nE 's/^project\(spinneret VERSION ([0-9.]+).*/\1/p' "$SPINNERET_ROOT/CMakeLists.txt")
  grep -q "^spinneret ($version) " "$SPINNERET_ROOT/scripts/debian/changelog"
  grep -q "^## $version\b" "$SPINNERET_ROOT/NEWS.md"
  [[ $(fetch --version) == "fetch (Spinneret) $version" ]]
}

@test "under a prefix, commands, messages, completions, man pages and the driver bear it" {
  install_tree tools -DSPINNERET_TOOL_PREFIX=spin-
  local tool
  for tool in "${TOOLS[@]}" crawl; do
    [[ -x root/bin/spin-$tool && ! -e root/bin/$tool ]]
    zcat "root/share/man/man1/spin-$tool.1.gz" >page
    grep -q "^\.Nm spin-$tool\$" page
    grep -q "^\.Dt SPIN-${tool^^} 1\$" page
  done
  PATH=$PWD/root/bin:/usr/bin:/bin
  for tool in "${TOOLS[@]}"; do
    "spin-$tool" --help | grep -q "^Usage: spin-$tool "
    run -2 "spin-$tool" --no-such
    [[ $output == "spin-$tool: "*"'man spin-$tool'"* ]] || { echo "$output"; false; }
  done
  for tool in "${TOOLS[@]}" crawl; do
    grep -q "complete .*-F _spin_${tool//-/_} spin-$tool\$" "root/share/bash-completion/completions/spin-$tool"
    grep -q "^#compdef spin-$tool\$" "root/share/zsh/site-functions/_spin-$tool"
    grep -q "^complete -c spin-$tool " "root/share/fish/vendor_completions.d/spin-$tool.fish"
  done
  # Messages name no command without the prefix either.
  run -2 spin-extract-text --base=http://h/ http://h/x
  [[ $output == *'(fetch it first: spin-fetch URL | spin-extract-text)'* ]]
  run -2 spin-link-check http://h/
  [[ $output == *': spin-crawl --check-links http://h/ checks a site, spin-fetch http://h/ | spin-extract-links --ids | spin-link-check --ask one page'* ]]
  # Pages and driver call no command that is missing: their examples run with the prefixed tools alone.
  local page
  for page in root/share/man/man[157]/*.gz; do
    zcat "$page" >"page"
    mandoc -T lint -W error page
    mkdir -p examples
    (cd examples && run_examples < <(examples ../page))
  done
  crawls_the_manual spin-crawl
  run -2 spin-crawl --no-such
  [[ $output == *'see spin-crawl --help'* ]]
}

# private_folders FOLDER: prints the folders in it that others cannot enter.
private_folders() { find "$1" -type d ! -perm -055; }

@test "bug: a root whose umask is 077 installed what nobody else could run" {
  (umask 077 && install_tree tools && install_tree library)
  # The folder above belongs to whoever names it.
  chmod 755 root
  [[ -z $(private_folders root) ]] || { private_folders root; false; }
  (umask 027 && DESTDIR=$PWD/staged cmake --install "$build" --prefix /opt/spinneret >log)
  [[ -d staged/opt/spinneret/include/spinneret/url ]]
  [[ -z $(private_folders staged) ]] || { private_folders staged; false; }
  # The manifest, by which the README removes an installation, names every file.
  grep -qF "xargs -d '\n' rm < build/install_manifest.txt" "$SPINNERET_ROOT/README.md"
  (cd staged && sed 's|^/||' "$build/install_manifest.txt" | xargs -d '\n' rm)
  run -0 find staged -not -type d
  [[ -z $output ]]
}

@test "bug: below /usr/local completions were where no zsh reads them" {
  command -v zsh >/dev/null || skip "no zsh"
  local prefix folder
  for prefix in /usr/local /usr; do
    DESTDIR=$PWD/staged cmake -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_COMPONENT=tools -P "$build/cmake_install.cmake" >log
    folder=$(cd staged && ls -d ."$prefix"/share/zsh/*)
    zsh -fc 'print -l $fpath' | grep -qxF "${folder#.}" || { echo "$folder"; false; }
    [[ -s staged/$folder/_crawl && -s staged/$folder/_link-bus ]]
  done
}

@test "bug: with another folder of helpers, or folders that are absolute, crawl and the library were broken" {
  # Another build folder, of which only the installation's scripts are used.
  cmake -S "$SPINNERET_ROOT" -B elsewhere -DSPINNERET_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/opt/x -DCMAKE_INSTALL_LIBEXECDIR=lib/deep/er \
    -DCMAKE_INSTALL_LIBDIR=/opt/x/lib64 -DCMAKE_INSTALL_BINDIR=/opt/x/usr/bin -DCMAKE_INSTALL_DATADIR=/opt/x/data >log 2>&1 || { cat log; false; }
  mkdir -p elsewhere/bin
  ln -s "$build"/bin/* elsewhere/bin
  find "$build/lib" -name '*.a' -printf '%P\n' | while read -r library; do ln -s "$build/lib/$library" "elsewhere/lib/$library"; done
  cmake --install elsewhere --prefix "$PWD/root" >log 2>&1 || { tail log; false; }
  (($(ls root/lib64/*.a | wc -l) >= 13))
  # The tools and the manual are those of the installation.
  (unset SPINNERET_BIN && crawls_the_manual root/usr/bin/crawl)
  local flags
  read -ra flags <<<"$(PKG_CONFIG_PATH=$PWD/root/lib64/pkgconfig pkg-config --cflags --libs spinneret-html spinneret-robots)"
  g++ -std=c++20 "$SPINNERET_ROOT/tests/example/allowed_links.cc" -o allowed-links "${flags[@]}"
  try_example ./allowed-links
}

@test "bug: crawl that was installed into a folder of a CMake project took that for its own source" {
  install_tree tools
  touch root/CMakeLists.txt
  [[ $(unset SPINNERET_BIN && PATH=/usr/bin:/bin root/bin/crawl --version) == 'crawl (Spinneret) '* ]]
}

@test "bug: in Turkish nothing could be installed, for a-z has no i there" {
  make_turkish
  install_tree tools -DSPINNERET_TOOL_PREFIX=spin-
  mv root first
  LC_ALL=tr_TR.UTF-8 install_tree tools -DSPINNERET_TOOL_PREFIX=spin-
  diff -r first root
}

@test "a prefix that is no part of a file name is refused" {
  run ! install_tree tools -DSPINNERET_TOOL_PREFIX='a/b '
}

@test "headers are installed that others use, with all that they include, and no more" {
  install_tree library
  cd root/include/spinneret
  local header included
  for header in url/parse.h http/engine.h robots/matcher.h; do [[ -f $header ]]; done
  for header in http/fetch_engine.h http/transfer.h frontier/memory_store.h html/skimmer.h; do [[ -f $SPINNERET_ROOT/lib/$header && ! -e $header ]]; done
  while IFS=: read -r header included; do
    [[ -f $included ]] || { echo "$header includes $included, which is not installed"; false; }
  done < <(grep -rhoPH '^#include "\K[^"]+' --include='*.h' .)
}

@test "find_package: an example is built against the installed library, and runs" {
  install_tree library
  cmake -S "$SPINNERET_ROOT/tests/example" -B example -DCMAKE_PREFIX_PATH="$PWD/root" \
    -DCMAKE_BUILD_TYPE=Release >log 2>&1 || { cat log; false; }
  cmake --build example >log 2>&1 || { cat log; false; }
  try_example example/allowed-links
  # Only the libraries that were asked for are linked.
  run ldd example/allowed-links
  [[ $output != *libcurl* && $output != *rocksdb* ]]

  # All modules, one that does not exist, and a version that does not exist.
  echo 'int main() {}' >empty.cc
  cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(all LANGUAGES CXX)
find_package(spinneret REQUIRED)
foreach(module http feed frontier policy)
  add_executable(with-${module} empty.cc)
  target_link_libraries(with-${module} PRIVATE spinneret::${module})
endforeach()
find_package(spinneret COMPONENTS nosuch QUIET)
if(spinneret_FOUND)
  message(FATAL_ERROR "found what is not there")
endif()
find_package(spinneret 9 QUIET)
if(spinneret_FOUND)
  message(FATAL_ERROR "found a version to come")
endif()
CMAKE
  cmake -S . -B all -DCMAKE_PREFIX_PATH="$PWD/root" >log 2>&1 || { cat log; false; }
}

@test "bug: find_package(spinneret QUIET) ended others' configuring where a library was missing, or pkg-config" {
  install_tree library
  cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(maybe LANGUAGES CXX)
find_package(spinneret QUIET)
message(STATUS "all: ${spinneret_FOUND}")
find_package(spinneret QUIET COMPONENTS url)
message(STATUS "url: ${spinneret_FOUND}")
find_package(spinneret QUIET COMPONENTS url OPTIONAL_COMPONENTS coding)
message(STATUS "coding: ${spinneret_FOUND}/${spinneret_coding_FOUND}.")
find_package(spinneret REQUIRED COMPONENTS coding)
CMAKE
  PKG_CONFIG_LIBDIR=$PWD/none run -1 cmake -S . -B one -DCMAKE_PREFIX_PATH="$PWD/root"
  [[ $output == *"all: 0"*"url: 1"*"coding: 1/."* ]] || { echo "$output"; false; }
  [[ $(tr -s ' \n' ' ' <<<"$output") == *"pkg-config does not find what it links: zlib, libbrotlidec, libzstd, libcrypto"* ]] || { echo "$output"; false; }
  run -1 cmake -S . -B two -DCMAKE_PREFIX_PATH="$PWD/root" -DPKG_CONFIG_EXECUTABLE="$PWD/none"
  [[ $output == *"all: 0"*"url: 1"*"coding: 1/."* ]] || { echo "$output"; false; }
  # The package depends on pkg-config, which finds the other libraries.
  grep -q 'pkgconf | pkg-config' "$SPINNERET_ROOT/scripts/package.cmake"
}

try_example() {
  printf 'User-agent: *\nDisallow: /private/\n' >robots.txt
  echo '<a href=../a>1</a> <a href=/private/b>2</a> <a href=//elsewhere.example/>3</a>' |
    "$1" http://h.example/x/y robots.txt examplebot >out
  [[ $(<out) == http://h.example/a ]] || { cat out; false; }
}

@test "pkg-config: the same example, and every module links with what it names" {
  install_tree library
  # shellcheck disable=SC2155
  export PKG_CONFIG_PATH=$(echo "$PWD"/root/lib/*/pkgconfig)
  local flags module
  read -ra flags <<<"$(pkg-config --cflags --libs spinneret-html spinneret-robots)"
  g++ -std=c++20 -Wall -Wextra -Werror "$SPINNERET_ROOT/tests/example/allowed_links.cc" -o allowed-links "${flags[@]}"
  try_example ./allowed-links

  echo 'int main() {}' >empty.cc
  local modules=(root/lib/*/pkgconfig/spinneret-*.pc)
  ((${#modules[@]} >= 13))
  for module in "${modules[@]}"; do
    module=${module##*/spinneret-} && module=${module%.pc}
    read -ra flags <<<"$(pkg-config --libs "spinneret-$module")"
    g++ empty.cc -o empty -Wl,--whole-archive "$(find root -name "libspinneret_$module.a")" \
      -Wl,--no-whole-archive "${flags[@]}" || { echo "spinneret-$module lacks a library"; false; }
  done
}
