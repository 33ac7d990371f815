import { execFile, execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startServer } from '../../e2e/server.ts'
import { drawText, LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'

// The suites of CUPS (Debian package cups-ipp-utils) judge the printers of each language and resolution.
const SUITES = '/usr/share/cups/ipptool'
const skip = existsSync(SUITES) ? false : 'ipptool is not installed (package cups-ipp-utils)'
const run = promisify(execFile)

const PRINTERS = ['zpl', 'epl', 'tspl'].flatMap((language) =>
  [203, 300].map((dpi) => ({
    name: `${language} ${dpi}`,
    language,
    dpi,
    uri: `file:${language}${dpi}`,
  })),
)
/** Tests that pass at least, as the measured sketch did; at 300 dpi the raster samples of the suite are printed, too. */
const FLOORS: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  'ipp-1.1': { 203: 32, 300: 32 },
  'ipp-2.0': { 203: 33, 300: 33 },
  'ipp-everywhere': { 203: 34, 300: 70 },
  // Our own, of the facts that the self-certification of the PWG asks for.
  printer: { 203: 42, 300: 42 },
}
const OWN = join(import.meta.dirname, 'suites/printer.ipptool')

const draw = (file: string, device: string, pdf: string, ...more: readonly string[]): void => {
  const out = `-sOutputFile=${file}`
  const args = ['-q', '-dBATCH', '-dNOPAUSE', `-sDEVICE=${device}`, ...more, out, pdf]
  execFileSync('gs', args, { stdio: 'ignore' })
}
const KINDS = { 'black-1': [3, 1], 'sgray-8': [18, 8] } as const

/**
 * The suites beside stand-ins of the documents that Debian leaves out: a suite ends at the first file that it cannot
 * read. 300 dpi is the only resolution of a label printer among its rasters.
 */
function prepare(folder: string): void {
  for (const name of readdirSync(SUITES).filter((one) => one.endsWith('.test'))) {
    writeFileSync(join(folder, name), readSuite(name))
  }
  copyFileSync(OWN, join(folder, 'printer.test'))
  const page = { ...LABEL, content: drawText('Jane Doe', 20, 300, 40) }
  writeFileSync(join(folder, 'four.pdf'), makePdf([page, page, page, page]))
  const pdf = join(folder, 'document-a4.pdf')
  writeFileSync(pdf, makePdf([page]))
  copyFileSync(pdf, join(folder, 'document-letter.pdf'))
  for (const name of ['color', 'gray']) draw(join(folder, `${name}.jpg`), 'jpeg', pdf, '-r203')
  for (const name of ['a4', 'letter']) {
    writeFileSync(join(folder, `document-${name}.ps`), '%!PS\nshowpage\n')
  }
  const suite = readFileSync(join(folder, 'ipp-everywhere.test'), 'utf8')
  for (const [name] of suite.matchAll(/pwg-raster-samples[^ "]*\.pwg/g)) {
    const file = join(folder, name)
    if (existsSync(file)) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
    const kind = Object.entries(KINDS).find(([words]) => name.includes(words))
    if (kind !== undefined && name.includes('300dpi')) drawPwg(file, pdf, 300, kind[1])
  }
  for (const dpi of [203, 300]) drawPwg(join(folder, `${dpi}.pwg`), pdf, dpi, KINDS['sgray-8'])
}

/**
 * A suite with those that it includes in their place: ipptool opens a connection for each file, and does not open it again
 * when the server has closed it, idle for more than 10 s, behind a suite that took longer.
 */
function readSuite(name: string): string {
  const text = readFileSync(join(SUITES, name), 'utf8')
  return text.replace(/^INCLUDE "([\w.-]+)"$/gm, (line, own) =>
    existsSync(join(SUITES, own)) ? readSuite(own) : line,
  )
}

function drawPwg(
  file: string,
  pdf: string,
  dpi: number,
  [space, bits]: readonly [number, number],
): void {
  const kind = [`-dcupsColorSpace=${space}`, `-dcupsBitsPerColor=${bits}`]
  draw(file, 'pwgraster', pdf, `-r${dpi}`, ...kind)
}

const count = (text: string, word: string): number => text.split(`[${word}]`).length - 1

t.setTimeout(600_000)

t.test('the suites of CUPS, and ours, find no fault', { skip }, async (t) => {
  const folder = t.testdir()
  const suites = join(folder, 'suites')
  mkdirSync(suites)
  prepare(suites)
  const config = { host: '127.0.0.1', share_printers: true, printers: PRINTERS }
  const server = await startServer(t, { folder, config })
  const { port } = new URL(server.address)
  const judge = async ({ name, dpi }: (typeof PRINTERS)[number], suite: string): Promise<void> => {
    // By this name: CUPS calls every loopback address so in its requests.
    const uri = `ipp://localhost:${port}/ipp/print/${name.replace(' ', '-')}`
    const documents = ['-d', 'PDF=four.pdf', '-f', join(suites, `${dpi}.pwg`)]
    const args = ['-I', '-t', '-V', '2.0', ...documents, uri]
    const options = { maxBuffer: 2 ** 26, timeout: 400_000 }
    // Its exit code is 1 for a test that failed, and not always then: what it prints counts.
    const { stdout } = await run(
      'ipptool',
      [...args, join(suites, `${suite}.test`)],
      options,
    ).catch((error: { readonly stdout: string }) => error)
    const failed = stdout.split('\n').filter((line) => line.includes('[FAIL]'))
    t.same(failed, [], `${suite}, ${name} dpi`)
    const passed = count(stdout, 'PASS')
    t.ok(passed >= (FLOORS[suite]?.[dpi] ?? 99), `${suite}, ${name} dpi: ${passed} passed`)
  }
  for (const suite of Object.keys(FLOORS)) {
    await Promise.all(PRINTERS.map((printer) => judge(printer, suite)))
  }
})

t.test(
  'a job is known after a power cut, and its number is not given again',
  { skip },
  async (t) => {
    const folder = t.testdir()
    const suites = join(folder, 'suites')
    mkdirSync(suites)
    prepare(suites)
    const printers = [{ name: 'Bench 1', language: 'zpl', uri: 'file:bench-1' }]
    const config = { host: '127.0.0.1', share_printers: true, printers }
    const ask = async (address: string, ...words: readonly string[]): Promise<string> => {
      const uri = `ipp://${new URL(address).host}/ipp/print/bench-1`
      const file = ['-f', join(suites, '203.pwg')]
      const { stdout } = await run('ipptool', ['-tv', ...file, uri, ...words])
      return stdout
    }
    const first = await startServer(t, { folder, config })
    const printed = await ask(first.address, join(suites, 'print-job.test'))
    const id = Number(/job-id \(integer\) = (\d+)/.exec(printed)?.[1])
    t.ok(id > 0)
    await first.kill()
    const second = await startServer(t, { folder })
    // Cut in the middle it waits for a person, else it has ended.
    const lists = ['get-jobs.test', 'get-completed-jobs.test'].map((suite) =>
      ask(second.address, join(suites, suite)),
    )
    t.match((await Promise.all(lists)).join(''), new RegExp(`job-id \\(integer\\) = ${id}\\b`))
    const again = await ask(second.address, join(suites, 'print-job.test'))
    t.equal(Number(/job-id \(integer\) = (\d+)/.exec(again)?.[1]), id + 1)
  },
)
