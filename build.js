// Makes dist/: the split ESM bundle that packages and images ship (docs/decisions/project.md, 3).
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildPage } from './packaging/page.js'

const OUT = 'dist'

await rm(OUT, { recursive: true, force: true })
const { metafile } = await build({
  // Each entry is a program of its own: the server, the thread that draws, the children that read PDFs, make certificates and print.
  entryPoints: [
    'src/main.ts',
    'src/render/worker.ts',
    'src/jobs/drawing/pdf-child.ts',
    'src/http/tls/certificate.ts',
    'src/printers/devices/usb/lp-child.ts',
  ],
  outdir: OUT,
  outbase: 'src',
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
  // CommonJS packages inside an ESM bundle call require for Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
  },
  logLevel: 'warning',
  metafile: true,
})
for (const file of listLoaded(`${OUT}/main.js`)) await checkAscii(file)
const page = await buildPage('web', `${OUT}/web`)
await writeFile(`${OUT}/licenses.txt`, (await collectLicenses()).join('\n\n'))
// Not by cp: in its package the file is executable.
const pdfium = fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))
await writeFile(`${OUT}/pdfium.wasm`, await readFile(pdfium))
await cp('platen.js', `${OUT}/platen.js`)

/** A file and all that it imports at once. */
function listLoaded(file) {
  const imported = metafile.outputs[file].imports.filter(
    ({ kind, external }) => kind === 'import-statement' && !external,
  )
  return [file, ...imported.flatMap(({ path }) => listLoaded(path))]
}

/** One letter beyond ASCII, and V8 keeps the whole source of an idle server at two bytes a letter. */
async function checkAscii(file) {
  const lines = (await readFile(file, 'latin1')).split('\n')
  const wide = lines.find((line) => /[\x80-\xff]/.test(line))
  if (wide !== undefined)
    throw new Error(`${file} is not ASCII, write \\u… instead: ${wide.trim()}`)
}

/** The licenses of the fonts, of PDFium and of every package that went into the bundle: whoever passes it on passes these on. */
async function collectLicenses() {
  const inputs = [...Object.keys(metafile.inputs), ...page].map(
    (file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1],
  )
  const names = [...new Set(inputs)].filter((name) => name !== undefined).sort()
  const own = [
    'src/render/font/LICENSE.txt',
    'src/render/pdf/LICENSE.pdfium.txt',
    'web/inter.license.txt',
    'web/preview/type.license.txt',
  ]
  const texts = await Promise.all(own.map((file) => readFile(file, 'utf8')))
  for (const name of names) {
    const folder = `node_modules/${name}`
    const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : await readFile(`${folder}/${file}`, 'utf8')
    texts.push(`--- ${name} ${version} (${license})\n\n${text}`)
  }
  return texts
}
