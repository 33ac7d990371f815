#!/usr/bin/env node
// Starts platen. No syntax newer than Node 12, and none that only one kind of module has: an old Node must be able to
// read this file, wherever it lies, to say what is wrong.

const WANTED = [24, 15] // as "engines" in package.json
const MAINS = ['./main.js', './src/main.ts', './dist/main.js'] // inside dist/, where a start must be quick; from source; as a package

const DEPS = process.platform === 'win32' ? 'npm ci' : 'make deps'

/** Loads the first of these that exists. */
function start(mains) {
  return import(mains[0]).catch((error) => {
    const message = String(error.message).replace(/\\/g, '/') // as Windows writes paths
    const isMissing =
      /^Cannot find module /.test(message) && message.indexOf(mains[0].slice(1)) !== -1
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
