#!/bin/bash
# Makes everything that a release page needs in one folder, with its list of parts (SBOM), checksums, and a signature over these.
#   usage: packaging/release.sh OUT      after `node packaging/build.js`; OUT is not there yet; as root, on Debian
#   env: SIGN_KEY    file with the secret key (gpg), or the id of one in gpg's own keyring: needed
#        UNSIGNED=1  makes it without a key; a file in OUT says so
#        REPLACE=1   an OUT that is there stays until the new one is made, and goes then
#        PARTS       some of them alone, for tests: npm linux windows setup mac debian container image
#        SOURCE_DATE_EPOCH (default: that of the commit), and those of the scripts for each part: MIRROR, MAINTAINER, CODE_CERT, CODE_KEY, FAST, CACHE
# The SD image is taken from packages/, where `make image` puts it; where there is none the release has none, and its list says so.
set -euo pipefail
umask 022
cd "$(dirname "$(realpath "$0")")/.."
version=$(node -p 'require("./package.json").version')
parts=${PARTS:-npm linux windows setup mac debian container image}
if [ -z "${SIGN_KEY:-}" ] && [ "${UNSIGNED:-}" != 1 ]; then
  echo 'A release is signed: give SIGN_KEY, the file of a secret key or the id of one in the keyring of gpg. UNSIGNED=1 makes one that says it is not.' >&2
  exit 2
fi
[ ! -e "$1" ] || [ "${REPLACE:-}" = 1 ] || { echo "$1 is there already: remove it, or name another folder." >&2; exit 2; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made=$work/made
mkdir "$made"
lists=()

wants() { [[ " $parts " == *" $1 "* ]]; }

# A tar keeps what a download of the bare file loses: the right to start it.
mac() {
  local arch name
  for arch in arm64 x64; do
    packaging/single.sh "$work" "darwin-$arch"
    name=platen-$version-darwin-$arch
    mkdir -p "$work/mac/$name"
    mv "$work/$name" "$work/mac/$name/platen"
    cp LICENSE packaging/mac.txt "$work/mac/$name/"
    tar -c --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
      -C "$work/mac" "$name" | gzip -9n >"$made/$name.tar.gz"
    echo "$name.tar.gz $(stat -c %s "$made/$name.tar.gz") bytes"
  done
}

# The image that was made before must be of this version.
image() {
  local held
  if [ ! -f packages/platen.img.zst ]; then
    echo 'no SD image: packages/platen.img.zst is not there (make image)'
    return
  fi
  held=$(sed -n 's/^platen \([^ ]*\) .*/\1/p' packages/platen.packages)
  [ "$held" = "$version" ] || { echo "packages/platen.img.zst holds version $held, this is $version: make image, or remove it." >&2; exit 1; }
  cp packages/platen.img.zst "$made/platen-$version.img.zst"
  cp packages/platen.sbom.cdx.json "$made/platen-$version.img.sbom.cdx.json"
}

if wants npm; then packaging/npm.sh "$made"; fi
if wants linux; then packaging/single.sh "$made" linux-x64 linux-arm64; fi
if wants windows || wants setup; then packaging/single.sh "$made" win32-x64; fi
if wants setup; then packaging/setup.sh "$made"; fi
if wants mac; then mac; fi
if wants debian; then
  packaging/deb.sh "$made"
  packaging/appliance.sh "$made"
fi
if wants container; then
  packaging/container.sh "$made"
  mv "$made"/*.packages "$work/"
  lists=("$work"/*.packages)
fi
if wants image; then image; fi
node packaging/sbom.ts --node "${lists[@]}" >"$made/platen-$version.sbom.cdx.json"

cp CHANGELOG.md LICENSE "$made/"
if [ -z "${SIGN_KEY:-}" ]; then
  echo "Nobody signed these files: they are for trying platen $version, not for handing it out." >"$made/UNSIGNED.txt"
fi
(cd "$made" && LC_ALL=C sha256sum -- * >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$made/"
if [ -n "${SIGN_KEY:-}" ]; then
  key=$SIGN_KEY
  if [ -f "$SIGN_KEY" ]; then
    export GNUPGHOME=$work/gnupg
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch -q --import "$SIGN_KEY"
    key=$(gpg --batch --list-secret-keys --with-colons | awk -F: '/^fpr/{print $10; exit}')
  fi
  gpg --batch -q --yes --local-user "$key" --armor --detach-sign -o "$made/SHA256SUMS.asc" "$made/SHA256SUMS"
  gpg --batch -q --armor --export "$key" >"$made/platen-release-key.asc"
  [ ! -f "$SIGN_KEY" ] || gpgconf --kill gpg-agent
fi
mkdir -p "$(dirname "$1")"
rm -rf "$1"
mv "$made" "$1"
ls -l "$1"
echo "$1: $(grep -c . "$1/SHA256SUMS") files, $([ -n "${SIGN_KEY:-}" ] && echo signed || echo 'NOT signed')"
