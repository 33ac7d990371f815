#!/bin/bash
# Makes a single executable: Node.js with the whole program inside, nothing to install.
#   usage: packaging/single.sh OUT [linux-x64|linux-arm64|win32-x64]...      after `node build.js`
#   env: CACHE (see npm-parts.sh)
# Each is built here; only that for Linux on x86-64 is run by the tests.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/versions.env
out=$(mkdir -p "$1" && realpath "$1")
shift
[ $# -gt 0 ] || set -- linux-x64 linux-arm64 win32-x64
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
writeFileSync(`${tree}.json`, JSON.stringify({ id }))
X
}

for target; do
  os=${target%-*} cpu=${target#*-}
  tree=$work/$target
  mkdir -p "$tree/node_modules"
  cp -r dist/. "$tree/"
  printf '{"name":"platen","version":"%s","type":"module"}\n' "$version" >"$tree/package.json"
  native "$os" "$cpu" "$tree/node_modules"
  bundle "$tree"
  cat >"$work/sea.json" <<X
{ "main": "packaging/single.cjs", "output": "$work/$target.blob", "disableExperimentalSEAWarning": true,
  "assets": { "program.gz": "$tree.gz", "build.json": "$tree.json" } }
X
  node --experimental-sea-config "$work/sea.json" >/dev/null 2>&1
  case $target in
    linux-x64) name=amd64 binary=bin/node file=$out/platen-$version-$target ;;
    linux-arm64) name=arm64 binary=bin/node file=$out/platen-$version-$target ;;
    win32-x64) name=win binary=bin/node.exe file=$out/platen-$version-$target.exe ;;
    *) echo "no executable is made for \"$target\"; wanted linux-x64, linux-arm64 or win32-x64." >&2; exit 2 ;;
  esac
  tar xzOf "$(fetch_node "$name")" "package/$binary" >"$file"
  chmod 755 "$file"
  # The mark by which Node finds what was put into it (nodejs.org/api/single-executable-applications.html).
  postject "$file" NODE_SEA_BLOB "$work/$target.blob" --sentinel-fuse NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2 \
    >"$work/postject.log" 2>&1 || { cat "$work/postject.log" >&2; exit 1; }
  echo "$file $(stat -c %s "$file") bytes"
done
