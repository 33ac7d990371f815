import { readFileSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleTap } from '../suite/bundle-tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = '.cache/vm'
const HOOK = 'test/suite/compiled.js'

/** Makes a program of this folder ready for a guest, and gives the command that runs it there. */
export async function prepareProgram(name: string): Promise<string> {
  await bundle('ffs-printer.ts')
  const file = await bundle(name)
  const { PLATEN_TEST_ENTRIES: entries } = process.env
  const settings = [
    `PLATEN_TAP=${await bundleTap()}`,
    ...(entries === undefined ? [] : [`PLATEN_TEST_ENTRIES=${entries}`]),
  ]
  return `exec env ${settings.join(' ')} node --require ./${HOOK} ${file}`
}

/** Makes it one file without types: under emulation every module costs its loading. */
async function bundle(name: string): Promise<string> {
  const file = join(FOLDER, `${basename(name, '.ts')}.js`)
  const own = `${file}-${process.pid}`
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(import.meta.dirname, name)],
    outfile: own,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    keepNames: true,
    logLevel: 'error',
    plugins: [keepFolders],
  })
  renameSync(join(ROOT, own), join(ROOT, file))
  return file
}

/** Code finds what lies beside its source, wherever it runs. */
const keepFolders: Plugin = {
  name: 'folders',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const folder = JSON.stringify(dirname(path))
      return { contents: source.replaceAll('import.meta.dirname', folder), loader: 'ts' }
    }),
}
