// Loaded before each test file: keeps what V8 compiled, so that the next file that imports the same does not compile it again.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Code out of the cache is counted less exactly.
if (process.env['NODE_V8_COVERAGE'] === undefined) {
  enableCompileCache(join(import.meta.dirname, '../../.cache/compiled'))
}
// What a test starts is started as people start it.
process.execArgv.splice(0)
