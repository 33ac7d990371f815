// The programs of dist/: each entry with its lazily loaded parts, as CommonJS (decision `commonjs-start`).
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, transform } from 'esbuild'

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
  plugins: [
    { name: 'shared', setup: keepShared },
    { name: 'spare', setup: spare },
    { name: 'words', setup: takeSentences },
  ],
}

/** Large, and loaded by more than one program: a program of its own. Decisions `commonjs-start`, `rejected-starts`. */
export const SHARED = 'bwip-js'

function keepShared({ onResolve }) {
  onResolve({ filter: new RegExp(`^${SHARED}$`) }, ({ kind }) =>
    kind === 'dynamic-import' ? { path: `./${SHARED}.js`, external: true } : undefined,
  )
}

/** Modules that packages load at once and a print server never uses, with their replacements: together 5 ms of a start. */
const SPARED = [
  { by: /\/pino\/(?:pino|lib\/tools)\.js$/, wants: /\/transport$/, gives: '' }, // logs written by threads
  {
    by: /\/pino\/lib\/tools\.js$/,
    wants: /^worker_threads$/,
    gives: 'exports.isMainThread = true',
  },
  {
    by: /\/sonic-boom\/index\.js$/,
    wants: /^assert$/,
    gives: 'module.exports = (holds, message) => { if (!holds) throw new Error(message) }',
  },
]

function spare({ onResolve, onLoad }) {
  onResolve({ filter: /./ }, ({ path: wanted, importer }) => {
    const at = SPARED.findIndex(({ by, wants }) => by.test(importer) && wants.test(wanted))
    return at < 0 ? undefined : { path: wanted, namespace: 'spared', pluginData: SPARED[at].gives }
  })
  onLoad({ filter: /./, namespace: 'spared' }, ({ pluginData }) => ({ contents: pluginData }))
}

/** Keeps the texts that the server uses: the page loads its own, and meanings of failures are for docs/errors.md. */
function takeSentences({ onLoad }) {
  onLoad({ filter: /\/src\/words\/en\.json$/ }, async ({ path: file }) => {
    const texts = Object.entries(JSON.parse(await readFile(file, 'utf8')))
    const said = texts.filter(([key]) => !key.startsWith('page.') && !key.endsWith('.meaning'))
    return { contents: JSON.stringify(Object.fromEntries(said)), loader: 'json' }
  })
}

/**
 * Builds `entry` as `outdir/out.js` with all that it imports at once, and beside it lazily loaded parts, which take
 * from that file what
 * both need: esbuild makes dozens of files of this, and each costs a start 0.3 ms (decision `commonjs-start`). `prefix` keeps
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
  const whole = `${outdir}/${out}.js`
  const merged = new Set(listImported(outputs, whole))
  const lazy = Object.keys(outputs).filter((file) => file !== whole && !merged.has(file))
  const shared = new Map() // what each merged part is asked for by lazy ones
  for (const file of lazy) await redirect(file, { merged, whole, shared })
  await merge(whole, outputs[whole].exports, shared)
  for (const file of merged) await rm(file)
  for (const file of [whole, ...lazy]) await toCommonJs(file, outdir)
  return Object.keys(inputs)
}

/** The parts that a file imports at once, and those that they import. */
function listImported(outputs, file) {
  const imported = outputs[file].imports.filter(
    ({ kind, external }) => kind === 'import-statement' && !external,
  )
  return imported.flatMap(({ path }) => [path, ...listImported(outputs, path)])
}

const IMPORT = /^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$/gm

/** Lets a file take from the whole what it took from parts that are merged into it, and notes what that is. */
async function redirect(file, { merged, whole, shared }) {
  const folder = path.dirname(file)
  const text = (await readFile(file, 'utf8')).replace(IMPORT, (line, names = '', from) => {
    const part = path.join(folder, from)
    if (!merged.has(part)) return line
    const wanted = shared.get(part) ?? new Set()
    shared.set(part, wanted)
    const renamed = names.replace(/(\w+)( as \w+)?/g, (_, name, as = ` as ${name}`) => {
      wanted.add(name)
      return rename(part, name) + as
    })
    return `import {${renamed}} from "${pathFrom(folder, whole)}";`
  })
  const left = [...merged].find((part) => text.includes(path.basename(part)))
  if (left !== undefined) throw new Error(`${file} still names ${left}`)
  await writeFile(file, text)
}

/** Makes one file of an entry and all that it imports at once. */
async function merge(whole, own, shared) {
  const folder = path.dirname(whole)
  const lines = [...shared].map(([part, wanted]) => {
    const names = [...wanted].map((name) => `${name} as ${rename(part, name)}`)
    return `export { ${names.join(', ')} } from '${pathFrom(folder, part)}'`
  })
  await build({
    ...OPTIONS,
    stdin: {
      contents: [`export { ${own.join(', ')} } from './${path.basename(whole)}'`, ...lines].join(
        '\n',
      ),
      resolveDir: folder,
    },
    splitting: false,
    outfile: whole,
    allowOverwrite: true,
    plugins: [{ name: 'lazy', setup: (on) => keepLazy(on, folder) }],
  })
}

/** Files that are imported lazily stay files; those beside a part are named as `folder` sees them. */
function keepLazy({ onResolve }, folder) {
  onResolve({ filter: /./ }, ({ kind, path: name, resolveDir }) => {
    if (kind !== 'dynamic-import') return undefined
    const isFile = name.startsWith('.')
    return { path: isFile ? pathFrom(folder, path.join(resolveDir, name)) : name, external: true }
  })
}

/** Renames a name of a part for the merged file, as parts may have the same names. */
function rename(file, name) {
  return `${path.basename(file, '.js').replace(/\W/g, '_')}_${name}`
}

/** Returns the path by which a file in `folder` names another one. */
function pathFrom(folder, file) {
  return path.relative(folder, file).replace(/^(?!\.)/, './')
}

/** The parts of an ES module that CommonJS lacks. Names of packages are resolved only by a server that runs from source. */
const MODULE = { 'import.meta.url': '__url', 'import.meta.resolve': 'require.resolve' }

/** `import()` becomes `require()` inside of a promise. Wherever a file lies, its URL is that of one at the top. */
async function toCommonJs(file, outdir) {
  const { code } = await transform(await readFile(file, 'utf8'), {
    format: 'cjs',
    platform: 'node',
    target: OPTIONS.target,
    define: MODULE,
    supported: { 'dynamic-import': false },
  })
  const top = pathFrom(path.dirname(file), `${outdir}/main.js`)
  const url = `const __url = require("node:url").pathToFileURL(require.resolve("${top}")).href;\n`
  const head = [code.includes('__url') && url, code.match(NODE) && WHEN_USED].filter(Boolean)
  await writeFile(file, ['"use strict";\n', ...head, loadWhenUsed(code)].join(''))
}

const NODE = /^var (import_\w+) = require\("(node:[^"]+)"\);$/gm
const WHEN_USED =
  'const __whenUsed = (name) => { let part; return () => part ??= require(name); };\n'

/** Loads modules of Node.js when they are used first: a start needs half of those that the program names. */
function loadWhenUsed(code) {
  const names = new Set()
  const lazy = code.replace(NODE, (_, name, module) => {
    names.add(name)
    return `var ${name} = __whenUsed("${module}");`
  })
  return lazy.replace(/\bimport_\w+\b(?! = )/g, (name) => (names.has(name) ? `(${name}())` : name))
}
