import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { type Access, createAccess } from '../../../../src/http/access/access.ts'
import type { Keys } from '../../../../src/http/access/keys.ts'
import { createLimits } from '../../../../src/http/guard/body-limits.ts'
import type { AppParts, HttpEnv } from '../../../../src/http/parts.ts'
import { refusalJson, toFailure } from '../../../../src/http/server-faults.ts'
import { judgeDoorCaller } from '../../../../src/plugins/door/caller.ts'
import { doorRoutes } from '../../../../src/plugins/door/routes.ts'
import { DialogAddresses } from '../../../../src/plugins/ipp/addresses.ts'
import { Dialogs } from '../../../../src/plugins/ipp/dialogs.ts'
import { ippRoutes } from '../../../../src/plugins/ipp/routes.ts'
import { printNode as printNodeDoor } from '../../../../src/plugins/printnode/index.ts'
import { servePrintNode } from '../../../../src/plugins/printnode/serve.ts'
import { readConfig } from '../../../settings/all.ts'
import type { Box } from '../../../simulator/box.ts'
import { makeDoorBox } from '../world.ts'

const CONFIG = readConfig({ host: '127.0.0.1', printnode: true })

/** The HTTP side of one run of the program: dialogs and PrintNode's door. */
export class Front {
  readonly #server: Server
  readonly #ends = new AbortController()
  /** Times at which requests began, and connections ended before their answers were handed over. */
  readonly events: string[] = []

  constructor(server: Server, box: Box, keys: Keys, fault: (error: unknown) => void) {
    this.#server = server
    const access: Access = {
      ...createAccess({ config: () => CONFIG, ownNames: () => [] }),
      // All computers are this one.
      networkOf: (c) => c.req.header('x-client') ?? '',
    }
    const printNode = servePrintNode(
      { hosts: [], webhook: undefined },
      {
        ...makeDoorBox(box, CONFIG, fault),
        callerOf: (headers) => judgeDoorCaller(headers, CONFIG),
        keys,
      },
      this.#ends.signal,
    )
    const sharer = {
      secret: new Uint8Array(32),
      hostName: 'box',
      addresses: new DialogAddresses(),
    }
    const parts = {
      access,
      limits: createLimits(() => CONFIG.max_body_mb),
      config: { current: CONFIG },
      info: () => ({ port: '631', securePort: '', host: '', ip: '' }),
    } as unknown as AppParts
    const dialogs = new Dialogs({
      spool: box.spool,
      intake: box.intake,
      scheduler: box.scheduler,
      printers: box.printers,
      sharer: () => sharer,
      isOn: () => true,
      documentBytes: () => CONFIG.max_body_mb * 2 ** 20,
      identify: () => undefined,
    })
    const app = new Hono<HttpEnv>()
    app.route(
      '/',
      ippRoutes.create(parts, () => ({ open: () => Promise.resolve(dialogs) })),
    )
    const doors = {
      answering: () => printNode.answer,
      findNamed: () => undefined,
      tell: () => [],
    }
    app.route(
      '/',
      doorRoutes([printNodeDoor]).create(parts, () => ({ doors })),
    )
    app.onError((error, c) => {
      const failure = toFailure(error)
      if (failure.code === 'INTERNAL') fault(error)
      return c.json(refusalJson(failure), failure.status)
    })
    const listener = getRequestListener(app.fetch)
    server.removeAllListeners('request')
    server.on('request', (request, answer) => {
      const number = Number(request.headers['x-try'])
      this.events.push(`begun ${number}`)
      answer.on('close', () => {
        if (!answer.writableFinished) this.events.push(`lost ${number}`)
      })
      void listener(request, answer)
    })
  }

  static serve(): Server {
    return createServer({ requestTimeout: 0 }).on('clientError', (_, socket) => socket.destroy())
  }

  /** Ends all connections at once. */
  cut(): void {
    this.#server.removeAllListeners('request')
    this.#server.closeAllConnections()
    this.#ends.abort()
  }
}
