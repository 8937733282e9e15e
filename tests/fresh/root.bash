# SPDX-License-Identifier: Apache-2.0
# Debian roots for tests/fresh/run: debootstrap makes one, each run unpacks it, and namespaces enter it. Reads suite and
# user, tree and here, work and root; child is the process that runs in a root now, objects the cache of compiled files.
# shellcheck disable=SC2154
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/spinneret/fresh
child='' archives=''

# Says why, and ends with the status that means that nothing was tried.
no_root() {
  printf 'fresh: NO FRESH ROOT CAN BE MADE HERE: %s\n' "$*" >&2
  exit 3
}

may_make_roots() {
  ((EUID == 0)) || no_root "only root may: sudo $0 $suite"
  unshare --mount --pid --net --fork -- true 2>/dev/null || no_root "this machine allows no namespaces"
  # Only one run at a time may do this, or make the bare root below.
  mkdir -p -- "$cache"
  exec {lock}>"$cache/lock"
  flock "$lock"
  command -v debootstrap >/dev/null || {
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends debootstrap
  } >&2 || no_root "debootstrap is not installed, and apt-get cannot"
  exec {lock}>&-
}

# Prints the Debian mirror that this machine's apt uses, or else the public one.
mirror() {
  local found
  found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -nE 's|^(deb( \[[^]]*\])?\|URIs:) +(https?://[^ ]*/debian/?)( .*)?$|\3|p' | head -n 1) || true
  printf '%s\n' "${found:-http://deb.debian.org/debian}"
}

# Makes a bare root of the suite as a file in the cache.
make_base() {
  base=$cache/$suite-$(dpkg --print-architecture).tar kept=$cache/$suite-packages
  objects=$cache/$suite-$user-objects
  mkdir -p -- "$kept/partial" "$objects"
  # apt locks its folder of packages, so each run has one of its own, with links to the packages that are kept.
  archives=$(mktemp -d "$cache/run.XXXXXX")
  mkdir -- "$archives/partial"
  exec {lock}>"$cache/lock"
  flock "$lock"
  if [[ ! -f $base ]]; then
    printf 'fresh: debootstrap %s from %s\n' "$suite" "$(mirror)" >&2
    debootstrap --variant=minbase --include=ca-certificates,git,sudo --cache-dir="$kept" \
      "$suite" "$work/base" "$(mirror)" >"$work/debootstrap.log" 2>&1 ||
      { tail -n 5 -- "$work/debootstrap.log" >&2; no_root "debootstrap failed"; }
    # The settings by which this machine reaches its mirror and checks the mirror's dates.
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-)' >"$work/base/etc/apt/apt.conf.d/90machine" || true
    printf 'APT::Sandbox::User "root";\nAcquire::Languages "none";\n' >>"$work/base/etc/apt/apt.conf.d/90machine"
    echo force-unsafe-io >"$work/base/etc/dpkg/dpkg.cfg.d/fresh"
    rm -f -- "$work/base"/var/cache/apt/archives/*.deb
    chroot "$work/base" useradd -m -s /bin/bash newcomer
    echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$work/base/etc/sudoers.d/newcomer"
    printf '127.0.0.1 localhost fresh\n::1 localhost ip6-localhost\n' >"$work/base/etc/hosts"
    echo fresh >"$work/base/etc/hostname"
    tar -cf "$base.new" -C "$work/base" .
    mv -- "$base.new" "$base"
    rm -rf --one-file-system -- "$work/base"
  fi
  link_packages "$kept" "$archives"
  exec {lock}>&-
}

# link_packages FROM TO: links the packages that are missing there.
link_packages() { find "$1" -maxdepth 1 -name '*.deb' -exec cp -nl -t "$2" -- {} + 2>/dev/null || true; }

# unpack_root FOLDER
unpack_root() {
  mkdir -- "$1"
  tar -xf "$base" -C "$1"
  cp -L -- /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
}

# clone_into HOME: clones HEAD of this tree, as a newcomer would.
clone_into() {
  [[ -z $(git -C "$tree" status --porcelain 2>/dev/null) ]] || printf 'fresh: what is not committed is left out\n' >&2
  git -c advice.detachedHead=false clone -q --no-hardlinks -- "$tree" "$1/spinneret"
  chroot "$root" chown -R newcomer: /home/newcomer/spinneret
  if [[ $user == root ]]; then  # whose home is elsewhere
    chroot "$root" chown -R root: /home/newcomer/spinneret
    ln -s /home/newcomer/spinneret "$root/root/spinneret"
  fi
}

# Only here does the first root see the network: for the package lists, the packages that scripts/setup names, and the
# compiler cache, whose own libraries are among these.
fetch_packages() {
  local began=$SECONDS
  # shellcheck disable=SC2016  # $() is for the root's shell
  in_root "$root" network root 'apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends --download-only \
      $(for purpose in test cross; do bash /home/newcomer/spinneret/scripts/setup list $purpose; done) &&
    apt-get install -y -qq --no-install-recommends ccache' \
    >"$work/apt.log" 2>&1 || { tail -n 20 -- "$work/apt.log" >&2; no_root "its packages cannot be had"; }
  printf 'Acquire::Retries "0";\n' >>"$root/etc/apt/apt.conf.d/90machine"
  printf 'fresh: package lists and packages in %d s, into %s\n' $((SECONDS - began)) "$kept" >&2
}

# in_root FOLDER network|loopback USER COMMAND: runs the command in namespaces of its own, as that user's login shell
# would. It has the usual signals, although it is a background job here, which lets a trap end it.
in_root() {
  local net=() status=0
  [[ $2 == network ]] || net=(--net)
  env --default-signal=INT,QUIT unshare --mount --pid --ipc --uts "${net[@]}" --fork --kill-child -- \
    bash "$here/inside" "$1" "$2" "$3" "$archives" "$objects" "$tree/../shared" "$4" <&0 &
  child=$!
  wait "$child" || status=$?
  child=''
  return "$status"
}

# Ends what runs, and then removes the folder in which it ran. The mounts were in a namespace that is gone with its last
# process.
leave() {
  if [[ -n $child ]]; then
    kill -KILL "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  if [[ -n $archives ]]; then
    link_packages "$archives" "$kept"
    rm -rf --one-file-system -- "$archives"
  fi
  [[ -z ${KEEP-} ]] || { printf 'fresh: kept in %s\n' "$work" >&2; return; }
  rm -rf --one-file-system -- "$work"
}
