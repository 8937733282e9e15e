#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The N-th system call of a kind fails, for every tool, kind and N. A tool then never claims success when data is
# missing, never crashes and never hangs.

load helper
load filters

setup() { need_strace && make_settle; }

# faulty TOOL SYSCALL ERROR N: runs the tool over `in`; leaves status, out and err.
faulty() {
  launch=(timeout 60 strace -f -qq -o /dev/null -e "trace=$2" -e "inject=$2:error=$3:when=$4")
  status=0
  as_filter "$1" in >out 2>err || status=$?
}

# Status 0 or 1 means that the output is whole. 127 means that the loader itself met the fault.
is_honest() {
  if ((status <= 1)); then
    sort out | cmp -s sound - || { echo "$*: status $status, but the output is not whole"; return 1; }
  elif ((status > 127 || status == 124)); then
    echo "$*: status $status"
    head -c 500 err
    return 1
  fi
}

# Makes `in`, and in `sound` the sorted output without faults.
prepare() {
  local i
  for i in 1 2 3 4 5 6; do good "$1" "$i"; echo; done >in
  launch=()
  as_filter "$1" in 2>/dev/null | sort >sound
  (($(wc -l <sound) == 6))
}

# every_fault TOOL SYSCALL ERROR COUNT
every_fault() {
  local n
  for ((n = 1; n <= $4; ++n)); do
    faulty "$1" "$2" "$3" "$n"
    is_honest "$1" "$2" "$3" "$n"
  done
}

@test "a write that fails is never success" {
  check() {
    prepare "$1"
    every_fault "$1" write EIO 3
    every_fault "$1" write ENOSPC 3
  }
  each check "${TOOLS[@]}"
}

@test "the only write of the output failing is 2, whatever the error" {
  check() {
    local error
    prepare "$1"
    for error in EIO ENOSPC EDQUOT EFBIG; do
      faulty "$1" write "$error" 1
      ((status == 2)) || { echo "$error: status $status"; false; }
    done
  }
  each check "${FILTERS[@]}"
}

@test "an interrupted or short-lived failure of a call is tried again" {
  check() {
    local call
    prepare "$1"
    for call in read write; do
      faulty "$1" "$call" EINTR 1
      # The loader reads too, and does not try again.
      ((status == 127)) || is_honest "$1" "$call" EINTR
    done
    faulty "$1" write EAGAIN 1
    ((status == 0))
    sort out | cmp sound -
  }
  each check "${FILTERS[@]}"
}

@test "a read that fails is never success" {
  check() {
    prepare "$1"
    every_fault "$1" read EIO 14
  }
  each check "${TOOLS[@]}"
}

@test "a close that fails is never success while data is missing" {
  check() {
    prepare "$1"
    every_fault "$1" close EIO 14
  }
  each check "${TOOLS[@]}"
}

@test "a file that does not open is never success while data is missing" {
  check() {
    prepare "$1"
    every_fault "$1" openat EMFILE 12
  }
  each check "${TOOLS[@]}"
}

# calls TOOL SYSCALL: how many of these calls the loader and an empty run make.
calls() {
  strace -f -qq -o trace -e "trace=$2" "$1" --version >none
  grep -c "$2(" trace
}

# brk is left out, since it never returns an error in reality.
@test "memory that is not given is never success while data is missing" {
  check() {
    local n first
    prepare "$1"
    # The loader dies of such a failure, by a signal; the failures begin behind its calls.
    first=$(calls "$1" mmap)
    for ((n = first + 1; n <= first + 20; ++n)); do
      faulty "$1" mmap ENOMEM "$n"
      is_honest "$1" mmap "$n"
    done
  }
  each check "${FILTERS[@]}"
}

@test "the scheduler's store: a failed sync, rename or unlink loses no seed" {
  local call n
  launch=()
  printf 'http://h%s.example/\n' 1 2 3 4 5 6 >in
  cut -f1 in | sort >want
  for call in fsync fdatasync rename ftruncate; do
    for n in 1 2 3; do
      rm -rf state
      status=0
      timeout 60 strace -f -qq -o /dev/null -e "trace=$call" -e "inject=$call:error=EIO:when=$n" \
        politeness-sched --quiet --state=state --delay=0 in -- "$settle" >first 2>err || status=$?
      ((status <= 2)) || { echo "$call $n: status $status"; cat err; false; }
      politeness-sched --quiet --state=state --delay=0 in -- "$settle" >second 2>err ||
        { echo "$call $n: the state does not open again"; cat err; false; }
      cat first second | cut -f1 | sort -u | diff want -
    done
  done
}

@test "bug: a crash within --checkpoint lost the only copy" {
  local call n killed
  launch=()
  printf 'http://h%s.example/\n' 1 2 3 >in
  politeness-sched --quiet --state=state --delay=0 in -- "$settle" >first
  politeness-sched --state=state --list >want
  politeness-sched --state=state --checkpoint=copy
  # killed_at CALL N [OTHER]...: sets `killed` to whether the N-th call was reached; what is left must be a copy.
  killed_at() {
    killed=no
    timeout 60 strace -f -qq -o /dev/null -e "trace=$1,renameat2" -e "inject=$1:signal=KILL:when=$2" "${@:3}" \
      politeness-sched --state=state --checkpoint=copy 2>err || killed=yes
    if [[ -e copy ]]; then
      politeness-sched --state=copy --list | diff want - || { echo "$1 $2"; false; }
    else
      (($# > 2))
      politeness-sched --state=copy.old --list | diff want - || { echo "$1 $2: old"; false; }
    fi
  }
  for call in rename renameat2 unlink; do
    for ((n = 1; n <= 12; ++n)); do
      killed_at "$call" "$n"
      [[ $killed == yes ]] || break
    done
    ((n > 1))
  done
  # The same on a file system where two folders cannot be exchanged.
  for ((n = 1; n <= 12; ++n)); do
    killed_at rename "$n" -e inject=renameat2:error=EINVAL
    [[ $killed == yes ]] || break
  done
  ((n > 2))
  [[ ! -e copy.old && ! -e copy.new ]]
}
