#!/bin/bash
# Makes the container image, without a container engine: a file for each processor that Docker, Podman, skopeo and containerd load.
# Its system is what Node.js needs of Debian and nothing else: no shell, no package manager.
#   usage: packaging/container.sh OUT [amd64|arm64]...      after `node packaging/build.js`; as root, with mmdebstrap
#          packaging/container.sh --tree FOLDER ARCH         only platen with its Node.js, into a folder: the Dockerfile does this
#   env: SOURCE_DATE_EPOCH, SUITE (default trixie), MIRROR, SECURITY_MIRROR (see mirror.sh), CACHE (see npm-parts.sh)
set -euo pipefail
umask 022 # the user of the image is not root
cd "$(dirname "$(realpath "$0")")/.."
. packaging/versions.env
version=$(node -p 'require("./package.json").version')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y package.json)}
export SOURCE_DATE_EPOCH
suite=${SUITE:-trixie}
user=10000 # as in container/oci.ts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. packaging/npm-parts.sh
[ -f dist/main.js ] || { echo "dist/ is missing: run make build." >&2; exit 1; }

# node_tree ARCH FOLDER: the pinned Node.js.
node_tree() {
  mkdir -p "$2/usr/lib/platen/bin"
  tar xzOf "$(fetch_node "$1")" package/bin/node >"$2/usr/lib/platen/bin/node"
  chmod 755 "$2/usr/lib/platen/bin/node"
}

# platen_tree ARCH FOLDER: the program, its user, and its folder for what must last.
platen_tree() {
  local lib=$2/usr/lib/platen
  mkdir -p "$lib/node_modules" "$2"/{tmp,usr/lib/share,usr/share/doc/platen,var/lib/platen}
  cp -r dist/. "$lib/"
  rm -f "$lib/main.cache" # of the processor that builds
  printf '{"name":"platen","version":"%s","type":"commonjs"}\n' "$version" >"$lib/package.json"
  native linux "${1/amd64/x64}" "$lib/node_modules"
  cp packaging/container/start.cjs "$lib/start.cjs"
  cp packaging/debian/config.json "$2/usr/lib/share/config.json"
  cat LICENSE dist/licenses.txt >"$2/usr/share/doc/platen/copyright"
  chmod -R u=rwX,go=rX "$2"
  chmod 1777 "$2/tmp"
}

# debian_tree ARCH FOLDER LIST: unpacked, not installed, so that any machine can do it for any ARCH; LIST gets what is in it.
debian_tree() {
  local name keep=(etc/debian_version etc/host.conf etc/os-release lib lib64 usr/lib usr/lib64 usr/share/doc)
  # shellcheck disable=SC2016 # mmdebstrap gives $1
  mmdebstrap --quiet --arch="$1" --variant=extract --mode=root --format=directory --include=base-files,libc6,libgcc-s1,libstdc++6 \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --extract-hook='for deb in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb -W --showformat="\${Package} \${Version} \${Architecture}\n" "$deb"; done >"$1/packages"' \
    "$suite" "$work/debian-$1" "deb $MIRROR $suite main" "deb $SECURITY_MIRROR $suite-security main" >&2
  grep -v '^mawk ' "$work/debian-$1/packages" | LC_ALL=C sort >"$3" # base-files asks for an awk; nothing here runs one
  rm -rf "$work/debian-$1/usr/share/doc/mawk"
  mkdir -p "$2"/{dev,etc,proc,sys,run} # an engine mounts there, also over a root that it cannot write
  for name in "${keep[@]}"; do
    [ ! -e "$work/debian-$1/$name" ] || (cd "$work/debian-$1" && cp -a --parents "$name" "$2/")
  done
  printf 'root:x:0:0::/root:/none\nplaten:x:%s:%s::/var/lib/platen:/none\n' $user $user >"$2/etc/passwd"
  printf 'root:x:0:\nplaten:x:%s:\n' $user >"$2/etc/group"
}

# layer FOLDER FILE: a tar of it, the same bytes for the same files.
layer() {
  (cd "$1" && find . -mindepth 1 -print0 | LC_ALL=C sort -z |
    tar -c --exclude=./var/lib/platen --no-recursion --null -T - --format=gnu --mtime="@$SOURCE_DATE_EPOCH" \
      --numeric-owner --owner=0 --group=0 --transform='s#^\./##' -f "$2")
}

if [ "$1" = --tree ]; then
  node_tree "$3" "$2"
  platen_tree "$3" "$2"
  exit 0
fi
. packaging/mirror.sh
out=$(mkdir -p "$1" && realpath "$1")
shift
[ $# -gt 0 ] || set -- amd64 arm64
for arch; do
  debian_tree "$arch" "$work/$arch-1" "$out/platen-$version-container-$arch.packages"
  node_tree "$arch" "$work/$arch-2"
  platen_tree "$arch" "$work/$arch-3"
  find "$work/$arch"-? -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  for part in 1 2 3; do layer "$work/$arch-$part" "$work/$arch-$part.tar"; done
  # The volume belongs to the user; a volume that an engine makes begins as a copy of it.
  tar -rf "$work/$arch-3.tar" -C "$work/$arch-3" --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner \
    --owner=$user --group=$user --mode=750 var/lib/platen
  node packaging/container/oci.ts "$out/platen-$version-container-$arch.tar" "$arch" "$version" "$work/$arch"-{1,2,3}.tar
done
