// What programs and web pages that look for other services send to port 9100 is no label, and no evidence of one either: held,
// two hundred of them would keep the real evidence out.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { raw } from '../../src/plugins/raw/index.ts'
import { Splitter } from '../../src/plugins/raw/split.ts'
import { carrierLabel } from '../label-makers/carrier.ts'
import { toPng } from '../label-makers/files.ts'
import { findClosedPort } from '../listen.ts'
import { type DoorBench, jobs, openDoor } from '../plugins/door/door-bench.ts'
import { talk } from '../plugins/raw/client.ts'
import { makeRandom } from '../random.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
/** Words in an order that the page could choose. */
const WORDS = '\nN\nA1,1,0,1,1,1,N,"a"\nP1\n^XA^FO9,9^FDfree^FS^XZ'

/** Attributes of STUN, padded to four bytes. */
function stun(type: number, words: string): Buffer {
  const value = Buffer.from(words)
  const padded = Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)])
  const head = Buffer.alloc(24)
  head.writeUInt16BE(type)
  head.writeUInt16BE(4 + padded.length, 2)
  head.writeUInt32BE(0x2112a442, 4)
  randomBytes(12).copy(head, 8)
  head.writeUInt16BE(0x0006, 20)
  head.writeUInt16BE(value.length, 22)
  return Buffer.concat([head, padded])
}

function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** First bytes of such clients, and their name in the log. */
const BEGINNINGS: readonly (readonly [string, Buffer])[] = [
  ['STUN', hex('000100002112a442000102030405060708090a0b')],
  ['STUN', stun(0x0001, WORDS)],
  ['STUN', stun(0x0003, WORDS)],
  ['STUN', stun(0x0011, 'a'.repeat(500))],
  ['STUN', framed(stun(0x0001, WORDS))],
  ['STUN', framed(stun(0x0001, 'a'.repeat(300)))],
  ['TLS', hex('16030100c8010000c40303')],
  ['TLS', Buffer.concat([hex('16030100c8010000c40303'), Buffer.from(WORDS)])],
  ['TLS', hex('802e0103010015000000100000')],
  ['DTLS', hex('16feff0000000000000000')],
  ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n')],
  ['SSH', Buffer.from('SSH-1.5-scan\r\n')],
  ['SMB', hex('00000054ff534d4272000000001801')],
  ['SMB', hex('000000a4fe534d4240000000000000')],
  ['NetBIOS', hex('8100004420434b4644454e4543')],
  ['RDP', hex('0300002c27e00000000000436f6f6b')],
  ['RDP', hex('030000130ee000000000000100080003000000')],
  ['DNS', hex('001c1234010000010000000000000776657273696f6e0462696e640000100003')],
  ['DNS', hex('002d0001012000010000000000010377777700')],
  ['PostgreSQL', hex('0000002a0003000075736572')],
  ['PostgreSQL', hex('0000000804d2162f')],
  ['PostgreSQL', hex('0000000804d21630')],
  ['SQL Server', hex('1201003400000000000015000601001b')],
  ['Oracle', hex('005a000001000000013601')],
  ['MongoDB', hex('3f0000000100000000000000d40700000000000061')],
  ['MongoDB', hex('8f0000000100000000000000dd0700000000000000')],
  ['Redis', Buffer.from('*1\r\n$4\r\nPING\r\n')],
  ['MQTT', hex('101000044d515454040200 3c0004 74657374')],
  ['AMQP', hex('414d515000000901')],
  ['LDAP', hex('300c020101600702010304008000')],
  ['LDAP', hex('3084000000 2d 020107 6384000000')],
  ['Kerberos', hex('000000716a816e30816ba103')],
  ['RPC', hex('8000002872fe1d130000000000000002000186a0')],
  ['RPC', hex('05000b0310000000')],
  ['SOCKS', hex('0401238c7f00000100')],
  ['SOCKS', hex('050100')],
  ['VNC', Buffer.from('RFB 003.008\n')],
  ['X11', hex('6c000b00000000000000')],
  ['Telnet', hex('fffd03fffb18')],
  ['BitTorrent', Buffer.from('\x13BitTorrent protocol\0\0\0\0')],
  ['Java RMI', hex('4a524d4900024b')],
  ['SMTP', Buffer.from('EHLO scan\r\n')],
]
const HTTP = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.0\r\n\r\n',
  'M-SEARCH * HTTP/1.1\r\n\r\n',
]

async function openRaw(t: Parameters<typeof openDoor>[0]): Promise<DoorBench & { port: number }> {
  const port = await findClosedPort()
  return { ...(await openDoor(t, raw, { raw_port: port })), port }
}

t.test('what speaks another protocol is dropped with a line in the log', async (t) => {
  const door = await openRaw(t)
  for (const [protocol, bytes] of BEGINNINGS) {
    await talk(door.port, [bytes])
    t.same(jobs(door), [], `nothing is held of ${protocol}`)
    t.match(door.log.at(-1), { event: 'raw left out', fields: { protocol } }, protocol)
  }
  for (const request of HTTP) {
    t.match((await talk(door.port, [request])).text, /^HTTP\/1.1 400/)
    t.same(jobs(door), [], request)
  }
  await talk(door.port, ['^XA^FO9,9^FDstill taken^FS^XZ'])
  t.match(jobs(door), [{ format: 'zpl' }])
})

t.test('in pieces of any size, and no label is taken off what a page chooses', (t) => {
  const random = makeRandom(2112)
  for (const [protocol, bytes] of BEGINNINGS) {
    for (let round = 0; round < 20; round += 1) {
      const splitter = new Splitter()
      const kinds: string[] = []
      const drain = (): void => {
        for (let piece = splitter.next(); piece !== undefined; piece = splitter.next())
          kinds.push(piece.kind)
      }
      for (let at = 0; at < bytes.length; ) {
        const next = at + 1 + Math.floor(random() * ([1, 3, 20][round % 3] as number))
        splitter.push(bytes.subarray(at, next))
        drain()
        at = next
      }
      splitter.end(round % 2 === 0)
      drain()
      t.equal(splitter.foreign, protocol)
      if (/TLS|STUN/.test(protocol)) t.same(kinds, ['foreign'], protocol)
    }
  }
  t.end()
})

t.test('labels and real evidence are kept, whatever they begin with', async (t) => {
  const door = await openRaw(t)
  const label = '^XA^FO9,9^FDa^FS^XZ'
  const labels = [
    '',
    '\0',
    '\0\0',
    '\0\0\0',
    '\0\0\0\0',
    '\0'.repeat(16),
    '\r\n',
    '\x10CT~~CD,~CC^~CT~',
    'Label 7 ',
    '\x02',
    '\x18\0',
  ].map((before) => Buffer.from(before + label))
  for (const one of [...labels, toPng(carrierLabel()), Buffer.from('N\nA1,1,0,1,1,1,N,"a"\nP1\n')])
    await talk(door.port, [one])
  t.equal(jobs(door).length, labels.length + 2)
  t.same(
    jobs(door).flatMap(({ state }, at) => (state === 'pending-held' ? [at] : [])),
    [],
  )
  const evidence = ['hello', '%!PS-Adobe-3.0\n', '\0\0\0half', '\x02lp\n', '^XA^FDhalf', 'SSH']
  for (const one of evidence) await talk(door.port, [one])
  const held = jobs(door).filter(({ state }) => state === 'pending-held')
  t.equal(held.length, evidence.length)
  // A question behind empty bytes is answered although more could come.
  for (const blanks of ['', '\0', '\0\0', '\0\0\0', '\0'.repeat(9)])
    t.ok((await talk(door.port, [`${blanks}~HS`])).text.startsWith('\x02'))
})

t.test('behind a label nothing is taken for another protocol', async (t) => {
  const door = await openRaw(t)
  await talk(door.port, ['^XA^FO9,9^FDa^FS^XZ', '^XA^FDhalf'])
  await talk(door.port, ['^XA^FO9,9^FDa^FS^XZ', Buffer.from('EHLO ^XA^FDhalf')])
  t.equal(jobs(door).filter(({ state }) => state === 'pending-held').length, 2)
})
