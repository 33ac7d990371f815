// Makes dist/: the split bundle that packages and images ship (docs/decisions/project.md).
import { spawnSync } from 'node:child_process'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundleProgram, SHARED } from './bundle.js'
import { buildPage } from './page.js'

const OUT = 'dist'

/** The programs by their place in src/, and the prefix of the names of their parts. */
const PROGRAMS = {
  main: '',
  'labels/worker': 'draw-', // the thread that draws
  // Children: they read PDFs, make certificates and print.
  'labels/pdf-child': 'pdf-',
  'http/tls/certificate': 'certificate-',
  'printers/devices/usb/lp-child': 'lp-',
}

await rm(OUT, { recursive: true, force: true })
const inputs = await bundleProgram(SHARED, { outdir: OUT, out: SHARED, prefix: `${SHARED}-` })
for (const [out, prefix] of Object.entries(PROGRAMS))
  inputs.push(...(await bundleProgram(`src/${out}.ts`, { outdir: OUT, out, prefix })))
await checkAscii(`${OUT}/main.js`)
const page = await buildPage('web', `${OUT}/web`)
await writeFile(`${OUT}/licenses.txt`, (await collectLicenses()).join('\n\n'))
// Not by cp: in its package the file is executable.
const pdfium = fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))
await writeFile(`${OUT}/pdfium.wasm`, await readFile(pdfium))
await cp('packaging/launcher/platen.js', `${OUT}/platen.js`)
await cp('packaging/compile.js', `${OUT}/compile.js`)
await writeFile(`${OUT}/package.json`, '{ "type": "commonjs" }\n')
// Without it a start only takes longer, so a machine that cannot start the server makes a bundle all the same.
spawnSync(process.execPath, [`${OUT}/compile.js`], { stdio: 'inherit', timeout: 60_000 })

/** Checks that a file is ASCII: with a single other character V8 keeps the whole source of an idle server at two bytes a character. */
async function checkAscii(file) {
  const lines = (await readFile(file, 'latin1')).split('\n')
  const wide = lines.find((line) => /[\x80-\xff]/.test(line))
  if (wide !== undefined)
    throw new Error(`${file} is not ASCII, write \\u… instead: ${wide.trim()}`)
}

/** The licenses of the fonts, of PDFium and of every package that went into the bundle: whoever passes it on passes these on. */
async function collectLicenses() {
  const packages = [...inputs, ...page].map(
    (file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1],
  )
  const names = [...new Set(packages)].filter((name) => name !== undefined).sort()
  const own = [
    'src/labels/documents/font/LICENSE.txt',
    'src/labels/codecs/pdf/LICENSE.pdfium.txt',
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
