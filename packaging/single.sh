#!/bin/bash
# Makes a single executable: Node.js with the whole program inside, nothing to install. For Windows there are two: platen-… with
# a console, for the command line, and platenw-… without one, for people.
#   usage: packaging/single.sh OUT [linux-x64|linux-arm64|win32-x64|darwin-x64|darwin-arm64]...      after `node packaging/build.js`
#          packaging/single.sh OUT linux-mac     what the Macs get, with the same Node.js for this machine: for the tests
#   env: CACHE (see npm-parts.sh)
# All are built here; run here are those for Linux.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/versions.env
out=$(mkdir -p "$1" && realpath "$1")
shift
[ $# -gt 0 ] || set -- linux-x64 linux-arm64 win32-x64 darwin-x64 darwin-arm64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. packaging/npm-parts.sh
[ -f dist/main.js ] || { echo "dist/ is missing: run make build." >&2; exit 1; }
version=$(node -p 'require("./package.json").version')

# bundle TREE: program.gz and build.json beside it.
bundle() {
  node --input-type=module - "$1" "$version" <<'X'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
const [, , tree, version] = process.argv
const names = readdirSync(tree, { recursive: true })
  .filter((name) => statSync(join(tree, name)).isFile())
  .map((name) => name.replaceAll('\\', '/'))
  .sort()
const parts = names.map((name) => readFileSync(join(tree, name)))
const list = names.map((name, index) => ({ name, length: parts[index].length }))
const all = Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...parts])
const id = `${version}-${createHash('sha256').update(all).digest('hex').slice(0, 16)}`
writeFileSync(`${tree}.gz`, gzipSync(all, { level: 9 }))
writeFileSync(`${tree}.json`, JSON.stringify({ id, files: list }))
X
}

# node_of TARGET: the name of its Node.js in versions.env.
node_of() {
  case $1 in
    linux-x64) echo amd64 ;;
    linux-arm64) echo arm64 ;;
    linux-mac) echo linux_mac ;;
    win32-x64) echo win ;;
    darwin-x64 | darwin-arm64) echo "mac_${1#*-}" ;;
    *)
      echo "no executable is made for \"$1\"; wanted linux-x64, linux-arm64, win32-x64, darwin-x64 or darwin-arm64." >&2
      return 2
      ;;
  esac
}

# maker_of TARGET: the Node.js that makes what goes inside; its form is another one in each version.
maker_of() {
  case $1 in
    darwin-* | linux-mac)
      [ -x "$work/maker" ] || tar xzOf "$(fetch_node linux_mac)" package/bin/node >"$work/maker"
      chmod 755 "$work/maker"
      echo "$work/maker"
      ;;
    *) command -v node ;;
  esac
}

# inject TARGET FILE: by the mark at which Node looks (nodejs.org/api/single-executable-applications.html).
inject() {
  local more=()
  case $1 in
    darwin-*) more=(--macho-segment-name NODE_SEA) ;;
    win32-*)
      cp "$2" "$work/node.exe"
      node packaging/windows-exe.ts "$work/node.exe" "$work/$1.blob" "$version" "$2" "${2/platen-$version/platenw-$version}"
      return
      ;;
  esac
  postject "$2" NODE_SEA_BLOB "$work/$1.blob" --sentinel-fuse NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2 "${more[@]}" \
    >"$work/postject.log" 2>&1 || { cat "$work/postject.log" >&2; return 1; }
  case $1 in darwin-*) node packaging/sign-mach-o.ts "$2" platen ;; esac
}

for target; do
  name=$(node_of "$target")
  binary=bin/node file=$out/platen-$version-$target
  case $target in win32-*) binary=bin/node.exe file=$file.exe ;; esac
  os=${target%-*} cpu=${target#*-}
  tree=$work/$target
  mkdir -p "$tree/node_modules"
  cp -r dist/. "$tree/"
  rm -f "$tree/main.cache" # of the processor that builds
  printf '{"name":"platen","version":"%s","type":"commonjs"}\n' "$version" >"$tree/package.json"
  native "$os" "${cpu/mac/x64}" "$tree/node_modules"
  bundle "$tree"
  cat >"$work/sea.json" <<X
{ "main": "packaging/single.cjs", "output": "$work/$target.blob", "disableExperimentalSEAWarning": true,
  "assets": { "program.gz": "$tree.gz", "build.json": "$tree.json" } }
X
  "$(maker_of "$target")" --experimental-sea-config "$work/sea.json" >/dev/null 2>&1
  tar xzOf "$(fetch_node "$name")" "package/$binary" >"$file"
  chmod 755 "$file"
  inject "$target" "$file"
  echo "$file $(stat -c %s "$file") bytes"
done
