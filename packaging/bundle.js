// The programs of dist/: each entry with its lazily loaded parts, as ES modules.
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'

const OPTIONS = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  preserveSymlinks: true, // the same bytes where node_modules is a link
  target: 'node24',
  // Native parts lie beside the bundle: they pick the binary of their platform by its path.
  external: ['usb', '@serialport/bindings-cpp', 'koffi'],
  // The module field first: CommonJS twins of ESM packages lose their export names in a lazy import.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  metafile: true,
  plugins: [{ name: 'shared', setup: keepShared }],
}

/** Large, and loaded by more than one program: a program of its own. */
export const SHARED = 'bwip-js'

function keepShared({ onResolve }) {
  onResolve({ filter: new RegExp(`^${SHARED}$`) }, ({ kind }) =>
    kind === 'dynamic-import' ? { path: `./${SHARED}.js`, external: true } : undefined,
  )
}

/** CommonJS packages inside an ESM bundle call require for Node's own modules. */
const BANNER =
  "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n"

/**
 * Builds `entry` as `outdir/out.js`, and beside it one file, `core.js`, with all that it imports at once and lazily loaded parts
 * need too: esbuild makes dozens of files of that, and each costs a start 0.3 ms (docs/decisions/project.md, 842). `prefix` keeps
 * the names of a program's parts apart from those of others. Resolves with the files that went in.
 */
export async function bundleProgram(entry, { outdir, out, prefix }) {
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: [{ in: entry, out }],
    outdir,
    chunkNames: `${prefix}[name]-[hash]`,
  })
  const { outputs, inputs } = metafile
  const core = `${outdir}/${prefix}core.js`
  const merged = new Set(listImported(outputs, `${outdir}/${out}.js`))
  if (merged.size > 0) await merge(merged, outputs, core)
  for (const file of Object.keys(outputs)) if (!merged.has(file)) await redirect(file, merged, core)
  for (const file of merged) await rm(file)
  return Object.keys(inputs)
}

/** The parts that a file imports at once, and those that they import. */
function listImported(outputs, file) {
  const imported = outputs[file].imports.filter(
    ({ kind, external }) => kind === 'import-statement' && !external,
  )
  return imported.flatMap(({ path }) => [path, ...listImported(outputs, path)])
}

/** Makes one file of parts, which exports all that they export. */
async function merge(parts, outputs, core) {
  const lines = [...parts].map((file) => {
    const names = outputs[file].exports.map((name) => `${name} as ${rename(file, name)}`)
    const from = `./${path.basename(file)}`
    return `import '${from}'\nexport { ${names.join(', ')} } from '${from}'`
  })
  await build({
    ...OPTIONS,
    stdin: { contents: lines.join('\n'), resolveDir: path.dirname(core) },
    splitting: false,
    banner: { js: BANNER },
    outfile: core,
    plugins: [{ name: 'lazy', setup: keepLazy }],
  })
}

/** Files that are imported lazily stay files. */
function keepLazy({ onResolve }) {
  onResolve({ filter: /./ }, ({ kind, path }) =>
    kind === 'dynamic-import' ? { path, external: true } : undefined,
  )
}

/** What a name of a part is called in the merged file: parts may have the same names. */
function rename(file, name) {
  return `${path.basename(file, '.js').replace(/\W/g, '_')}_${name}`
}

const IMPORT = /^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$/gm

/** Lets a file take from the merged one what it took from parts that are no longer there. */
async function redirect(file, merged, core) {
  const folder = path.dirname(file)
  const toCore = path.relative(folder, core).replace(/^(?!\.)/, './')
  const text = (await readFile(file, 'utf8')).replace(IMPORT, (line, names, from) => {
    const part = path.join(folder, from)
    if (!merged.has(part)) return line
    if (names === undefined) return `import "${toCore}";`
    return `import {${names.replace(/(\w+)( as \w+)?/g, (_, name, as = ` as ${name}`) => rename(part, name) + as)}} from "${toCore}";`
  })
  const left = [...merged].find((part) => text.includes(path.basename(part)))
  if (left !== undefined) throw new Error(`${file} still names ${left}`)
  await writeFile(file, BANNER + text)
}
