#!/bin/bash
# Makes the Debian packages by plain dpkg-deb, the same bytes for the same input: platen (the bundle and its native parts)
# and platen-node (the pinned Node.js), for each architecture.
#   usage: packaging/deb.sh OUT [amd64|arm64]...      after `node packaging/build.js`
#   env: VERSION (default: that of package.json), MAINTAINER, SOURCE_DATE_EPOCH, CACHE (see npm-parts.sh),
#        PACKAGES (default: platen-node platen)
set -euo pipefail
umask 022 # what a package holds is read by everybody
cd "$(dirname "$(realpath "$0")")/.."
. packaging/versions.env
out=$(mkdir -p "$1" && realpath "$1")
shift
[ $# -gt 0 ] || set -- amd64 arm64
version=${VERSION:-$(node -p 'require("./package.json").version')}
maintainer=${MAINTAINER:-platen <platen@localhost>}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y package.json)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. packaging/npm-parts.sh
[ -f dist/main.js ] || { echo "dist/ is missing: run make build." >&2; exit 1; }

# licenses FOLDER: those of the packages in it, one after the other.
licenses() {
  local name
  for name in $(cd "$1" && find . -name package.json -not -path '*/dist/*' -printf '%h\n' | sed 's#^\./##' | sort); do
    printf '\n--- %s %s (%s)\n\n' "$name" "$(locked "$name" version)" "$(locked "$name" license)"
    cat "node_modules/$name"/LICENSE* 2>/dev/null || echo "(npm: no license file; see the name above)"
  done
}

# document TREE PACKAGE VERSION: copyright and changelog, as the Debian policy asks (12.5, 12.7).
document() {
  local doc=$1/usr/share/doc/$2
  mkdir -p "$doc"
  printf '%s (%s) stable; urgency=medium\n\n  * The changes are told in CHANGELOG.md of the project.\n\n -- %s  %s\n' \
    "$2" "$3" "$maintainer" "$(date -Ru -d "@$SOURCE_DATE_EPOCH")" |
    gzip -9n >"$doc/changelog.gz"
}

# control TREE PACKAGE VERSION ARCH DEPENDS SUMMARY, the description's text on standard input
control() {
  mkdir -p "$1/DEBIAN"
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$2" "$3" "$4" "$maintainer"
    printf 'Section: net\nPriority: optional\nDepends: %s\n' "$5"
    printf 'Installed-Size: %s\n' "$(du -sk --apparent-size --exclude=DEBIAN "$1" | cut -f1)"
    printf 'Description: %s\n' "$6"
    sed 's/^$/./; s/^/ /'
  } >"$1/DEBIAN/control"
  (cd "$1" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$1/DEBIAN/md5sums"
}

# pack TREE FILE
pack() {
  find "$1" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 -r touch -h -d "@$SOURCE_DATE_EPOCH"
  dpkg-deb --root-owner-group "${@:3}" -b "$1" "$2" >/dev/null
  echo "$2 $(stat -c %s "$2") bytes"
}

node_deb() {
  local arch=$1 tree=$work/node-$1 file=$out/platen-node_${NODE_VERSION}_$1.deb
  local tgz
  tgz=$(fetch_node "$arch")
  mkdir -p "$tree/usr/lib/platen/bin" "$tree/usr/share/doc/platen-node" "$tree/usr/share/lintian/overrides"
  tar xzf "$tgz" -C "$tree/usr/lib/platen/bin" --strip-components=2 --no-same-owner package/bin/node
  chmod 755 "$tree/usr/lib/platen/bin/node"
  tar xzOf "$tgz" package/LICENSE >"$tree/usr/share/doc/platen-node/copyright" 2>/dev/null ||
    cp node_modules/node/LICENSE "$tree/usr/share/doc/platen-node/copyright" 2>/dev/null ||
    echo 'Node.js, copyright Node.js contributors, MIT; https://github.com/nodejs/node/blob/main/LICENSE' \
      >"$tree/usr/share/doc/platen-node/copyright"
  cp packaging/debian/platen-node.lintian-overrides "$tree/usr/share/lintian/overrides/platen-node"
  document "$tree" platen-node "$NODE_VERSION"
  control "$tree" platen-node "$NODE_VERSION" "$arch" 'libc6 (>= 2.28), libstdc++6 (>= 6), libgcc-s1' \
    'Node.js for the platen label print server' <<'X'
The exact version of Node.js that platen was tested with, in a package of
its own so that updates of platen stay small. It does not touch an installed
nodejs.
X
  pack "$tree" "$file" -Zzstd -z12 # xz: a quarter smaller, ten times the time
}

platen_deb() {
  local arch=$1 tree=$work/platen-$1 lib=$work/platen-$1/usr/lib/platen
  mkdir -p "$lib/node_modules" "$tree"/usr/{bin,lib/systemd/system,lib/sysusers.d,lib/tmpfiles.d,lib/udev/rules.d} \
    "$tree"/usr/share/{platen,man/man1,bash-completion/completions,lintian/overrides,doc/platen}
  cp -r dist/. "$lib/"
  rm -f "$lib/main.cache" # made at the installation
  sed -i 1d "$lib/platen.js" # no program of its own here: /usr/bin/platen starts it
  chmod 644 "$lib/platen.js"
  printf '{"name":"platen","version":"%s","type":"commonjs"}\n' "$version" >"$lib/package.json"
  # The bundle says the version of package.json; an update looks at what the server itself says.
  sed -i '/^  name: "platen",$/{n;s/^  version: ".*"/  version: "'"$version"'"/}' "$lib"/*.js
  grep -q "^  version: \"$version\"" "$lib"/*.js || { echo "dist/ does not tell its version where it did." >&2; exit 1; }
  native linux "$([ "$arch" = amd64 ] && echo x64 || echo "$arch")" "$lib/node_modules"
  install -m 755 packaging/lib/platen "$tree/usr/bin/platen"
  install -m 755 packaging/lib/set-ports packaging/lib/update "$lib/"
  install -m 644 packaging/lib/ask-server.cjs "$lib/"
  cp systemd/*.service systemd/*.socket systemd/*.path systemd/*.timer "$tree/usr/lib/systemd/system/"
  cp systemd/platen.sysusers "$tree/usr/lib/sysusers.d/platen.conf"
  cp systemd/platen.tmpfiles "$tree/usr/lib/tmpfiles.d/platen.conf"
  cp udev/70-platen.rules "$tree/usr/lib/udev/rules.d/"
  cp packaging/debian/config.json "$tree/usr/share/platen/"
  gzip -9nc packaging/platen.1 >"$tree/usr/share/man/man1/platen.1.gz"
  cp packaging/platen.bash-completion "$tree/usr/share/bash-completion/completions/platen"
  cp packaging/debian/platen.lintian-overrides "$tree/usr/share/lintian/overrides/platen"
  { cat LICENSE dist/licenses.txt; licenses "$lib/node_modules"; } >"$tree/usr/share/doc/platen/copyright"
  document "$tree" platen "$version"
  cp -r README.md docs "$tree/usr/share/doc/platen/" # messages name docs/…
  find "$tree" -type f -path '*/systemd/*' -exec chmod 644 {} +
  chmod -R u=rwX,go=rX "$tree"
  control "$tree" platen "$version" "$arch" "platen-node (>= $NODE_VERSION), libc6 (>= 2.28), libstdc++6 (>= 6), systemd (>= 252)" \
    'label print server' <<'X'
Any web page, script, cloud service or queue prints shipping labels on the
thermal printers of this computer: ZPL, EPL and TSPL as they are, PDF, PNG, JPEG
and GIF turned into the printer's own language. Printers are found by USB, serial
line, network and CUPS; labels wait on disk until they are printed.

The page of the server is at http://localhost:8080/.
X
  for script in postinst prerm postrm; do install -m 755 "packaging/debian/platen.$script" "$tree/DEBIAN/$script"; done
  pack "$tree" "$out/platen_${version}_$arch.deb" -Zxz
}

for arch; do
  for package in ${PACKAGES:-platen-node platen}; do
    case $package in
      platen-node) node_deb "$arch" ;;
      platen) platen_deb "$arch" ;;
      *) echo "PACKAGES names \"$package\", wanted platen-node or platen." >&2; exit 2 ;;
    esac
  done
done
