import type { Socket } from 'node:net'
import { type PacketBounds, PacketReader } from './packet-reader.ts'

/** Ends a broker's connection as soon as it announces or sends more than it may; to be called before anybody reads it. */
export function watchPackets(socket: Socket, bounds: PacketBounds): Socket {
  const reader = new PacketReader(bounds)
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const packet of reader.read(chunk)) if (packet.length === 0) return
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
  return socket
}
