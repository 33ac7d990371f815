import { Buffer } from 'node:buffer'
import bonjour from 'bonjour-service'
import t from 'tap'
import type { KnownPrinter } from '../../../src/core/printers/status.ts'
import { DialogAddresses, followNames } from '../../../src/plugins/ipp/addresses.ts'
import { listShared } from '../../../src/plugins/ipp/printer.ts'
import { describePrinter } from '../../../src/plugins/ipp/printer-attributes.ts'
import { describeServices } from '../../../src/plugins/ipp/services.ts'
import { readText, readTexts } from '../../../src/printers/ipp/message.ts'
import { joinGroup } from '../../../src/printers/known/mdns.ts'
import { announceServices } from '../../../src/system/mdns.ts'
import { startRig } from '../../http/rig.ts'
import { NO_MULTICAST, openGroup } from '../../multicast.ts'

const makeSharer = () => ({
  secret: new Uint8Array(32),
  hostName: 'bench-3.local',
  addresses: new DialogAddresses(),
})
const PORTS = { port: 8080, securePort: 8443, host: 'bench-3.local' }

t.test('what the network is told agrees with what the printer says', (t) => {
  const rig = startRig(t)
  const [first] = listShared(rig.bench.printers.list(), makeSharer())
  if (first === undefined) throw new Error('no printer')
  const place = {
    host: 'bench-3.local:8080',
    secureHost: undefined,
    startedAt: 0,
    changedAt: 0,
    now: 1_000,
  }
  const said = { tag: 4, attributes: describePrinter(first, place, 0) }
  const services = describeServices(first, PORTS)
  t.same(
    services.map(({ type, port, subtypes }) => [type, port, subtypes]),
    [
      ['ipp', 8080, ['universal', 'print']],
      ['ipps', 8443, ['universal', 'print']],
    ],
  )
  for (const { name, txt } of services) {
    t.equal(name, readText(said, 'printer-dns-sd-name'))
    t.equal(name, 'Bench 1 (bench-3)')
    t.equal(txt['rp'], 'ipp/print/bench-1')
    t.equal(`urn:uuid:${txt['UUID']}`, readText(said, 'printer-uuid'))
    t.equal(txt['URF'], readTexts(said, 'urf-supported').join(','))
    t.equal(txt['adminurl'], readText(said, 'printer-more-info'))
    t.equal(txt['ty'], readText(said, 'printer-make-and-model'))
    const sizes = Object.entries(txt).map(([key, value]) => Buffer.byteLength(`${key}=${value}`))
    t.ok(Math.max(...sizes) <= 255)
    t.ok(sizes.reduce((sum, size) => sum + size + 1, 0) <= 1_300, 'one packet')
  }
  t.end()
})

t.test('names and paths of odd printers', (t) => {
  const rig = startRig(t)
  const [one] = rig.bench.printers.list()
  const named = (name: string): KnownPrinter => ({ ...(one as KnownPrinter), name })
  const names = ['Bänk 1', 'BANK 1', 'bank-1', '包装', 'Zebra GK420d.2', 'x'.repeat(80)]
  const shared = listShared(names.map(named), makeSharer())
  t.same(
    shared.slice(0, 5).map(({ path }) => path),
    [
      '/ipp/print/bank-1',
      '/ipp/print/bank-1-8db7574785a6',
      '/ipp/print/bank-1-5436e7948ad1',
      '/ipp/print/printer-946286',
      '/ipp/print/zebra-gk420d-2',
    ],
  )
  for (const { dnsSdName } of shared) {
    t.ok(Buffer.byteLength(dnsSdName) <= 63)
    t.match(dnsSdName, / \(bench-3\)$/)
    t.notMatch(dnsSdName, /\./)
  }
  t.equal(new Set(shared.map(({ uuid }) => uuid)).size, names.length)
  const raw = { ...named('raw'), language: undefined }
  t.same(listShared([raw], makeSharer()), [], 'nothing can be drawn for one of unknown language')
  const list = (language: KnownPrinter['language']) =>
    listShared([{ ...named('Bank 1'), language }, named('bank-1')], makeSharer())
  t.equal(list(undefined)[0]?.path, list('zpl')[1]?.path, 'another one keeps its address then')
  t.end()
})

t.test('an address stays with the name that had it first', (t) => {
  let text: string | undefined
  const faults: unknown[] = []
  const kept = {
    load: () => text,
    save: (now: string) => {
      text = now
    },
  }
  const open = () => new DialogAddresses(kept, (error) => faults.push(error))
  const first = open()
  t.same(first.list(['Bench 1']), ['/ipp/print/bench-1'])
  const [second = ''] = first.list(['bench-1'])
  t.match(second, /^\/ipp\/print\/bench-1-[0-9a-f]{12}$/, 'also when the first one is gone')
  const later = open()
  t.same(later.list(['bench-1', 'Bench 1']), [second, '/ipp/print/bench-1'], 'after a restart')
  later.rename('Bench 1', 'BENCH 1')
  later.rename('bench-1', 'Packing')
  t.same(later.list(['BENCH 1', 'Packing']), ['/ipp/print/bench-1', '/ipp/print/packing'])
  t.not(later.list(['Bench 1'])[0], '/ipp/print/bench-1', 'it went along with its printer')
  const many = Array.from({ length: 1_200 }, (_, n) => `Bench ${n}`)
  const paths = later.list(many)
  t.equal(new Set(paths).size, many.length)
  t.same(open().list(many.toReversed()), paths.toReversed(), 'also those that are not kept')
  t.same(faults, [])
  t.end()
})

t.test('an address goes along with a printer that gets another name', (t) => {
  const { printers } = startRig(t).bench
  const [one] = printers.list()
  const addresses = new DialogAddresses()
  followNames(addresses, printers)
  const listPaths = () => addresses.list(printers.list().map(({ name }) => name))
  const configure = (...places: readonly (readonly [name: string, uri: string])[]) => {
    const list = places.map(([name, uri]) => ({ ...(one as KnownPrinter), name, uri }))
    printers.configure(list, '')
  }
  configure(['Bench 1', 'file:a'])
  t.same(listPaths(), ['/ipp/print/bench-1'])
  // Whoever hears of the change first asks for the addresses.
  const heard: (readonly string[])[] = []
  const end = printers.onChange(() => heard.push(listPaths()))
  configure(['BENCH 1', 'file:a'], ['Bench 1', 'file:b'])
  end()
  const [first, second = ''] = listPaths()
  t.equal(first, '/ipp/print/bench-1', 'the same printer has it')
  t.match(second, /^\/ipp\/print\/bench-1-[0-9a-f]{12}$/)
  for (const paths of heard) t.same(paths, [first, second])
  configure(['Bench 1', 'file:b'])
  t.same(listPaths(), [second], 'it goes to nobody else')
  configure(['bench-1', 'file:a'], ['BENCH 1', 'file:a'])
  t.equal(listPaths()[1], '/ipp/print/bench-1', 'a second name of a printer takes nothing away')
  t.end()
})

t.test('addresses that cannot be read or kept stop nobody', (t) => {
  for (const text of ['', '{', '[]', '{"bench-1":1}', 'null']) {
    const faults: unknown[] = []
    const save = () => {
      throw new Error('full')
    }
    const kept = { load: () => text, save }
    const addresses = new DialogAddresses(kept, (error) => faults.push(error))
    t.same(addresses.list(['Bench 1', 'Bench 1']), ['/ipp/print/bench-1', '/ipp/print/bench-1'])
    t.equal(faults.length, text === '[]' ? 1 : 2, `${text}: logged`)
  }
  t.end()
})

t.test('a printer whose letters are of another script keeps its address', (t) => {
  const rig = startRig(t)
  const [one] = rig.bench.printers.list()
  const pathsOf = (...names: string[]) =>
    listShared(
      names.map((name) => ({ ...(one as KnownPrinter), name })),
      makeSharer(),
    ).map(({ path }) => path)
  const names = ['Касса', 'Склад', 'Склад 1', 'Касса 1', '包装', '包裝', '!']
  const paths = pathsOf(...names)
  t.equal(new Set(paths).size, names.length)
  for (const path of paths) t.match(path, /^\/ipp\/print\/[a-z0-9-]+$/)
  t.same(pathsOf(...names.toReversed()), paths.toReversed(), 'in another order')
  for (const [n, name] of names.entries())
    t.same(pathsOf(name), [paths[n]], 'when all others are gone')
  t.same(
    pathsOf('Packstraße 1', 'Łódź'),
    ['/ipp/print/packstra-e-1', '/ipp/print/odz'],
    'Latin ones as ever: computers know these addresses',
  )
  t.end()
})

t.test('the network can tell printers apart whose long names begin alike', (t) => {
  const [one] = startRig(t).bench.printers.list()
  const namesOf = (names: readonly string[], hostName = 'printserver-1a2b.local') =>
    listShared(
      names.map((name) => ({ ...(one as KnownPrinter), name })),
      { ...makeSharer(), hostName },
    ).map(({ dnsSdName }) => dnsSdName)
  const names = [1, 2, 3].map((n) => `Склад готовой продукции ${n}`)
  const said = namesOf(names)
  t.equal(new Set(said).size, 3, said.join())
  for (const [n, name] of names.entries()) t.same(namesOf([name]), [said[n]], 'alone, too')
  const far = namesOf(['Bench 1', 'Bench 2'], 'h'.repeat(63))
  t.equal(new Set(far).size, 2)
  for (const name of [...said, ...far]) t.ok(Buffer.byteLength(name) <= 63, name)
  t.match(said[0], /^Склад готовой .* \(printserver-1a2b\)$/)
  t.end()
})

t.test('AirPrint finds a printer by its subtype, and loses it when it is gone', async (t) => {
  const group = await openGroup()
  if (group === undefined) return t.plan(0, NO_MULTICAST)
  const { place, socket } = group
  const stopping = new AbortController()
  const [printer] = listShared(startRig(t).bench.printers.list(), makeSharer())
  if (printer === undefined) throw new Error('no printer')
  const settings = { host: 'bench-3.local', socket, udpPort: place.port }
  const tell = await announceServices(settings, stopping.signal)
  tell(describeServices(printer, PORTS))
  const options: object = { port: place.port, socket: await joinGroup(place), bind: false }
  const listener = new bonjour.Bonjour(options, () => undefined)
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const browser = listener.find({ type: 'ipp', subtypes: ['universal'] }, resolve)
  const gone = new Promise((resolve) => browser.on('down', resolve))
  const asking = setInterval(() => browser.update(), 500)
  t.match(await promise, { name: 'Bench 1 (bench-3)', port: 8080, host: 'bench-3.local' })
  clearInterval(asking)
  tell([])
  t.match(await gone, { name: 'Bench 1 (bench-3)' })
  listener.destroy()
  stopping.abort()
})
