#!/bin/bash
# Makes the setup and the MSI for Windows around the two executables of packaging/single.sh.
#   usage: packaging/setup.sh OUT        OUT holds platen-VERSION-win32-x64.exe and platenw-VERSION-win32-x64.exe
#   env: FAST=1: a setup that is larger and made quickly, for tests; CODE_CERT, CODE_KEY: a certificate and key (PEM) to sign all of them with (osslsigncode); TIMESTAMP_URL
# Debian packages: nsis, wixl.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
out=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(node -p 'require("./package.json").version')
# The same inputs make the same setup.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}

# sign FILE: where a certificate is given.
sign() {
  [ -n "${CODE_CERT:-}" ] || return 0
  osslsigncode sign -certs "$CODE_CERT" -key "$CODE_KEY" -n platen ${TIMESTAMP_URL:+-ts "$TIMESTAMP_URL"} \
    -in "$1" -out "$work/signed" >/dev/null
  cat "$work/signed" >"$1"
}

# code NAME: a UUID of these very executables (RFC 9562, version 8), in capitals as an MSI wants it.
code() {
  { echo "$1" && cat "$work/platen.exe" "$work/platenw.exe"; } | sha256sum |
    sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-8\3-A\4-\5/' | tr a-f A-F
}

for name in platen platenw; do
  sign "$out/$name-$version-win32-x64.exe"
  cp "$out/$name-$version-win32-x64.exe" "$work/$name.exe"
done
node --input-type=module -e '
  import { writeFileSync } from "node:fs"
  import { drawIcons, packIcons } from "./packaging/windows-exe.ts"
  writeFileSync(process.argv[1], packIcons(await drawIcons()))' "$work/platen.ico"
sed 's/$/\r/' LICENSE >"$work/LICENSE.txt"
find "$work" -type f -exec touch -d "@$SOURCE_DATE_EPOCH" {} +

makensis -V2 -NOCD ${FAST:+-DFAST} "-DVERSION=$version" "-DFOLDER=$work" "-DOUT=$out/platen-$version-setup.exe" packaging/platen.nsi
sign "$out/platen-$version-setup.exe"
# wixl reads absolute names as parts of its own folder.
wxs=$PWD/packaging/platen.wxs
(cd "$work" && wixl --arch x64 -D "Version=$version" -D "Product=$(code product)" -D Folder=. -o "$out/platen-$version.msi" "$wxs" 2>/dev/null)
node packaging/msi-summary.ts "$out/platen-$version.msi" "{$(code package)}" "$SOURCE_DATE_EPOCH"
sign "$out/platen-$version.msi"
for file in "$out/platen-$version-setup.exe" "$out/platen-$version.msi"; do echo "$file $(stat -c %s "$file") bytes"; done
