// Loaded before each test file: keeps what V8 compiled, so that the next file that imports the same does not compile it again, and
// takes tap from the one file that the run has made of it (bundle-tap.ts). It is JavaScript since there is no cache yet when it is loaded.
import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

// Code out of the cache is counted less exactly.
if (process.env.NODE_V8_COVERAGE === undefined) {
  enableCompileCache(join(import.meta.dirname, '../../.cache/compiled'))
}
const tap = process.env.PLATEN_TAP
if (tap !== undefined) {
  registerHooks({
    resolve: (name, context, next) =>
      name === 'tap' ? { url: tap, format: 'module', shortCircuit: true } : next(name, context),
  })
}
// What a test starts is started as people start it.
delete process.env.PLATEN_TAP
process.execArgv.splice(0)
