// The packages as dpkg installed them, under systemd: the service has the rights of its unit, and no others.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { EMULATED_MS, until } from '../../until.ts'
import { lp2844, zebra } from '../models.ts'
import { jobThat, post, printerThat, reach } from '../program.ts'
import { ADAPTER, adapterIsThere, SerialPrinter } from '../serial-printer.ts'
import { hasPrinted, makeEpl, makeZpl } from '../stream.ts'
import { UsbPrinter } from '../usb-printer.ts'

const KB100 = 100_000
const MOST_EXPOSED = 2 // of systemd-analyze's 10

const server = reach('http://127.0.0.1:8080')

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8' }).trim()

/** A property of the service, as systemd tells it. */
const show = (property: string): string =>
  run('systemctl', 'show', '--value', '--property', property, 'platen.service')

/** Reads the kernel's facts about the service's process: `Uid`, `CapEff` and so on, each as its words. */
function readRights(pid: string): Record<string, readonly string[]> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/)
      return [name.replace(':', ''), words]
    }),
  )
}

/** The group of each USB device's node, by `BUS-PORT`. */
function listNodes(): Record<string, string> {
  const devices = '/sys/bus/usb/devices'
  const names = readdirSync(devices).filter((name) => /^\d+-[\d.]+$/.test(name))
  return Object.fromEntries(
    names.map((name) => {
      const read = (file: string) => readFileSync(join(devices, name, file), 'utf8').trim()
      const [bus, address] = ['busnum', 'devnum'].map((file) => read(file).padStart(3, '0'))
      return [name, run('stat', '-c', '%G %a', `/dev/bus/usb/${bus}/${address}`)]
    }),
  )
}

const isWell = ({ state }: { state: string }): boolean => state === 'idle'
const ended = ({ state }: { state: string }): boolean => /^(completed|aborted)$/.test(state)
const isHeld = ({ state }: { state: string }): boolean => state === 'pending-held'
const driver = (port: string): string =>
  readlinkSync(`/sys/bus/usb/devices/${port}/${port}:1.0/driver`).split('/').at(-1) ?? ''

t.setTimeout(0) // the host ends a guest that takes too long

await t.test('the service of the packages, under systemd', async (t) => {
  const answered = await until(
    'the service to start',
    () => Promise.resolve(show('ActiveState') === 'active' || undefined),
    EMULATED_MS,
    1000, // systemctl costs a tenth of it
  )
  t.ok(answered)
  const first = show('MainPID')

  await t.test('runs without a right of root, in the sandbox of its unit', (t) => {
    const { Uid, Gid, Groups = [], NoNewPrivs, Seccomp, ...rights } = readRights(first)
    const [uid, gid] = [run('id', '-u', 'platen'), run('id', '-g', 'platen')]
    t.same([Uid, Gid], [Array(4).fill(uid), Array(4).fill(gid)], 'platen, in all four ids')
    t.same(run('id', '-Gn', 'platen').split(' ').sort(), ['dialout', 'lp', 'platen'])
    t.equal(Groups.length, 3)
    for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
      t.match(rights[name], [/^0+$/], name)
    }
    t.same([NoNewPrivs, Seccomp], [['1'], ['2']])
    const security = run('systemd-analyze', '--no-pager', 'security', 'platen.service')
    const last = security.split('\n').at(-1) ?? ''
    t.comment(last)
    const level = /exposure level for platen\.service: ([\d.]+)/.exec(last)?.[1]
    t.ok(Number(level) <= MOST_EXPOSED, `${level} of at most ${MOST_EXPOSED}`)
    t.end()
  })

  const gk420 = await UsbPrinter.make(t, { ...zebra, name: 'gk420', port: 0 })
  const old = await UsbPrinter.make(t, { ...lp2844, name: 'old', port: 1 })

  await t.test('a USB printer that is plugged in prints 100 KB byte for byte', async (t) => {
    for (const [printer, part, label] of [
      [gk420, 'GK420d', makeZpl(KB100, 1)],
      [old, 'LP2844', makeEpl(KB100, 2)],
    ] as const) {
      await printer.plug()
      const { name } = await printerThat(server, part, isWell)
      const id = await post(server, name, label)
      t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'sent' })
      await hasPrinted(t, printer, [label], ['label 0'])
    }
    t.same([driver('1-1'), driver('2-1')], ['usbfs', 'usbfs'], 'the device itself, not lp0')
    t.same(listNodes(), { '1-1': 'lp 660', '2-1': 'lp 660' }, 'by the rule of the package')
  })

  await t.test('a label whose cable was pulled is held, and the next one prints', async (t) => {
    await gk420.forget()
    await gk420.accept(20_480)
    const [cut, next] = [makeZpl(KB100, 3), makeZpl(3_000, 4)]
    const { name } = await printerThat(server, 'GK420d')
    const id = await post(server, name, cut)
    await gk420.untilTaken(20_480)
    await gk420.unplug()
    t.match(await jobThat(server, id, isHeld), { delivery: 'unknown' })
    const later = await post(server, name, next)
    await gk420.accept('all')
    const before = (await gk420.received()).length
    await gk420.plug()
    t.equal((await jobThat(server, later, ended)).state, 'completed')
    await hasPrinted(t, gk420, [cut, next], ['label 1'], before)
    t.equal((await jobThat(server, id, () => true)).state, 'pending-held')
  })

  await t.test('a serial adapter, the first since the start, prints 100 KB', async (t) => {
    t.notMatch(readFileSync('/proc/devices', 'utf8'), 'ttyUSB', 'its driver is not loaded yet')
    const printer = new SerialPrinter(t)
    await printer.plug()
    await adapterIsThere(true)
    t.equal(run('stat', '-L', '-c', '%G %a', ADAPTER), 'dialout 660', 'by the rule of the package')
    const uri = `serial:${ADAPTER}?baud=3000000&flow=xonxoff`
    const { found } = (await (await server.post('/printers/discover')).json()) as {
      found: readonly { uri: string }[]
    }
    t.ok(found.some((each) => each.uri.startsWith(`serial:${ADAPTER}`)))
    await server.post('/printers', { name: 'Scale bench', uri, language: 'zpl' })
    const [whole, cut, next] = [makeZpl(KB100, 5), makeZpl(1_000_000, 6), makeZpl(3_000, 7)]
    await printer.forget()
    const id = await post(server, 'Scale bench', whole)
    await printerThat(server, 'Scale bench', isWell)
    t.match(await jobThat(server, id, ended), { state: 'completed' })
    await hasPrinted(t, printer, [whole], ['label 0'])

    const lost = await post(server, 'Scale bench', cut)
    await printer.untilTaken(whole.length + 20_000)
    await printer.unplug()
    t.match(await jobThat(server, lost, isHeld), { delivery: 'unknown' })
    await adapterIsThere(false)
    const later = await post(server, 'Scale bench', next)
    await printer.forget()
    await printer.plug()
    t.match(await jobThat(server, later, ended), { state: 'completed' })
    await hasPrinted(t, printer, [cut, next], ['label 1'])
    const others = Object.entries(listNodes()).filter(([name]) => !/^[12]-1$/.test(name))
    t.match(others, [[String, /^root /]], 'no rule of ours for USB devices that are not printers')
  })

  await t.test('none of that needed a restart', (t) => {
    t.same([show('MainPID'), show('NRestarts')], [first, '0'])
    t.equal(statSync(`/proc/${first}`).uid, Number(run('id', '-u', 'platen')))
    t.end()
  })

  await t.test('a request to its socket starts it, and it prints at once', async (t) => {
    run('systemctl', 'stop', 'platen.service')
    t.same([show('ActiveState'), show('Result')], ['inactive', 'success'])
    await old.forget()
    const label = makeEpl(KB100, 8)
    const { name } = await printerThat(server, 'LP2844', isWell)
    const id = await post(server, name, label)
    t.match(await jobThat(server, id, ended), { state: 'completed' })
    await hasPrinted(t, old, [label], ['label 0'])
    t.not(show('MainPID'), first)
  })
})
