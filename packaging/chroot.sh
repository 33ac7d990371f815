#!/bin/bash
# A plain Debian as a tar file, for tests of the packages; made once, then taken from the cache.
#   usage: packaging/chroot.sh ARCH [wine]        with Wine and a print system instead of systemd; prints the tar's name; as root, with mmdebstrap (and binfmt for another ARCH)
#   env: SUITE (default trixie), MIRROR, SECURITY_MIRROR (default: those of this machine's apt), CACHE (default .cache/packages)
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/mirror.sh
suite=${SUITE:-trixie}
tar=${CACHE:-.cache/packages}/$suite-$1${2:+-$2}.tar
case ${2:-} in
  wine) packages=wine,wine64,libcups2t64,cups-daemon,cups-client ;;
  *) packages=systemd,udev,libstdc++6,netbase ;;
esac
mkdir -p "$(dirname "$tar")"
exec 9>"$tar.lock"
flock 9 # two tests may want it at once
if [ ! -s "$tar" ]; then
  # hwdb.d: building the hardware database takes 90 s under emulation, and nothing here reads it.
  mmdebstrap --quiet --arch="$1" --variant=minbase --mode=root --format=tar --include="$packages" \
    --dpkgopt='path-exclude=/usr/lib/udev/hwdb.d/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
    "$suite" "$tar.new" "deb $MIRROR $suite main" >&2
  mv "$tar.new" "$tar"
fi
echo "$tar"
