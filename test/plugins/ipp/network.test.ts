import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CupsClient, skipCupsClient } from '../../devices/cups-client.ts'
import { type Computer, linkComputers, skipComputers } from '../../devices/linked-computers.ts'
import { startServer } from '../../e2e/server.ts'
import { interpret } from '../../interpreters/paper.ts'
import { readSymbols } from '../../interpreters/symbols.ts'
import { drawLabel, LABEL, makePdf, SYMBOLS } from '../../labels/codecs/pdf/make-pdf.ts'
import { findClosedPort } from '../../listen.ts'
import { until } from '../../until.ts'

// Boxes and a desk on one cable, each with a network of its own; the desk looks with avahi, as CUPS does.
t.setTimeout(300_000)

const STOCK = { dpi: 203, labelWidth: 4, labelHeight: 6 }
const SUITE = join(import.meta.dirname, 'suites/dns-sd.ipptool')
const printer = (name: string, more: object = {}) => ({
  name,
  language: 'zpl',
  uri: `file:${name.toLowerCase().replace(' ', '-')}`,
  ...more,
})

/** A server on a computer; gives what changes its settings. */
async function startBox(t: Test, computer: Computer, name: string, printers: readonly object[]) {
  const ports = { port: '8080', secure_port: '8443', use_ssl: true, host: '' }
  const config = { ...ports, printers, share_printers: true, printer: 'Bench 1' }
  const folder = join(t.testdirName, name)
  await startServer(t, { folder, config, within: computer.enter() })
  return async (changes: object): Promise<string> => {
    const code = `const address = 'http://127.0.0.1:8080/config'
      const old = await (await fetch(address)).json()
      const body = JSON.stringify({ ...old, ...${JSON.stringify(changes)} })
      const headers = { 'content-type': 'application/json' }
      console.log((await fetch(address, { method: 'PUT', headers, body })).status)`
    return (await computer.run(process.execPath, '--input-type=module', '-e', code)).trim()
  }
}

/** Finds services of a computer: lines of `ippfind`, which listens for some seconds. */
const find = async (desk: Computer, service: string, ...more: readonly string[]) => {
  const said = await desk.run('ippfind', '-T', '2', service, ...more)
  return said.split('\n').filter(Boolean).sort()
}

const TYPES = ['_ipp._tcp', '_ipps._tcp'].flatMap((type) =>
  ['', ',_print', ',_universal'].map((subtype) => type + subtype),
)

t.test(
  'other computers find every printer, and follow it',
  { skip: skipComputers || skipCupsClient },
  async (t) => {
    t.testdir()
    const [box, barn, desk] = await linkComputers(t, ['box', 'barn', 'desk'])
    if (box === undefined || barn === undefined || desk === undefined) throw new Error('no network')
    const offline = `socket://127.0.0.1:${await findClosedPort()}`
    const both = [printer('Bench 1'), printer('Bench 2', { language: 'tspl', uri: offline })]
    const [set] = await Promise.all([
      startBox(t, box, 'box', both),
      startBox(t, barn, 'barn', [printer('Bench 1')]),
    ])
    const finds = (what: string, service: string, wanted: readonly string[], ...more: string[]) =>
      until(what, async () => {
        const found = (await find(desk, service, ...more)).join('\n')
        return found === wanted.join('\n') ? true : undefined
      })
    // The bench that is off stays: the box takes its labels.
    await finds('all to be found', '_ipp._tcp', [
      'ipp://barn.local:8080/ipp/print/bench-1',
      'ipp://box.local:8080/ipp/print/bench-1',
      'ipp://box.local:8080/ipp/print/bench-2',
    ])
    const scan = async (type: string): Promise<void> => {
      const [scheme, port] = type.startsWith('_ipps') ? ['ipps', 8443] : ['ipp', 8080]
      const wanted = [
        `${scheme}://barn.local:${port}/ipp/print/bench-1 idle accepting-jobs none`,
        `${scheme}://box.local:${port}/ipp/print/bench-1 idle accepting-jobs none`,
        `${scheme}://box.local:${port}/ipp/print/bench-2 stopped accepting-jobs none`,
      ]
      await finds(`${type} to show them`, type, wanted, '--ls')
    }
    const judge = (type: string): Promise<true> =>
      until(`what ${type} tells to be so`, async () => {
        const said = await find(desk, type, '-x', 'ipptool', '-t', '{}', SUITE, ';')
        t.notMatch(said.join('\n'), 'FAIL')
        return said.filter((line) => line.includes('[PASS]')).length === 3 ? true : undefined
      })
    await Promise.all([...TYPES.map(scan), judge('_ipp._tcp'), judge('_ipps._tcp')])
    const names = ['Bench 1 (barn)', 'Bench 1 (box)', 'Bench 2 (box)']
    await finds('each to have a name of its own', '_ipp._tcp', names, '-s')
    const cups = await CupsClient.start(t, desk.enter())
    await until('CUPS to list it', async () =>
      (await cups.run('lpstat', '-e')).split('\n').includes('Bench_1_box') ? true : undefined,
    )
    const pdf = join(cups.folder, 'label.pdf')
    writeFileSync(pdf, makePdf([{ ...LABEL, content: await drawLabel({ x: 0, y: 0 }) }]))
    await cups.print('Bench_1_box', pdf)
    const paper = join(t.testdirName, 'box/state/bench-1/1.prn')
    const bytes = await until('its label to come out whole', async () => {
      const bytes = await readFile(paper).catch(() => Buffer.alloc(0))
      return bytes.includes('^XZ') ? bytes : undefined
    })
    const [label] = interpret(bytes, { language: 'zpl', ...STOCK })
    const read = label === undefined ? {} : await readSymbols(label.raster)
    t.same(
      read,
      { Code128: SYMBOLS.code128.text },
      'printed without a queue of its own, and scanned',
    )
    t.equal(await set({ printers: [printer('Bench 9')] }), '200')
    await finds(
      'one to be removed, one renamed',
      '_ipp._tcp',
      ['Bench 1 (barn)', 'Bench 9 (box)'],
      '-s',
    )
    t.equal(await set({ share_printers: false }), '200')
    await finds('the box to withdraw', '_ipps._tcp', ['Bench 1 (barn)'], '-s')
  },
)

t.test('two computers of one name are both found', { skip: skipComputers }, async (t) => {
  t.testdir()
  const [one, other, desk] = await linkComputers(t, ['box', 'box', 'desk'])
  if (one === undefined || other === undefined || desk === undefined) throw new Error('no network')
  const finds = (wanted: string) =>
    until(`${wanted} to be found`, async () => {
      const show = ['-x', 'echo', '{service_name}', '{service_hostname}', ';']
      return (await find(desk, '_ipp._tcp', ...show)).join() === wanted ? true : undefined
    })
  await startBox(t, one, 'one', [printer('Bench 1')])
  await finds('Bench 1 (box) box.local')
  await startBox(t, other, 'other', [printer('Bench 1')])
  await finds('Bench 1 (box) box.local,Bench 1 (box-2) box-2.local')
  const ask = `require('node:http').get('http://127.0.0.1:8080/printers',
    { headers: { host: 'box-2.local:8080' } }, ({ statusCode }) => { console.log(statusCode); process.exit() })`
  t.equal((await other.run(process.execPath, '-e', ask)).trim(), '200', 'its page knows the name')
})
