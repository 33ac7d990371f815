// The page as packages ship it: what the first look needs in one script and one sheet of styles, the rest in pieces.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import { locateLibrary } from '../src/http/page.ts'
import { listWordsFiles, makeWordsFile } from '../src/http/words-files.ts'

/** The script of `/`, in a build of its own: what it shares with the other pages would be ten files more at its first look. */
const MAIN = ['main.js']
/** The other scripts that HTML names: each is the beginning of a page. */
const OTHERS = [
  'answer.js',
  'help.js',
  'can-print.js',
  'can-print-page.js',
  'can-print-answer.js',
  'api-page.js',
  'small-texts.js',
  'preview/worker.js',
]
/** The sheets of `/` in one. */
const SHEET = 'first.css'

/**
 * Bundles the folder of the page into `out`.
 * @param {string} folder
 * @param {string} out
 * @returns {Promise<string[]>} the files that went in, for their licenses
 */
export async function buildPage(folder, out) {
  for (const part of ['styles', 'words']) await mkdir(`${out}/${part}`, { recursive: true })
  const { inputs, outputs } = await bundle(folder, out, MAIN)
  const others = await bundle(folder, out, OTHERS)
  for (const name of await readdir(`${folder}/styles`)) {
    await writeFile(`${out}/styles/${name}`, await minify(`${folder}/styles/${name}`))
  }
  for (const name of await readdir(folder)) {
    const file = `${folder}/${name}`
    if (/\.(?:html|svg|png|woff2|txt)$/.test(name)) await cp(file, `${out}/${name}`)
  }
  for (const name of listWordsFiles()) await writeFile(`${out}/${name}`, await makeWordsFile(name))
  const first = outputs[`${out}/main.js`].imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => path.slice(out.length + 1))
  await bundleIndex(folder, out, first)
  return [...new Set([...Object.keys(inputs), ...Object.keys(others.inputs)])]
}

/** Scripts, and the pieces that they share and load later. */
async function bundle(folder, out, entries) {
  const { metafile } = await build({
    entryPoints: entries.map((name) => `${folder}/${name}`),
    outdir: out,
    outbase: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    preserveSymlinks: true,
    target: 'es2023',
    // `/web/NAME` is served from one folder, so nothing lies deeper.
    chunkNames: '[name]-[hash]',
    external: ['/web/*'],
    plugins: [libraries],
    logLevel: 'warning',
    metafile: true,
  })
  return metafile
}

/** Libraries are imported under the names by which a server from source has them. */
const libraries = {
  name: 'libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/[\w-]+\.js$/ }, ({ path }) => {
      const library = locateLibrary(path.replace(/^\.*\//, ''))
      if (library === undefined) return undefined
      const [, inside] = library.split('/node_modules/')
      if (inside === undefined) return { path: library, sideEffects: false }
      // Not where a link leads: the path goes into the names of the pieces.
      return { path: join(process.cwd(), 'node_modules', inside), sideEffects: false }
    })
  },
}

/** Merges the style sheets of `index.html` into one, and makes it ask for the parts of its script at once. */
async function bundleIndex(folder, out, first) {
  const html = await readFile(`${folder}/index.html`, 'utf8')
  const sheets = [...html.matchAll(/rel="stylesheet" href="\/web\/([\w/-]+\.css)"/g)]
  const texts = await Promise.all(sheets.map(([, name]) => minify(`${folder}/${name}`)))
  await writeFile(`${out}/${SHEET}`, texts.join(''))
  const preloads = first.map((name) => `<link rel="modulepreload" href="/web/${name}">\n`)
  const head = `<link rel="stylesheet" href="/web/${SHEET}">\n${preloads.join('')}`
  const bare = html.replace(/^ *<link rel="(?:stylesheet|modulepreload)".*\n/gm, '')
  await writeFile(`${out}/index.html`, bare.replace('</head>', `${head}</head>`))
}

async function minify(file) {
  const { code } = await transform(await readFile(file, 'utf8'), { loader: 'css', minify: true })
  return code
}
