import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../..')
/** tap leaves out of its stack traces what lies in a folder of this name, so that they begin in the test. */
const FOLDER = '.cache/node_modules/@tapjs'

/** The module that replaces tap's own. */
const DOMAIN = join(import.meta.dirname, 'tap-domain.ts')

/** For its parts in CommonJS. */
const REQUIRE =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)"

let made: Promise<string> | undefined

/** tap as one file, made once in each run; gives its URL. Its many modules cost each test file more than most tests do. */
export function bundleTap(): Promise<string> {
  made ??= make()
  return made
}

async function make(): Promise<string> {
  const file = join(ROOT, FOLDER, 'tap.mjs')
  const own = `${file}-${process.pid}`
  await build({
    stdin: { contents: "export * from 'tap'; export { default } from 'tap'", resolveDir: ROOT },
    outfile: own,
    bundle: true,
    // t.spawn gives the path of a file of it to the process that it starts.
    external: ['@tapjs/processinfo'],
    alias: { 'async-hook-domain': DOMAIN, async_hooks: DOMAIN },
    format: 'esm',
    platform: 'node',
    keepNames: true,
    logLevel: 'error',
    banner: { js: REQUIRE },
  })
  renameSync(own, file)
  return pathToFileURL(file).href
}
