#!/bin/bash
# An apt of its own for packages of another architecture, so that this machine's stays as it is:
#   foreign-apt.sh CACHE ARCH      prints the file for APT_CONFIG
# Sources and keys are those of this machine; lists and packages stay in CACHE.
set -euo pipefail
arch=$2
mkdir -p "$1"
own="$(cd "$1" && pwd)/apt-${arch}"
mkdir -p "${own}/state/lists/partial" "${own}/cache/archives/partial"
: >"${own}/status"
cat >"${own}/apt.conf" <<END
APT::Architecture "${arch}";
APT::Architectures { "${arch}"; };
APT::Install-Recommends "0";
APT::Sandbox::User "root";
Dir::State "${own}/state";
Dir::State::status "${own}/status";
Dir::Cache "${own}/cache";
END
fresh=$(find "${own}/cache" -name pkgcache.bin -mtime -1)
if [[ -z "${fresh}" ]]; then
  APT_CONFIG="${own}/apt.conf" apt-get update -qq >&2
fi
echo "${own}/apt.conf"
