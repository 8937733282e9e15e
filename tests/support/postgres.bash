# SPDX-License-Identifier: Apache-2.0
# A PostgreSQL on loopback for tests and benchmarks, which source this. It is in $pg_folder, and $pg_url then names a
# crawl in it; end_postgres ends it, by process id, and removes the folder. Since the server refuses to run as root,
# root runs it as nobody.
# shellcheck shell=bash disable=SC2034,SC2119,SC2120  # what is said here is read there; words that need not be
pg_programs=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) || true
pg_programs=${pg_programs%/initdb}
pg_server='' pg_folder='' pg_port=''
declare -F nap >/dev/null || nap() { sleep "$1"; }
as_pg=()
((EUID != 0)) || as_pg=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# pg_sql SQL: prints the result, a row a line, as the user with all rights.
pg_sql() { PGOPTIONS='-c client_min_messages=error' psql -XqAt -F ' ' -h 127.0.0.1 -p "$pg_port" -U postgres -d postgres -c "$1"; }

# (Its files need not survive a crash of the machine.) Only the first test of a file makes the data, and the others copy
# it, since initdb costs ten times as much.
make_postgres() {
  local made=${BATS_FILE_TMPDIR-}
  pg_folder=$(mktemp -d /tmp/spinneret-pg.XXXXXX)
  ((EUID != 0)) || chown 65534:65534 "$pg_folder"
  if [[ -n $made && -d $made/pg.whole ]]; then
    cp -a -- "$made/pg.whole" "$pg_folder/data"
    return
  fi
  (cd / && "${as_pg[@]}" "$pg_programs/initdb" -D "$pg_folder/data" -U postgres -A trust -N -E UTF8 --no-locale >"$pg_folder.log" 2>&1) ||
    { cat "$pg_folder.log" >&2; return 1; }
  [[ -z $made ]] || { cp -a -- "$pg_folder/data" "$made/pg.$BASHPID" && mv -- "$made/pg.$BASHPID" "$made/pg.whole"; }
}
# launch_postgres [WORD...]: starts the server and waits until it takes connections. If children of a killed server
# still use its files, it is tried again. (8 is the test's pipe.)
launch_postgres() {
  local end=$((SECONDS + 60)) log
  while ((SECONDS < end)); do
    : >"$pg_folder.log"
    (cd / && exec "${as_pg[@]}" "$pg_programs/postgres" -D "$pg_folder/data" -p "$pg_port" -c listen_addresses=127.0.0.1 \
      -c unix_socket_directories= -c log_min_messages=log "$@" >>"$pg_folder.log" 2>&1 3>&- 8>&-) &
    pg_server=$!
    until IFS= read -rd '' log <"$pg_folder.log" || [[ $log == *'database system is ready to accept connections'* ]]; do
      kill -0 "$pg_server" 2>/dev/null || break
      ((SECONDS < end)) || break
      nap 0.05
    done
    ! kill -0 "$pg_server" 2>/dev/null || return 0
    wait "$pg_server" 2>/dev/null || true
    grep -qE 'postmaster.pid|still in use' "$pg_folder.log" || break
    nap 0.1
  done
  cat "$pg_folder.log" >&2
  return 1
}
# launch_somewhere [WORD...]: launches it at a free port.
launch_somewhere() {
  local tries
  for tries in {1..20}; do
    pg_port=$((20000 + (RANDOM * 7 + tries) % 12000))
    ! launch_postgres "$@" || return 0
    grep -q 'Address already in use' "$pg_folder.log" || return 1
  done
  return 1
}
start_postgres() { # WORD...: of the server
  make_postgres
  launch_somewhere "$@"
  pg_url=postgresql://postgres@127.0.0.1:$pg_port/postgres/crawl
}
# stop_postgres [SIGNAL]: QUIT ends it at once without writing to the disk; after KILL its children find out by
# themselves.
stop_postgres() {
  [[ -n $pg_server ]] || return 0
  kill "-${1-QUIT}" "$pg_server" 2>/dev/null || true
  wait "$pg_server" 2>/dev/null || true
  pg_server=''
}
end_postgres() {
  stop_postgres
  [[ -z $pg_folder ]] || rm -rf -- "$pg_folder" "$pg_folder.log"
}
