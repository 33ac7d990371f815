#!/bin/sh
# check-node.sh FILE: holds the Node.js that npm fetched outside the lock file against the hash in versions.env. One that
# differs is removed, so that nothing runs it.
set -eu
file=$1
. "$(dirname "$0")/versions.env"
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) wanted=$NODE_SHA256_amd64 ;;
  Linux-aarch64) wanted=$NODE_SHA256_arm64 ;;
  *)
    echo "No hash of Node.js $NODE_VERSION is known for this kind of computer: $file was not checked." >&2
    exit 0
    ;;
esac
if command -v sha256sum >/dev/null; then found=$(sha256sum "$file"); else found=$(shasum -a 256 "$file"); fi
found=${found%% *}
[ "$found" = "$wanted" ] && exit 0
rm -f "$file"
echo "The Node.js that was downloaded is not the one that was tested (got $found, wanted $wanted). It was removed: try again; if it is still so, do not use it." >&2
exit 1
