import { once } from 'node:events'
import { connect } from 'node:net'
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

t.test(
  "a connection is found in the kernel's table",
  { skip: !isLittle() && 'the tables here are of a little-endian machine' },
  (t) => {
    t.same(findTcpRow(TABLE, ends('10.0.0.7', 0xc001, '10.0.0.9')), {
      unacknowledged: 16,
      isUnanswered: true,
    })
    t.same(findTcpRow(TABLE, ends('10.0.0.7', 0xc002, '10.0.0.9')), {
      unacknowledged: 40_960,
      isUnanswered: true,
    })
    t.equal(findTcpRow(TABLE, ends('10.0.0.7', 0xc003, '10.0.0.9')), undefined)
    t.equal(findTcpRow(TABLE, ends('10.0.0.7', 0xc001, '10.0.0.8')), undefined)
    t.same(findTcpRow(TABLE_SIX, ends('::255.255.0.0%eth0', 0xc001, '2001:db8::1')), {
      unacknowledged: 0,
      isUnanswered: false,
    })
    t.end()
  },
)

function isLittle(): boolean {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
}

const skip = process.platform === 'linux' ? false : 'only Linux has this table'

for (const host of ['127.0.0.1', '::1']) {
  t.test(`a connection over ${host} is seen, until it has ended`, { skip }, async (t) => {
    const sink = await TcpSink.open({ stall: true }, host)
    t.teardown(() => sink.close())
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
