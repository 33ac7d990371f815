import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { joinGroup } from '../src/printers/known/mdns.ts'

/** A multicast group that nobody else listens to; undefined = this machine has no multicast. */
export async function openGroup() {
  const free = createSocket('udp4').bind(0)
  await once(free, 'listening')
  const { port } = free.address()
  free.close()
  const place = { port, interface: '127.0.0.1' }
  const socket = await joinGroup(place)
  return socket && { place, socket }
}

/** The reason why a test of it is skipped, for `t.plan(0, …)`. */
export const NO_MULTICAST = 'this machine has no multicast'
