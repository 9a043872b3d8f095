#!/usr/bin/env bash
# Installs what the tests need and this machine lacks: programs (Debian and Ubuntu, as root) and the npm packages that
# stand outside the workspace. Says what it does, and does nothing when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# program:package
PROGRAMS=(git:git curl:curl gh:gh bwrap:bubblewrap redis-server:redis-server initdb:postgresql setpriv:util-linux pgrep:procps chromium:chromium)
# Folders with a package-lock.json of their own, for the size of what they install.
FOLDERS=(test/oracles test/real-agents)

has() { # PROGRAM
  # Debian keeps PostgreSQL's server programs off the PATH.
  [[ $1 == initdb ]] && compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && return
  command -v "$1" >/dev/null
}

missing_packages() {
  local pair
  for pair in "${PROGRAMS[@]}"; do
    has "${pair%%:*}" || echo "${pair##*:}"
  done
}

apt() { # ARGUMENTS…: once more after a failure, since mirrors hiccup
  DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null && return
  echo "test tools: apt-get $1 failed, trying once more"
  sleep 5
  DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null
}

# The tests start their own servers on free ports. Debian would start one of each at installation: policy-rc.d says no.
install_packages() { # PACKAGES…
  local policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  apt update
  apt install --no-install-recommends "$@"
}

install_programs() {
  local packages
  mapfile -t packages < <(missing_packages)
  ((${#packages[@]} > 0)) || return 0
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    echo "test tools: installing ${packages[*]}"
    install_packages "${packages[@]}"
  else
    echo "test tools: NOT INSTALLED: ${packages[*]}"
    echo "test tools: the tests that need them will fail. On Debian or Ubuntu: sudo apt-get install ${packages[*]}"
    echo "test tools: elsewhere, install the programs of the same names with your package manager."
  fi
}

install_folder() { # FOLDER
  [[ -f $1/package-lock.json ]] || return 0
  local stamp=$1/node_modules/.installed-lock lock
  lock=$(git hash-object --no-filters "$1/package-lock.json")
  [[ -f $stamp && $(<"$stamp") == "$lock" ]] && return
  echo "test tools: npm ci --prefix $1"
  npm ci --prefix "$1" --no-audit --no-fund </dev/null
  echo "$lock" >"$stamp"
}

install_programs
# At the same time: both mostly wait for the registry.
running=()
for folder in "${FOLDERS[@]}"; do
  install_folder "$folder" &
  running+=($!)
done
for pid in "${running[@]}"; do
  wait "$pid"
done
