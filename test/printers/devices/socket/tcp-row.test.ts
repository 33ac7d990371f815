import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { endianness } from 'node:os'
import t from 'tap'
import {
  findTcpRow,
  readTcpRow,
  type TcpEnds,
} from '../../../../src/printers/devices/socket/peer.ts'
import { TcpSink } from '../../../devices/tcp-sink.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:238C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 855044 1
   1: 0700000A:C001 0900000A:238C 01 00000010:00000000 01:00000014 00000003     0        0 855045 2
   2: 0700000A:C002 0900000A:238C 01 0000A000:00000000 04:00000014 00000000     0        4 855046 2
`
const TABLE_SIX = `  sl  local_address                         remote_address                        st tx_queue
   1: 0000000000000000000000000000FFFF:C001 B80D0120000000000000000001000000:238C 05 00000000:00000000 00:00000000 00000000     0        0 8550
`
const ends = (localAddress: string, localPort: number, remoteAddress: string): TcpEnds => ({
  localAddress,
  localPort,
  remoteAddress,
  remotePort: 9_100,
})

const bigEndian = endianness() === 'BE' && 'the tables here are of a little-endian machine'

t.test("a connection is found in the kernel's table", { skip: bigEndian }, (t) => {
  t.same(findTcpRow(Buffer.from(TABLE), ends('10.0.0.7', 0xc001, '10.0.0.9')), {
    unacknowledged: 16,
    isUnanswered: true,
  })
  t.same(findTcpRow(Buffer.from(TABLE), ends('10.0.0.7', 0xc002, '10.0.0.9')), {
    unacknowledged: 40_960,
    isUnanswered: true,
  })
  t.equal(findTcpRow(Buffer.from(TABLE), ends('10.0.0.7', 0xc003, '10.0.0.9')), undefined)
  t.equal(findTcpRow(Buffer.from(TABLE), ends('10.0.0.7', 0xc001, '10.0.0.8')), undefined)
  t.same(findTcpRow(Buffer.from(TABLE_SIX), ends('::255.255.0.0%eth0', 0xc001, '2001:db8::1')), {
    unacknowledged: 0,
    isUnanswered: false,
  })
  t.end()
})

t.test(
  'all who ask together find their row of a table, however long',
  { skip: bigEndian },
  async (t) => {
    const row = (port: number) =>
      `   1: 0700000A:${port.toString(16).toUpperCase().padStart(4, '0')} 0900000A:238C 01 ${port.toString(16).padStart(8, '0')}:00000000 01:00000014 00000000     0        0 855045 2\n`
    const ports = Array.from({ length: 2_000 }, (_, index) => 40_000 + index)
    const folder = t.testdir({ tcp: ports.map(row).join('') })
    const ask = (asked: readonly number[]) =>
      Promise.all(asked.map((port) => readTcpRow(ends('10.0.0.7', port, '10.0.0.9'), folder)))
    const seen = ask([40_000, 41_000, 41_999, 42_000])
    await Promise.resolve() // the first read may have begun
    const later = ask([41_999])
    const numbers = (await seen).map((one) => (typeof one === 'object' ? one.unacknowledged : one))
    t.same(numbers, [40_000, 41_000, 41_999, undefined])
    t.match(await later, [{ unacknowledged: 41_999 }])
    writeFileSync(`${folder}/tcp`, row(50_000))
    t.match(
      await ask([50_000, 41_999]),
      [{ unacknowledged: 50_000 }, undefined],
      'it is read again',
    )
  },
)

const skip = process.platform === 'linux' ? false : 'only Linux has this table'

for (const host of ['127.0.0.1', '::1']) {
  t.test(`a connection over ${host} is seen, until it has ended`, { skip }, async (t) => {
    const sink = await TcpSink.openFor(t, { stall: true }, host)
    const socket = connect({ port: sink.port, host })
    await once(socket, 'connect')
    const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket
    const mine = { localAddress, localPort, remoteAddress, remotePort }
    t.match(await readTcpRow(mine), { unacknowledged: 0, isUnanswered: false })
    socket.write(new Uint8Array(20_000_000))
    const waiting = async () => {
      const row = await readTcpRow(mine)
      return row === undefined || row === 'hidden' ? 0 : row.unacknowledged
    }
    while ((await waiting()) === 0);
    t.equal(await readTcpRow(mine, '/nowhere'), 'hidden', 'another system')
    socket.resetAndDestroy()
    await once(socket, 'close')
    t.equal(await readTcpRow(mine), undefined)
  })
}
