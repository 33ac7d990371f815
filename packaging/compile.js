// Starts the server beside it once, in a folder of its own, and keeps what V8 compiled of main.js meanwhile: main.cache. What is
// in it runs as the program, so it belongs to whoever owns the program, and nobody else may write it.
//   usage: node compile.js      in the folder of the bundle; exit 1: it did not start
// Decision `compiled-bundle`.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const vm = require('node:vm')
const { createRequire } = require('node:module')
const { crc32 } = require('node:zlib')

const FILE = path.join(__dirname, 'main.js')
const CACHE = path.join(__dirname, 'main.cache')

const bytes = fs.readFileSync(FILE)
const source = bytes.toString('latin1')
const head = '(function (exports, require, module, __filename, __dirname) { ' // as in platen.js
const script = new vm.Script(`${head}${source}\n})`, { filename: FILE })
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'platen-compile-'))
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }))

function write() {
  const of = Buffer.alloc(8)
  of.writeUInt32LE(bytes.length, 0)
  of.writeUInt32LE(crc32(bytes), 4)
  fs.writeFileSync(`${CACHE}.new`, Buffer.concat([of, script.createCachedData()]), { mode: 0o644 })
  fs.renameSync(`${CACHE}.new`, CACHE)
}

const config = path.join(folder, 'config.json')
fs.writeFileSync(config, JSON.stringify({ port: '0', open_browser: false }))
for (const name of Object.keys(process.env))
  if (/^PLATEN_|^NODE_/.test(name)) delete process.env[name]
Object.assign(process.env, { STATE_DIRECTORY: folder, PLATEN_ANNOUNCE: '0' })
process.argv = [process.execPath, FILE, '--config', config]
// The line that says where it listens: all that a start needs has been compiled.
process.stdout.write = () => {
  write()
  process.exit()
}
const whole = { exports: {} }
script.runInThisContext()(whole.exports, createRequire(FILE), whole, FILE, __dirname)
