#!/bin/bash
# Makes or refreshes a signed apt repository that any static web server can carry, and platen.sources for its clients.
#   usage: packaging/repo.sh OUT DEB...
#   env: REPO_URL   where OUT will be found; in platen.sources (default: none is written)
#        SIGN_KEY   file with the secret key, or the id of one in gpg's own keyring (needed)
#        CHANNEL    stable (default) or edge
#        VALID_DAYS after which clients refuse the list as stale (default 30): sign again before that
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
shift
channel=${CHANNEL:-stable}
case $channel in stable | edge) ;; *) echo "CHANNEL is \"$channel\", wanted stable or edge." >&2; exit 2 ;; esac
[ -n "${SIGN_KEY:-}" ] || { echo "SIGN_KEY is missing: the file of a secret key, or the id of one in gpg's keyring." >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -f "$SIGN_KEY" ]; then
  export GNUPGHOME=$work/gnupg # never inside OUT: a web server shows that
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch -q --import "$SIGN_KEY"
  key=$(gpg --batch --list-secret-keys --with-colons | awk -F: '/^fpr/{print $10; exit}')
else
  key=$SIGN_KEY
fi

mkdir -p "$out/pool/$channel"
for deb; do cp "$deb" "$out/pool/$channel/"; done
cd "$out"
dist=dists/$channel
rm -f "$dist/InRelease" "$dist/Release" # or Release would list itself
for arch in amd64 arm64; do
  index=$dist/main/binary-$arch
  mkdir -p "$index"
  apt-ftparchive --arch "$arch" packages "pool/$channel" >"$index/Packages"
  xz -kf "$index/Packages"
done
option() { printf '%s\n' -o "APT::FTPArchive::Release::$1=$2"; }
mapfile -t options < <(
  option Origin platen
  option Label platen
  option Suite "$channel"
  option Codename "$channel"
  option Components main
  option Architectures 'amd64 arm64'
  option ValidTime $((${VALID_DAYS:-30} * 86400))
)
apt-ftparchive "${options[@]}" release "$dist" >"$work/Release"
mv "$work/Release" "$dist/Release"
gpg --batch -q --yes --local-user "$key" --clearsign -o "$dist/InRelease" "$dist/Release"
if [ -n "${REPO_URL:-}" ]; then
  {
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By:\n' "$REPO_URL" "$channel"
    gpg --batch --armor --export "$key" | sed 's/^$/./; s/^/ /'
  } >"platen-$channel.sources"
fi
[ ! -f "$SIGN_KEY" ] || gpgconf --kill gpg-agent
echo "$out: channel $channel, $(ls "pool/$channel" | wc -l) packages, valid for ${VALID_DAYS:-30} days"
