#!/bin/bash
# Makes the Debian package platen-appliance: what the SD image has besides the print server and what must be updatable in the
# field. The same bytes for the same input.
#   usage: packaging/appliance.sh OUT
#   env: VERSION, MAINTAINER, SOURCE_DATE_EPOCH as for deb.sh
set -euo pipefail
umask 022 # what a package holds is read by everybody
cd "$(dirname "$(realpath "$0")")/.."
out=$(mkdir -p "$1" && realpath "$1")
version=${VERSION:-$(node -p 'require("./package.json").version')}
maintainer=${MAINTAINER:-platen <platen@localhost>}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y package.json)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/platen-appliance lib=$work/platen-appliance/usr/lib/platen-appliance
units=$tree/usr/lib/systemd/system doc=$tree/usr/share/doc/platen-appliance
mkdir -p "$lib" "$units" "$doc" "$tree/usr/share/lintian/overrides" "$tree/DEBIAN"
for script in image/appliance/*; do
  case $script in *.ts) ;; *) install -m 755 "$script" "$lib/" ;; esac
done
esbuild image/appliance/import.ts --bundle --platform=node --target=node24 --format=esm --log-level=warning \
  --outfile="$lib/import.js"
echo '{"type":"module"}' >"$lib/package.json"
cp -r systemd/appliance/. "$units/"
cp packaging/debian/platen-appliance.lintian-overrides "$tree/usr/share/lintian/overrides/platen-appliance"
cp LICENSE "$doc/copyright"
printf 'platen-appliance (%s) stable; urgency=medium\n\n  * The changes are told in CHANGELOG.md of the project.\n\n -- %s  %s\n' \
  "$version" "$maintainer" "$(date -Ru -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
chmod -R u=rwX,go=rX "$tree"
cat >"$tree/DEBIAN/control" <<END
Package: platen-appliance
Version: $version
Architecture: all
Maintainer: $maintainer
Section: net
Priority: optional
Depends: platen (>= $version), systemd (>= 255), iproute2, avahi-daemon, avahi-utils, wpasupplicant, dropbear-bin
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f1)
Description: label print server, the parts of the SD image
 What a Raspberry Pi needs to be a print server by itself: settings from the
 FAT partition, names on the network, the LED, and a data partition that grows.
 It belongs on the image and on nothing else.
END
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
for script in preinst postinst prerm postrm; do
  install -m 755 "packaging/debian/platen-appliance.$script" "$tree/DEBIAN/$script"
done
find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 -r touch -h -d "@$SOURCE_DATE_EPOCH"
file=$out/platen-appliance_${version}_all.deb
dpkg-deb --root-owner-group -Zxz -b "$tree" "$file" >/dev/null
echo "$file $(stat -c %s "$file") bytes"
