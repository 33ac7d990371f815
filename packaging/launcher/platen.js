#!/usr/bin/env node
// Starts platen. No syntax newer than Node 12, and none that only one kind of module has: an old Node must be able to
// read this file, wherever it lies, to say what is wrong.

const WANTED = [24, 15] // as "engines" in package.json
const MAINS = ['./main.js', '../../src/main.ts', '../../dist/main.js'] // inside dist/, where a start must be quick; from source; as a package

const DEPS = process.platform === 'win32' ? 'npm ci' : 'make deps'

/** Beside the bundle this file is CommonJS, as the bundle is: Node starts it without what ES modules need. */
function load(main) {
  if (typeof require !== 'function') return import(main)
  return new Promise((done) => done(run(require.resolve(main))))
}

const HEAD = '(function (exports, require, module, __filename, __dirname) { '
const TAIL = '\n})'

/** Runs a file as require does, with what V8 compiled of it before (packaging/compile.js). V8 refuses that of another version. */
function run(file) {
  const vm = require('node:vm')
  const Module = require('node:module')
  const { wrapped, bytes } = readWrapped(file)
  const options = { filename: file, cachedData: readCompiled(file, bytes) }
  const script = new vm.Script(wrapped.toString('latin1'), options) // the bundle is ASCII
  const whole = new Module(file, module)
  whole.filename = file
  require.cache[file] = whole // lazily loaded parts ask for it
  script.runInThisContext()(whole.exports, Module.createRequire(file), whole, file, __dirname)
  whole.loaded = true
}

/** The bytes of a file, and those of the function around it: in one buffer, as copies of 1 MB cost a start 2 ms. */
function readWrapped(file) {
  const fs = require('node:fs')
  const descriptor = fs.openSync(file)
  const { size } = fs.fstatSync(descriptor)
  const wrapped = Buffer.alloc(HEAD.length + size + TAIL.length)
  const end = HEAD.length + fs.readSync(descriptor, wrapped, HEAD.length, size, 0)
  fs.closeSync(descriptor)
  wrapped.write(HEAD)
  wrapped.write(TAIL, end)
  return { wrapped, bytes: wrapped.subarray(HEAD.length, end) }
}

/** Undefined if nothing was compiled, or it was another file of this name: the first eight bytes say of which. */
function readCompiled(file, bytes) {
  let compiled
  try {
    compiled = require('node:fs').readFileSync(file.replace(/js$/, 'cache'))
  } catch {
    return undefined
  }
  const isOfFile =
    compiled.length > 8 &&
    compiled.readUInt32LE(0) === bytes.length &&
    compiled.readUInt32LE(4) === require('node:zlib').crc32(bytes)
  return isOfFile ? compiled.subarray(8) : undefined
}

/** Loads the first of these that exists. */
function start(mains) {
  return load(mains[0]).catch((error) => {
    const message = String(error.message).split('\n')[0].replace(/\\/g, '/') // as Windows writes paths
    const isMissing =
      /^Cannot find module /.test(message) &&
      message.indexOf(mains[0].replace(/^[./]+/, '/')) !== -1
    if (isMissing && mains.length > 1) return start(mains.slice(1))
    if (!/^Cannot find package /.test(message)) throw error
    fail(`${message.split(' imported ')[0]}: the packages are not installed. Run: ${DEPS}`)
  })
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

const version = process.versions.node.split('.').map(Number)
if (version[0] > WANTED[0] || (version[0] === WANTED[0] && version[1] >= WANTED[1])) {
  start(MAINS).catch((error) => {
    // Outside the promise, so that it ends as any other fault does.
    setImmediate(() => {
      throw error
    })
  })
} else {
  fail(
    `platen needs Node.js ${WANTED.join('.')} or newer, and this is ${process.versions.node}. ` +
      'Run "make run", which brings its own, or install Node.js 24 from https://nodejs.org.',
  )
}
