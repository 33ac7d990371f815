import { createServer, type Server, type Socket } from 'node:net'
import type { DoorBox, OpenDoor } from '../door/door.ts'
import { listenAt, serveUntil } from '../door/listen.ts'
import { RawConnection } from './connection.ts'
import type { RawPort, RawSettings } from './settings.ts'
import { RAW_BOUNDS, type RawLimits } from './settings.ts'

/**
 * Opens the ports.
 * @throws PlatenError PORT_TAKEN
 */
export async function serveRaw(
  { host, ports }: RawSettings,
  box: DoorBox,
  signal: AbortSignal,
  limits: RawLimits = RAW_BOUNDS,
): Promise<OpenDoor> {
  const room = new RawConnections(limits)
  const servers: Server[] = []
  try {
    for (const place of ports) {
      const open = (): Server =>
        createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
          room.enter(socket, box, place, signal)
        })
      servers.push(...(await listenAt(open, { host, port: place.port })))
    }
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
  return {
    places: ports.map(({ port, printer }) => `port ${port} (${printer ?? 'default printer'})`),
    closed: serveUntil(servers, signal, async () => {
      for (const server of servers) server.close()
      await room.leave()
    }),
  }
}

/** The connections of all ports, bounded so that no client takes all of them or all of the memory for labels. */
class RawConnections {
  readonly #limits: RawLimits
  readonly #inside = new Map<RawConnection, { owner: string; ended: Promise<void> }>()

  constructor(limits: RawLimits) {
    this.#limits = limits
  }

  enter(socket: Socket, box: DoorBox, place: RawPort, signal: AbortSignal): void {
    // The reader of a broken socket gets the error.
    socket.on('error', () => undefined)
    const owner = box.ownerOf(socket.remoteAddress)
    if (signal.aborted || !this.#makeRoom(owner)) {
      // A regular end would say that all was taken.
      socket.resetAndDestroy()
      return
    }
    const connection = new RawConnection(socket, {
      box,
      place,
      owner,
      signal,
      limits: this.#limits,
      mayGrow: (one) => this.#mayGrow(one),
    })
    const ended = connection.run().catch((error: unknown) => box.fault(error))
    this.#inside.set(connection, { owner, ended })
    void ended.then(() => this.#inside.delete(connection))
  }

  async leave(): Promise<void> {
    for (const connection of this.#inside.keys()) connection.leave()
    await Promise.all([...this.#inside.values()].map(({ ended }) => ended))
  }

  /** Closes an idle connection to make room, preferably one of the same address; false when none is idle. */
  #makeRoom(owner: string): boolean {
    const { connections, connectionsOfOwner } = this.#limits
    const all = [...this.#inside]
    const mates = all.filter(([, inside]) => inside.owner === owner)
    if (mates.length >= connectionsOfOwner) return closeOne(mates)
    return all.length < connections || closeOne(mates) || closeOne(all)
  }

  /** Tells whether a connection may read on. While all together hold too much, only the fullest is read: it finishes and makes room. */
  #mayGrow(connection: RawConnection): boolean {
    const sizes = [...this.#inside.keys()].map(({ held }) => held)
    const sum = sizes.reduce((total, size) => total + size, 0)
    return sum <= this.#limits.bytesTogether || connection.held >= Math.max(...sizes)
  }
}

function closeOne(candidates: readonly (readonly [RawConnection, unknown])[]): boolean {
  const idle = candidates.find(([connection]) => connection.isIdle)?.[0]
  idle?.leave()
  return idle !== undefined
}
