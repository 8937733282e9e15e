#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test, and lets nothing of it stay.

    keeper.py SECONDS GRACE COMMAND...

Whatever COMMAND started and left running, in whatever session or process group, is given GRACE seconds to end, then
named with its folder and ended; the test has then failed, as it has where it takes longer than SECONDS. A server that a failed test leaves behind would
otherwise work on beside all later tests, and its log's open pipe would keep ctest waiting.

Orphans come to this process (prctl(2), PR_SET_CHILD_SUBREAPER), so that no other process of the machine is ever meant;
it ends them, too, where ctest is ended. Exit status: COMMAND's; 1 where something was left.
"""
import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def parents():
    """The parent of each process that is no zombie."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as stat:
                state, parent = stat.read().rpartition(b") ")[2].split()[:2]
        except OSError:  # the process has ended meanwhile
            continue
        if state not in (b"Z", b"X"):
            found[int(entry)] = int(parent)
    return found


def descendants():
    parent_of = parents()
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parent_of.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return sorted(found - {os.getpid()})


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def describe(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        return f"{words[:300]} (process {pid}, in {os.readlink(f'/proc/{pid}/cwd')})"
    except OSError:
        return None


def end_all():
    """What was stopped, or starts another as it ends, needs another round."""
    while left := descendants():
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
        reap()


def too_long(_number, _frame):
    raise TimeoutError


def run(seconds, command):
    """Orphans are reaped as they end: a test may wait until nothing of a session is left."""
    child = os.posix_spawnp(command[0], command, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(seconds)
    try:
        while True:
            pid, status = os.waitpid(-1, 0)
            if pid == child:
                signal.alarm(0)
                return os.waitstatus_to_exitcode(status)
    except TimeoutError:
        print(f"keeper: not over within {seconds} seconds", flush=True)
        return 1


def left_behind(grace):
    """What was told to end may need a moment."""
    end = time.monotonic() + grace
    while descendants() and time.monotonic() < end:
        reap()
        time.sleep(0.02)
    return [words for pid in descendants() if (words := describe(pid))]


def leave(number, _frame):
    end_all()
    os._exit(128 + number)


def main():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, leave)
    for option, value in ((PR_SET_CHILD_SUBREAPER, 1), (PR_SET_PDEATHSIG, signal.SIGTERM)):
        if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
            sys.exit(f"keeper: prctl: {os.strerror(ctypes.get_errno())}")
    status = run(int(sys.argv[1]), sys.argv[3:])
    for words in left_behind(float(sys.argv[2])):
        print(f"keeper: left running: {words}", flush=True)
        status = status or 1
    end_all()
    sys.exit(status if status >= 0 else 128 - status)


main()
