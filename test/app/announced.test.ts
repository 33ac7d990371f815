import t from 'tap'
import { describeServer } from '../../src/app/announcer.ts'
import { findBoxes } from '../../src/printers/known/mdns.ts'
import { announceServices } from '../../src/system/mdns.ts'
import { NO_MULTICAST, openGroup } from '../multicast.ts'

t.test('a computer with a long name is found by other print servers', async (t) => {
  const group = await openGroup()
  if (group === undefined) return t.plan(0, NO_MULTICAST)
  const { place, socket } = group
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const hostName = 'acme-distribution-north-hall-two-packing-station-0017'
  const tell = await announceServices(
    { host: 'x.local', socket, udpPort: place.port },
    stopping.signal,
  )
  tell(describeServer(hostName, 8080, '8443'))
  const { signal } = new AbortController()
  const found = await findBoxes(signal, { ...place, listenMs: 2_000 })
  t.match(found, [{ name: /^Label printer .*-packing-station-0017$/, port: '8443' }])
})

t.test('a name stays as it is where it fits, and is cut between letters', (t) => {
  const nameOf = (hostName: string) => describeServer(hostName, 80, '')[0]?.name ?? ''
  t.equal(nameOf('bench-3.fritz.box'), 'Label printer bench-3')
  t.equal(nameOf('b'.repeat(49)), `Label printer ${'b'.repeat(49)}`)
  t.equal(nameOf(`a${'b'.repeat(49)}`), `Label printer ${'b'.repeat(49)}`)
  const odd = nameOf('ü'.repeat(63))
  t.equal(odd, `Label printer ${'ü'.repeat(24)}`)
  t.end()
})
