# SPDX-License-Identifier: Apache-2.0
# Valkey or Redis servers on loopback for tests and benchmarks, which source this: a single server, a primary with
# replicas and Sentinels, or a cluster. Each is started in $PWD/engine.PORT, and $url then names them; end_servers ends
# all of them, by process id.
# shellcheck shell=bash disable=SC2016,SC2034  # conditions; what is said here is read there
server=$(type -P valkey-server || type -P redis-server) || true
client=$(type -P valkey-cli || type -P redis-cli) || true
declare -gA servers=()  # process id by port
group=()               # ports of the servers that hold what a crawl keeps: a primary and its replicas
sentinels=()
kind_of_engine=''
first_port=20000 port_count=12000 # to choose from
# Replicas do not migrate: one that came back once went to a primary without any at the second failover.
cluster_words=(--cluster-enabled yes --cluster-config-file nodes.conf --cluster-node-timeout 1000 --cluster-migration-barrier 9
  --repl-diskless-sync-delay 0)

# Pauses without a process, where the tests have them.
declare -F nap >/dev/null || nap() { sleep "$1"; }

# ask PORT WORD...
ask() { "$client" -p "$1" "${@:2}" 2>/dev/null; }
# until_so SECONDS CONDITION
until_so() {
  local end=$((SECONDS + $1))
  until eval "$2"; do
    ((SECONDS < end)) || { echo "engines: not within $1 s: $2" >&2; return 1; }
    nap 0.05
  done
}

# launch PORT SAID WORD...: starts a server there and waits until its log says SAID; false if it does not come up. The
# log is read because another test's server may answer at a port that is not free.
launch() {
  local port=$1 said=$2 end=$((SECONDS + 30)) log=''
  mkdir -p "engine.$port"
  # (The messages of an earlier server there must not count.)
  : >"engine.$port/log"
  "$server" "${@:3}" >"engine.$port/log" 2>&1 3>&- &
  servers[$port]=$!
  until { IFS= read -rd '' log <"engine.$port/log" || [[ $log == *"$said"* ]]; } 2>/dev/null; do
    if ! kill -0 "${servers[$port]}" 2>/dev/null || ((SECONDS >= end)); then
      end_server "$port"
      return 1
    fi
    nap 0.02
  done
}
launch_server() { # PORT WORD...
  launch "$1" 'Ready to accept connections' --port "$1" --bind 127.0.0.1 --save '' --appendonly no --dir "$PWD/engine.$1" "${@:2}"
}
# (Sentinel never promotes a replica that has been without its primary for ten times the period after which it counts as
# down: on a busy machine that happened to replicas that were cut off.)
launch_sentinel() { # PORT
  mkdir -p "engine.$1"
  printf '%s\n' "port $1" 'bind 127.0.0.1' "dir $PWD/engine.$1" "sentinel monitor it 127.0.0.1 ${group[0]} 2" \
    'sentinel down-after-milliseconds it 2000' 'sentinel failover-timeout it 3000' 'sentinel parallel-syncs it 2' >"engine.$1/conf"
  launch "$1" '+monitor' "engine.$1/conf" --sentinel
}
# at_free_port COMMAND [WORD...]: runs the command with $port before the words. (Servers of a cluster speak to each
# other at port + 10000.)
at_free_port() {
  local tries
  for tries in {1..30}; do
    port=$((first_port + (RANDOM * 7 + tries) % port_count))
    [[ -n ${servers[$port]-} ]] || ! "$1" "$port" "${@:2}" || return 0
  done
  echo "engines: $server does not start:" >&2
  cat "engine.$port/log" >&2
  return 1
}
start_server() { at_free_port launch_server "$@"; }
end_server() {
  kill "-${2-9}" "${servers[$1]}" 2>/dev/null || true
  wait "${servers[$1]}" 2>/dev/null || true
  unset "servers[$1]"
}
end_servers() {
  local one
  for one in "${!servers[@]}"; do end_server "$one"; done
  group=() sentinels=()
}

# Prints the port of the current primary; false if there is none.
primary() {
  local one
  for one in "${group[@]}"; do
    [[ -n ${servers[$one]-} && $(ask "$one" role) == master* ]] || continue
    echo "$one"
    return
  done
  return 1
}
replicas_are_whole() {
  local one
  one=$(primary) && [[ $(ask "$one" info replication) == *state=online*state=online* ]]
}

start_one() {
  kind_of_engine=one
  start_server "$@"
  group=("$port")
  url=redis://127.0.0.1:$port/crawl
}

start_replicated() {
  local one first
  kind_of_engine=replicated group=() sentinels=()
  start_server --repl-diskless-sync-delay 0
  first=$port
  group=("$first")
  for one in 1 2; do
    start_server --repl-diskless-sync-delay 0 --replicaof 127.0.0.1 "$first"
    group+=("$port")
  done
  until_so 30 replicas_are_whole
}

# Starts three Sentinels, which find out within two seconds that they are three.
start_sentinel() {
  local one hosts=''
  start_replicated
  kind_of_engine=sentinel
  for one in 1 2 3; do
    at_free_port launch_sentinel
    sentinels+=("$port")
    hosts+=${hosts:+,}127.0.0.1:$port
  done
  for one in "${sentinels[@]}"; do
    until_so 30 "[[ \$(ask $one sentinel ckquorum it) == 'OK 3'* && \$(ask $one sentinel replicas it) == *runid*runid* ]]"
  done
  url="redis://$hosts/crawl?sentinel=it"
}

# Starts three primaries, the fewest that can outvote one; the one that has the crawl's keys has two replicas.
start_cluster() {
  local one id slot hosts='' ports=()
  kind_of_engine=cluster group=()
  for one in 0 1 2 3 4; do
    start_server "${cluster_words[@]}"
    ports+=("$port")
    ((one > 2)) || ask "$port" cluster set-config-epoch $((one + 1)) >/dev/null
    ((one > 2)) || ask "$port" cluster addslotsrange $((one * 5461)) $((one == 2 ? 16383 : one * 5461 + 5460)) >/dev/null
  done
  for one in "${ports[@]:1}"; do ask "$one" cluster meet 127.0.0.1 "${ports[0]}" >/dev/null; done
  for one in "${ports[@]}"; do until_so 30 "[[ \$(ask $one cluster info) == *cluster_known_nodes:5* ]]"; done
  slot=$(ask "${ports[0]}" cluster keyslot 'spinneret:{crawl}:version')
  group=("${ports[slot / 5461 > 2 ? 2 : slot / 5461]}" "${ports[@]:3}")
  id=$(ask "${group[0]}" cluster myid)
  for one in "${ports[@]:3}"; do until_so 30 "[[ \$(ask $one cluster replicate $id) == OK ]]"; done
  until_so 30 replicas_are_whole
  for one in "${ports[@]}"; do until_so 30 "[[ \$(ask $one cluster info) == *cluster_state:ok* ]]"; done
  # The primary that has the keys is not named: a crawl finds it.
  for one in "${ports[@]}"; do [[ $one == "${group[0]}" ]] || hosts+=${hosts:+,}127.0.0.1:$one; done
  url=redis://$hosts/crawl
}

# From now on only the primary has what is written.
cut_replicas_off() {
  # Connected clients stay connected; no new one is let in.
  printf '%s\n' 'config set requirepass cut' 'client kill type replica' | ask "$1" >/dev/null
}
# The primary dies, one of its replicas takes over, and the old primary comes back empty, as a replica.
fail_over() {
  local old=$1 one
  end_server "$old"
  if ! until_so 120 'one=$(primary)'; then
    # The logs say whether they stood still (tilt), or found none to promote.
    for one in "${sentinels[@]}"; do tail -n 4 "engine.$one/log" >&2; done
    return 1
  fi
  local words=("${cluster_words[@]}")
  [[ $kind_of_engine == cluster ]] || words=(--repl-diskless-sync-delay 0 --replicaof 127.0.0.1 "$(primary)")
  until_so 120 'launch_server "$old" "${words[@]}"' || return
  until_so 120 replicas_are_whole
}
