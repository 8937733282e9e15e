#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/setup where something is in its way: one line says what, the status is 2, and a second call goes on. It runs
# in a tree of its own, as an ordinary user, with stand-ins for Debian's programs that only note how they were called.
# (tests/fresh/run sees what the real ones do.)

load helper

setup() {
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
  tree="$PWD/a tree"
  mkdir -p "$tree/scripts" bin
  cp "$SPINNERET_ROOT/scripts/setup" "$tree/scripts/"
  # Files that a test puts here decide what the programs do. dpkg-query names each installed package for two
  # architectures.
  fake dpkg-query 'shift 3; [ -e "$here/missing" ] || printf "installed %s\n" "$@" "$@"'
  fake apt-get '[ ! -e "$here/no-$1" ] && { [ "$1" != -y ] && [ "$1" != install ] || rm -f "$here/missing"; }'
  fake sudo '[ ! -e "$here/no-sudo" ] || exit 1
    [ "$1" = -v ] || { shift; exec "$@"; }'
  fake cmake '[ "$1" != -S ] || cd "$2"
    mkdir -p build && echo CMAKE_HOME_DIRECTORY:INTERNAL="$PWD" >build/CMakeCache.txt && : >build/build.ninja
    case $* in *TESTS=ON*) mkdir -p build/tests; : >build/tests/CTestTestfile.cmake ;; esac'
  fake ninja '[ ! -e "$here/full" ] || { echo "FAILED: a.o"; echo "No space left on device"; exit 1; }
    [ ! -e "$2/built" ] || { echo "ninja: no work to do."; exit; }
    echo "$(echo "$NINJA_STATUS" | sed s/%[ft]/1/g)Building a.o"; : >"$2/built"'
  chmod -R a+rwX "$tree" .
}

# fake NAME BODY: puts a program on PATH that notes in `called` how it was called.
fake() {
  printf '#!/bin/sh\nhere=%q\necho "%s $*" >>"$here/called"\n%s\n' "$PWD" "$1" "$2" >"bin/$1"
  chmod +x "bin/$1"
}

setup_as_user() {
  ((EUID != 0)) || become+=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
  "${become[@]}" env -u CI PATH="$PWD/bin:$PATH" "$tree/scripts/setup" "$@"
}

# Counts the lines that setup itself printed.
said() { grep -c '^setup: ' <<<"$output"; }

@test "where nothing is to be done it prints nothing" {
  run -0 setup_as_user
  [[ $output == "setup: building in $tree/build (some minutes the first time)" ]]
  : >called
  run -0 setup_as_user
  [[ -z $output ]]
  # setup begins each crawl in a source tree, so there is one call and not one for each package.
  (($(grep -c '^dpkg-query' called) == 1))
}

@test "bug: nothing was built where standard error was closed, or full" {
  fake ninja 'echo "$(echo "$NINJA_STATUS" | sed s/%[ft]/1/g)Building a.o"; echo "warning: x"; : >"$2/built"'
  (setup_as_user 2>&-)
  rm "$tree/build/built"
  touch missing
  (setup_as_user <&- >&- 2>&-)
  rm "$tree/build/built"
  (setup_as_user 2>/dev/full)
  [[ -e $tree/build/built && ! -e missing ]]
}

@test "bug: two crawls that began in a fresh tree built in one folder at once, and compilers crashed" {
  mkdir "$tree/build"
  chmod a+rwX "$tree/build"
  exec {held}>"$tree/build/.setup-lock"
  chmod a+rw "$tree/build/.setup-lock"
  flock "$held"
  setup_as_user >output 2>&1 3>&- {held}>&- &
  soon '[[ -s output ]]'
  [[ $(<output) == "setup: another command builds in $tree/build: waiting for it" && ! -e $tree/build/built ]]
  flock --unlock "$held"
  wait $!
  [[ $(tail -n 1 output) == "setup: building in $tree/build"* && -e $tree/build/built ]]
  run -0 setup_as_user
  [[ -z $output ]]
}

@test "without sudo all commands are shown, once, and nothing is built" {
  touch missing no-sudo
  run -2 setup_as_user test
  [[ $(said) == 1 && $(grep -c '^  apt-get update$' <<<"$output") == 1 ]]
  grep -q '^  apt-get install --no-install-recommends .*\bcmake\b.*\btime\b' <<<"$output"
  grep -q '^  systemctl disable --now nginx' <<<"$output"
  ! grep -q '^\(cmake\|ninja\|apt-get\)' called
}

@test "bug: where sudo runs other commands only, or root may not read the tree, setup ended with 1 and no way on" {
  fake sudo '[ "$1" = -v ] || { echo "sudo: $2: command not found" >&2; exit 1; }'
  touch missing
  run -2 setup_as_user
  [[ $output == *"command not found"*"sudo does not help"*"  apt-get install --no-install-recommends cmake "* ]]
  # What apt-get could not do is reported as before.
  fake sudo '[ "$1" = -v ] || { shift; exec "$@"; }'
  touch no-install
  run -2 setup_as_user
  [[ $output == *"setup: apt-get did not install all of it"* && $output != *"sudo does not help"* ]]
}

@test "no network: package lists as old as they are will do, and packages that cannot be had are trouble" {
  touch missing no-update
  run -0 setup_as_user
  [[ $output == *"setup: not all package lists could be read"* ]]
  [[ ! -e missing ]]
  touch missing no-install
  run -2 setup_as_user
  [[ $output == *"setup: apt-get did not install all of it"* ]]
  rm no-install
  run -0 setup_as_user
}

@test "bug: installing showed a newcomer 170 lines of dpkg: one, unless it fails, and then its end and where all is" {
  fake apt-get '[ "$1" = update ] || { seq -f "Setting up lib%g:amd64 (1.0) ..." 40; rm -f "$here/missing"
    [ ! -e "$here/broken" ] || { echo "dpkg: error: no space"; exit 100; }; }'
  mkdir -m 777 temp
  export TMPDIR=$PWD/temp
  touch missing
  run -0 setup_as_user
  [[ $(said) == 2 && ${#lines[@]} == 2 && ${lines[0]} == "setup: installing Debian packages (a minute or two): cmake g++ "* ]]
  [[ -z $(ls temp) ]]
  touch missing broken
  run -2 setup_as_user
  [[ ${#lines[@]} == 23 && ${lines[1]} == 'Setting up lib22:amd64 (1.0) ...' && ${lines[20]} == 'dpkg: error: no space' ]]
  log=${lines[21]#setup: all that apt-get said is in }
  [[ $log == "$PWD"/temp/spinneret-setup.*.log && $(wc -l <"$log") == 41 && $(stat -c %a "$log") == 644 ]]
  # A terminal shows one line, which is rewritten and in the end erased.
  rm "$log" broken
  touch missing
  export TERM=xterm tree
  run -0 on_terminal bash -c "$(declare -f setup_as_user); setup_as_user"
  [[ $output == *$'\rsetup: 1 set up, now lib1:amd64\e[K\rsetup: 2 set up, now'*$'now lib40:amd64\e[K\r\e[K'* ]]
}

@test "another apt at work: it is waited for, and trouble when it does not end" {
  fake apt-get 'case "$*" in
    *Lock::Timeout=*) [ ! -e "$here/locked" ] || { echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)"; exit 100; }
      rm -f "$here/missing" ;;
    esac'
  touch missing locked
  run -2 setup_as_user
  [[ $output == *"held by process 7"*"setup: apt-get did not install all of it, and says why above"*"another apt at work"*"call again"* ]]
  run ! grep -q '^\(cmake\|ninja\)' called
  rm locked
  run -0 setup_as_user
}

@test "bug: a machine that had just started, and read its package lists itself, was told that there is no cmake" {
  fake apt-get 'case $* in
    update*) [ ! -e "$here/reads" ] || { echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"; exit 100; } ;;
    *) rm -f "$here/missing" ;;
    esac'
  # The other reader is done by the third second.
  fake sleep '[ "$(grep -c "^sleep" "$here/called")" -lt 3 ] || rm -f "$here/reads"'
  touch missing reads
  run -0 setup_as_user
  [[ $(said) == 3 && ${lines[1]} == "setup: another apt reads the package lists: waiting for it" && ! -e missing ]] || { echo "$output"; false; }
  (($(grep -c '^apt-get update' called) == 4))
}

@test "bug: Ctrl-C amid apt-get left policy-rc.d, by which no package could start its service ever after" {
  mkdir -m 777 sbin
  sed -i "s|^policy=.*|policy=$PWD/sbin/policy-rc.d|" "$tree/scripts/setup"
  fake apt-get '[ "$1" = update ] || { [ -e "$here/unhindered" ] || : >"$here/at-work"; while [ -e "$here/at-work" ]; do /bin/sleep 0.05; done; rm -f "$here/missing"; }'
  touch missing
  local signal
  for signal in INT TERM HUP; do
    rm -f at-work
    setsid env --default-signal=INT,TERM,HUP "$BASH" -c "$(declare -f setup_as_user); become=(${become[*]-}); tree=${tree@Q}; setup_as_user" >output 2>&1 3>&- &
    soon '[[ -e at-work ]]'
    [[ -x sbin/policy-rc.d ]]
    kill "-$signal" -- "-$!"
    wait $! && false
    soon '[[ ! -e sbin/policy-rc.d ]]'
  done
  # After a kill the file is known by its mark; somebody else's file stays.
  rm -f at-work
  printf '#!/bin/sh\n# Made by scripts/setup of Spinneret while it installs packages\nexit 101\n' >sbin/policy-rc.d
  chmod 777 sbin/policy-rc.d
  touch unhindered
  run -0 setup_as_user
  [[ ! -e sbin/policy-rc.d ]]
  echo 'exit 0' >sbin/policy-rc.d
  touch missing
  run -0 setup_as_user
  [[ $(<sbin/policy-rc.d) == 'exit 0' ]]
}

@test "bug: a clone by a git that makes CRLF of line ends had scripts that no shell could read" {
  command -v git >/dev/null || skip "no git"
  mkdir clone
  cp -R "$SPINNERET_ROOT"/{.gitattributes,scripts} clone
  (cd clone && git init -q && git add . && git -c user.name=x -c user.email=x -c commit.gpgsign=false commit -qm x)
  git -c core.autocrlf=true clone -q clone copy
  diff -r clone/scripts copy/scripts
}

@test "a careful umask, no SHELL, and a locale that is not there change nothing" {
  become=(env -u SHELL LC_ALL=xx_YY.UTF-8 LANG=xx_YY.UTF-8)
  umask 077
  run -0 setup_as_user
  # bash itself may complain about the locale.
  [[ $(grep -v 'warning: setlocale' <<<"$output") == "setup: building in $tree/build (some minutes the first time)" ]]
  run -0 setup_as_user
  run ! grep -v 'warning: setlocale' <<<"$output"
}

@test "bug: with CDPATH exported the scripts of a source tree ran in another one, or in none" {
  mkdir -p elsewhere/scripts bare/scripts
  cp "$SPINNERET_ROOT"/scripts/{test,outcome} bare/scripts
  printf '#!/bin/sh\npwd; exit 3\n' >bare/scripts/setup
  chmod +x bare/scripts/setup
  cd bare
  CDPATH=.:$PWD/../elsewhere run -3 scripts/test
  [[ $output == "$PWD" ]]
  CDPATH=$PWD/../elsewhere run -3 scripts/test
  [[ $output == "$PWD" ]]
  CDPATH=$PWD/../elsewhere run -2 scripts/outcome
  [[ $output == "outcome: no build/Testing"* ]]
}

@test "packages for another processor are a list of their own" {
  touch missing
  run -0 setup_as_user cross
  grep -q '^apt-get install .*g++-aarch64-linux-gnu.*qemu-user' called
  run ! grep -q '^\(cmake\|ninja\)' called
}

@test "no space: a build that failed says so, and goes on when called again" {
  touch full
  run -2 setup_as_user
  [[ $output == *"No space left on device"*"setup: the build failed"* ]]
  rm full
  run -0 setup_as_user
  [[ -e $tree/build/built ]]
}

@test "half a build: what was not configured to the end is configured again" {
  mkdir -m 777 "$tree/build"
  touch "$tree/build/CMakeCache.txt"
  chmod 666 "$tree/build/CMakeCache.txt"
  run -0 setup_as_user
  grep -q '^cmake --preset release' called
}

@test "bug: what README installs by cmake -B build, and so by make, kept scripts/crawl from building there" {
  mkdir -m 777 "$tree/build"
  echo CMAKE_HOME_DIRECTORY:INTERNAL="$tree" >"$tree/build/CMakeCache.txt"
  touch "$tree/build/Makefile"
  fake make '[ ! -e "$here/broken" ] || { echo "make: *** [a.o] Error 1" >&2; exit 2; }
    [ -e "$2/built" ] || echo "[ 50%] Building a.o"; : >"$2/built"
    echo "Consolidate compiler generated dependencies of target a"; echo "[100%] Built target a"'
  run -0 setup_as_user
  [[ $output == "setup: building in $tree/build (some minutes the first time)" ]]
  run -0 setup_as_user
  [[ -z $output ]]
  run ! grep -q '^\(cmake\|ninja\)' called
  touch broken
  run -2 setup_as_user
  [[ $output == "make: *** [a.o] Error 1"$'\n'"setup: the build failed"* ]]
}

@test "tests that were left out are configured when they are wanted" {
  run -0 setup_as_user
  [[ ! -e $tree/build/tests ]]
  run -0 setup_as_user test
  [[ -e $tree/build/tests ]]
  : >called
  run -0 setup_as_user test
  [[ -z $output ]]
  ! grep -q '^cmake' called
}

@test "the build of a tree that was moved is named" {
  run -0 setup_as_user
  mv "$tree" "$PWD/another"
  mkdir "$tree"
  tree=$PWD/another
  run -2 setup_as_user
  [[ $(said) == 1 && $output == "setup: $tree/build was configured for $PWD/a tree: remove it, then call again" ]]
}

@test "bug: in a folder that CMake cannot build in, packages were installed first, and then it spoke of syntax" {
  local name parent=$PWD
  touch missing
  for name in 'c#' 'a"b' 'a;b' 'a\b' a:b 'x[1]' 'x]' 'a<b' 'a>b' 'a|b' 'a${b}' $'a\nb'; do
    mkdir "$name"
    mv "$tree" "$name/tree"
    tree="$parent/$name/tree"
    run -2 setup_as_user
    [[ $(said) == 1 && $output == "setup: cannot build in a folder whose name has"*": move $tree elsewhere, then call again" ]] || { echo "$output"; false; }
  done
  [[ ! -e called ]]
  mkdir -- "-it's \$x & (ü)"
  mv -- "$tree" "$parent/-it's \$x & (ü)/tree"
  tree="$parent/-it's \$x & (ü)/tree"
  chmod a+rwX -- "${tree%/*}"
  run -0 setup_as_user
}

@test "a tree that cannot be written is one line" {
  chmod a-w "$tree"
  ((EUID != 0)) || chown root "$tree"
  run -2 setup_as_user
  [[ $output == "setup: cannot write in $tree/build: copy the tree to where you may, or name what is built: SPINNERET_BIN=$tree/build/bin" ]]
  chmod a+w "$tree"
  run -0 setup_as_user
  # The folder build in it must be writable as well, for ninja.
  chmod a-w "$tree/build"
  ((EUID != 0)) || chown root "$tree/build"
  run -2 setup_as_user
  chmod a+w "$tree/build"  # or bats could not remove it
  [[ $(said) == 1 && $output == "setup: cannot write in $tree/build: "* ]]
}

@test "a demo that cannot write says where it wanted to, and a second one goes on" {
  mkdir manual kept
  touch manual/{a,spinneret.7}.html
  printf '#!/bin/sh\necho 7; exec sleep 9' >bin/demo-server
  printf '#!/bin/sh\nexit 0' >bin/crawl
  chmod +x bin/demo-server bin/crawl
  demo() { TMPDIR=$1 SPINNERET_BIN=$PWD/bin "$SPINNERET_ROOT/scripts/demo" "$PWD/bin/crawl"; }
  run -2 demo "$PWD/no such folder"
  [[ $output == "demo: cannot write in $PWD/no such folder: name another place in TMPDIR" ]]
  # The disk is full when the manual is copied.
  fake cp 'echo "cp: No space left on device" >&2; exit 1'
  PATH=$PWD/bin:$PATH run -2 demo "$PWD/kept"
  [[ $output == "cp: No space left on device"$'\n'"demo: cannot write in $PWD/kept/spinneret-demo."*": name another place in TMPDIR" ]]
  [[ -z $(ls kept) ]]
  rm bin/cp
  run -0 demo "$PWD/kept"
}

@test "setup test installs a hook for subjects, where there is none" {
  local user=()
  ((EUID != 0)) || user=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
  ((EUID != 0)) || chown -R 65534 "$tree"
  "${user[@]}" env HOME="$PWD" git init -q "$tree"
  HOME=$PWD run -0 setup_as_user test
  hook=$tree/.git/hooks/commit-msg
  [[ -x $hook ]]
  said() { printf '%s\n' "$@" >message; "$hook" message; }
  run -0 said 'crawl: compare two crawls (--diff)' '' 'The body may be as long as it likes, and speak of whatever it wants to, at any length.'
  run -0 said "Merge branch 'x'"
  run -1 said 'Fixed some things'
  [[ $output == *'the subject wants "module: verb object"' ]]
  run -1 said "crawl: $(printf 'x%.0s' {1..70})"
  [[ $output == *'the subject has 77 characters; 72 are the most' ]]
  # A hook of one's own stays.
  echo mine >"$hook"
  HOME=$PWD run -0 setup_as_user test
  [[ $(<"$hook") == mine ]]
}

@test "warnings are errors where CI is set, and nowhere else" {
  run -0 setup_as_user
  grep -q '^cmake .*-DSPINNERET_WERROR=OFF' called
  rm -r "$tree/build"
  PATH="$PWD/bin:$PATH" CI=true run -0 "$tree/scripts/setup"
  grep -q '^cmake .*-DSPINNERET_WERROR=ON' called
}

@test "who makes packages hears of a public suffix list that is over a year old" {
  [[ -r /usr/share/publicsuffix/public_suffix_list.dat ]] || skip "no publicsuffix"
  fake cpack :
  fake date '[ "$1" = -r ] && echo 2020-01-01 || cat "$here/year-ago"'
  echo 9999-01-01 >year-ago
  run -0 setup_as_user package
  [[ ${lines[-1]} =~ ^'setup: the public suffix list of this machine is of '[0-9-]{10}:.*--psl=FILE ]]
  echo 0001-01-01 >year-ago
  run -0 setup_as_user package
  [[ $output != *suffix* ]]
}

@test "an unknown purpose and the list of packages touch nothing" {
  run -2 setup_as_user everything
  [[ $(said) == 1 ]]
  run -0 setup_as_user list test
  ((${#lines[@]} > 30))
  [[ $output != *' '* && $output == *$'\ntime\n'* ]]
  [[ ! -e called ]]
}

@test "bug: a test that ended left a scheduler at work: what is left is named, ended, and fails the test" {
  local keeper=$SPINNERET_ROOT/tests/support/keeper.py left
  # The process has a session of its own, and its parent is gone.
  run -1 "$keeper" 60 1 bash -c '(setsid sleep 321 & echo $! >left)
    until [[ $(<"/proc/$(<left)/comm") == sleep ]]; do sleep 0.02; done; echo fine'
  [[ ${lines[0]} == fine && ${lines[1]} == "keeper: left running: sleep 321 (process "*", in $PWD)" ]]
  left=$(<left)
  run ! kill -0 "$left"
  run -1 "$keeper" 5 1 sleep 322
  [[ ${lines[0]} == "keeper: not over within 5 seconds" && ${lines[1]} == "keeper: left running: sleep 322 "* ]]
  # The test's own status stays, and a test that waits for the end of an orphan does not wait for ever.
  run -7 "$keeper" 60 1 bash -c '(sleep 0.1 & echo $! >left); while kill -0 "$(<left)"; do sleep 0.02; done; exit 7'
  [[ $output == *"No such process"* && $output != *keeper* ]]
}

@test "bug: a test that failed half-way waited for its own server without end" {
  # A line that began with @test would be a test of this file.
  sed 's|^half()|@test "half"|' >half.bats <<BATS
load $SPINNERET_ROOT/tests/cli/helper
half() {
  sleep 323 3>&- &
  setsid bash -c 'sleep 324; true' 3>&- &
  bash -c 'sleep 325 & echo here; wait' 3>&- >here &
  soon '[[ -s here ]]'
  false
}
BATS
  run -1 timeout 300 "$SPINNERET_ROOT/tests/support/keeper.py" 200 30 env -u BATS_TEST_TMPDIR bats half.bats
  [[ $output == *"not ok 1 half"* && $output != *keeper* ]]
}

@test "bug: g++ refused headers that were read for another module, in every build with sanitizers" {
  (cd "$SPINNERET_ROOT" && cmake --preset tsan -B "$BATS_TEST_TMPDIR/tsan" -DCMAKE_CXX_COMPILER=g++ -DSPINNERET_TESTS=OFF) >said ||
    { cat said; false; }
  run -0 ninja -C tsan lib/io/CMakeFiles/spinneret_io.dir/escape.cc.o
}

@test "after ctest it is said which tests failed, with their last lines, and what was skipped, and why" {
  cp "$SPINNERET_ROOT/scripts/outcome" "$tree/scripts/"
  mkdir "$tree/build"
  cat >"$tree/build/CTestTestfile.cmake" <<'CMAKE'
add_test(good "/bin/echo" "fine")
add_test(unit-x "/bin/sh" "-c" "seq 50; echo '[ RUN      ] A.B'; echo '[       OK ] A.B (0 ms)'; echo 'a.cc:7: Failure'; exit 1")
add_test(cli-x "/bin/sh" "-c" "echo 1..3; echo 'ok 1 first'; echo 'ok 2 second # skip no strace'; echo 'not ok 3 third'; echo '# why'; exit 1")
add_test(gone "/nonexistent")
add_test(slow "/bin/sleep" "60")
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(unit-y "/bin/sh" "-c" "printf '%s\\n' 'y.cc:3: Skipped' 'no data' '[  SKIPPED ] Y.Z (0 ms)' '[  SKIPPED ] Y.Z'")
set_tests_properties(unit-y PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
CMAKE
  ctest --test-dir "$tree/build" -j 4 >ctest.out 2>&1 || true
  run -1 "$tree/scripts/outcome"
  [[ ${lines[-1]} == "outcome: build: 1 passed, 4 failed, 1 skipped of 6 tests, 2 cases left out" ]]
  [[ $(grep '^failed: ' <<<"$output" | sort) == $'failed: cli-x\nfailed: gone\nfailed: slow\nfailed: unit-x' ]]
  grep -qx '    | a.cc:7: Failure' <<<"$output"
  grep -qx '    | not ok 3 third' <<<"$output"
  grep -qx '    | # why' <<<"$output"
  grep -qx '    | Test time = .*' <<<"$output"
  grep -qx '    | Unable to find executable: /nonexistent' <<<"$output"
  [[ $output != *A.B* && $output != *"ok 1 first"* && $output != *$'| 5\n'* ]]
  grep -qx 'skipped: cli-x: second: no strace' <<<"$output"
  grep -qx 'skipped: unit-y: Y.Z: no data' <<<"$output"
  # .ci/run keeps all of that from a log, and nothing else.
  source "$SPINNERET_ROOT/tests/fresh/count.bash"
  diff <({ echo noise; echo "$output"; echo '    | noise'; } | outcomes) <(grep -v '^outcome: ' <<<"$output")
  # A test that passed when it was run again is no failure, but it is not hidden either.
  touch "$tree/once"
  cat >"$tree/build/CTestTestfile.cmake" <<CMAKE
add_test(bad "/bin/sh" "-c" "echo 'not ok 1 always'; exit 1")
add_test(stalls "/bin/sh" "-c" "echo 'ok 1 x # skip no strace'; ! rm '$tree/once' 2>/dev/null || { echo 'not ok 2 once'; exit 1; }")
CMAKE
  ctest --test-dir "$tree/build" --repeat until-pass:2 >ctest.out 2>&1 || true
  run -1 "$tree/scripts/outcome"
  [[ ${lines[-1]} == "outcome: build: 1 passed, 1 failed, 0 skipped of 2 tests, 1 cases left out, 1 flaky" ]]
  [[ $(grep -v '^ ' <<<"$output") == $'skipped: stalls: x: no strace\nflaky: stalls\nfailed: bad\noutcome: '* ]]
  [[ $(grep -A1 '^flaky' <<<"$output") == *'| not ok 2 once' && $(grep -A1 '^failed' <<<"$output") == *'| not ok 1 always' ]]
  diff <({ echo noise; echo "$output"; echo '    | noise'; } | outcomes) <(grep -v '^outcome: ' <<<"$output")
  run -2 "$tree/scripts/outcome" elsewhere
  [[ $output == "outcome: no elsewhere/Testing/Temporary/LastTest.log: run ctest first" ]]
}
