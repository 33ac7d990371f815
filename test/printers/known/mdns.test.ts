import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Bonjour } from 'bonjour-service'
import t from 'tap'
import {
  findNetworkPrinters,
  joinGroup,
  PacketBudget,
  type PrinterAnnouncement,
  presentAnnouncements,
} from '../../../src/printers/known/mdns.ts'

const raw = (more: Partial<PrinterAnnouncement>): PrinterAnnouncement => ({
  name: 'ZBR1',
  type: 'pdl-datastream',
  port: 9_100,
  addresses: ['10.0.0.7'],
  ...more,
})

t.test('an announcement becomes a printer that can be added', (t) => {
  const txt = {
    ty: 'Zebra GK420d',
    usb_MFG: 'Zebra Technologies',
    usb_MDL: 'ZTC GK420d',
    USB_CMD: 'EPL,ZPL',
    product: '(GK420d)',
  }
  t.same(presentAnnouncements([raw({ txt })]), [
    {
      uri: 'socket://10.0.0.7:9100',
      name: 'ZBR1',
      makeAndModel: 'Zebra GK420d',
      deviceId: 'MFG:Zebra Technologies;MDL:ZTC GK420d;CMD:EPL,ZPL;',
    },
  ])
  t.end()
})

t.test('what is left out is made up for, as far as it can be', (t) => {
  const pdl = 'application/octet-stream,application/vnd.tsc-tspl'
  const [first, second, third] = presentAnnouncements([
    raw({ txt: { product: '(TE200; B)', pdl }, name: 'a\u0007b', addresses: ['10.0.0.1'] }),
    raw({ txt: undefined, addresses: ['10.0.0.2'] }),
    raw({ txt: { ty: 7, usb_MFG: 'Z', usb_MDL: 'Q' }, addresses: ['10.0.0.3'] }),
  ])
  t.match(first, { name: 'a b', makeAndModel: 'TE200; B', deviceId: 'MDL:TE200  B;CMD:TSPL;' })
  t.same(second, { uri: 'socket://10.0.0.2:9100', name: 'ZBR1', makeAndModel: '' })
  t.equal(third?.makeAndModel, 'Z Q')
  t.end()
})

t.test('one printer is listed once, by an address that can be used', (t) => {
  const uris = (...heard: readonly PrinterAnnouncement[]) =>
    presentAnnouncements(heard).map(({ uri }) => uri)
  t.same(uris(raw({ type: 'printer', name: 'x' }), raw({})), ['socket://10.0.0.7:9100'])
  t.same(uris(raw({ addresses: ['fe80::1', '2001:db8::7', '10.0.0.7'] })), [
    'socket://10.0.0.7:9100',
  ])
  t.same(uris(raw({ addresses: ['fe80::1', '2001:db8::7'] })), ['socket://[2001:db8::7]:9100'])
  t.same(uris(raw({ addresses: [], referer: { address: '10.0.0.9' } })), ['socket://10.0.0.9:9100'])
  t.same(uris(raw({ addresses: undefined })), [])
  t.same(uris(raw({ addresses: ['zebra.local', 'fe80::1%eth0'] })), [])
  t.same(uris(raw({ port: 0 }), raw({ type: 'printer', port: 515 }), raw({ type: 'ipp' })), [])
  t.same(uris(raw({ type: 'printer', port: 9_102 })), ['socket://10.0.0.7:9102'])
  t.end()
})

t.test('a search that is called off ends at once', async (t) => {
  t.same(await findNetworkPrinters(AbortSignal.abort()), [])
  const stop = new AbortController()
  const search = findNetworkPrinters(stop.signal, { listenMs: 60_000, port: await freePort() })
  stop.abort()
  t.same(await search, [])
})

t.test('a network without multicast has no printers to show', async (t) => {
  // 192.0.2.77 is not an address of this computer, so the group cannot be joined from there.
  const settings = { listenMs: 500, port: await freePort(), interface: '192.0.2.77' }
  t.same(await findNetworkPrinters(AbortSignal.timeout(60_000), settings), [])
})

t.test('printers that announce themselves are found', async (t) => {
  const port = await freePort()
  const socket = await joinGroup({ port, interface: '127.0.0.1' })
  if (socket === undefined) {
    t.pass('an announcement over the loopback', { skip: 'no multicast here' })
    return
  }
  const options: object = { port, socket, bind: false }
  const printer = new Bonjour(options, () => undefined)
  t.teardown(() => printer.destroy())
  const announce = (name: string, type: string, at: number) =>
    printer.publish({ name, type, port: at, probe: false, txt: { ty: 'Zebra GK420d' } })
  announce('ZBR1', 'pdl-datastream', 9_100)
  announce('ZBR1 LPD', 'printer', 515)
  const search = () =>
    findNetworkPrinters(AbortSignal.timeout(60_000), {
      listenMs: 700,
      port,
      interface: '127.0.0.1',
    })
  let found = await search()
  for (let tries = 1; found.length === 0 && tries < 5; tries++) found = await search()
  if (found.length === 0) {
    t.pass('an announcement over the loopback', { skip: 'multicast brings nothing back here' })
  } else t.match(found, [{ name: 'ZBR1', makeAndModel: 'Zebra GK420d', uri: /^socket:.*:9100$/ }])
})

/** A packet whose head tells so many questions and answers. */
function packet(questions: number, answers = 0, bytes = 40): Buffer {
  const head = Buffer.alloc(bytes)
  head.writeUInt16BE(questions, 4)
  head.writeUInt16BE(answers, 6)
  return head
}

t.test('a second has room for so many questions and answers, and a sender for a share', (t) => {
  let now = 0
  const budget = new PacketBudget(() => now)
  const admitted = (sender: string, one: Buffer) =>
    Array.from({ length: 1_000 }, () => budget.admits(one, sender)).filter(Boolean).length
  t.equal(admitted('10.0.0.1', packet(1)), 500)
  t.equal(admitted('10.0.0.2', packet(0, 10)), 50, 'others are heard')
  t.equal(admitted('10.0.0.3', packet(0)), 500, 'a packet without anything counts too')
  t.equal(admitted('10.0.0.4', packet(1)), 500)
  t.equal(admitted('10.0.0.5', packet(1)), 0, 'all together are too many')
  now = 999
  t.equal(admitted('10.0.0.1', packet(1)), 0)
  now = 1_000
  t.equal(admitted('10.0.0.1', packet(1)), 500, 'the next second begins again')
  t.end()
})

t.test('packets that nobody who is well sends are not read', (t) => {
  const budget = new PacketBudget(() => 0)
  for (const odd of [packet(700), packet(51), packet(1, 400), packet(1, 0, 9_001)]) {
    t.notOk(budget.admits(odd, '10.0.0.1'))
  }
  t.notOk(budget.admits(new Uint8Array(11), '10.0.0.1'))
  t.ok(budget.admits(packet(50, 350, 9_000), '10.0.0.1'))
  t.end()
})

t.test('a flood is not parsed, and what comes after it is', async (t) => {
  let now = 0
  const budget = new PacketBudget(() => now)
  const port = await freePort()
  const socket = await joinGroup({ port, interface: '127.0.0.1', budget })
  const sender = createSocket('udp4')
  t.teardown(() => sender.close())
  if (socket === undefined) {
    t.pass('a flood over the loopback', { skip: 'no multicast here' })
    return
  }
  t.teardown(() => socket.close())
  const read = { flood: 0, large: 0, late: 0 }
  socket.on('message', (message: Buffer) => {
    if (message.readUInt16BE(4) > 1) read.large += 1
    else if (message.readUInt16BE(0) === 7) read.late += 1
    else read.flood += 1
  })
  const send = async (one: Buffer) => {
    await new Promise((resolve) => sender.send(one, port, '127.0.0.1', resolve))
  }
  for (let count = 0; count < 2_000; count += 1) {
    await send(count % 2 === 0 ? packet(1) : packet(700, 0, 4_000))
    if (count % 20 === 0) await new Promise(setImmediate)
  }
  t.ok(read.flood > 0 && read.flood <= 500, `${read.flood} packets`)
  now = 5_000
  const late = packet(1)
  late.writeUInt16BE(7, 0)
  const end = Date.now() + 60_000
  while (read.late === 0 && Date.now() < end) {
    await send(late)
    await new Promise(setImmediate)
    now += 1_000 // what is left of the flood may have used up the second
  }
  t.ok(read.late > 0)
  t.equal(read.large, 0)
})

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0)
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  return port
}
