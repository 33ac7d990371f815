#!/bin/bash
# Makes the npm package: the bundle, with only the native parts as dependencies. It is installed from its file, never by
# its name: on npm's public registry that is not ours. Then `npx platen` in that folder runs it under Node 24.
#   usage: packaging/npm.sh OUT        after `node packaging/build.js`
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
out=$(mkdir -p "$1" && realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -f dist/main.js ] || { echo "dist/ is missing: run make build." >&2; exit 1; }
cp -r dist README.md LICENSE CHANGELOG.md docs udev "$work/" # messages name docs/… and udev/…
node --input-type=module - >"$work/package.json" <<'X'
import { readFileSync } from 'node:fs'
const { name, version, description, license, type, engines, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const pick = (...names) => Object.fromEntries(names.map((each) => [each, dependencies[each]]))
const manifest = {
  ...{ name, version, description, license, type, engines },
  bin: { platen: 'dist/platen.js' },
  files: ['dist', '!dist/main.cache', 'docs', 'udev', 'README.md', 'LICENSE', 'CHANGELOG.md'],
  // Optional: a computer that has no build of these still prints to network and CUPS printers.
  optionalDependencies: pick('usb', '@serialport/bindings-cpp', 'koffi'),
}
process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`)
X
(cd "$out" && npm pack --silent "$work")
