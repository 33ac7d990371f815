import { isIPv6 } from 'node:net'
import { Hono } from 'hono'
import type { DoorAddress, DoorReport } from '../doors/door.ts'
import { PlatenError } from '../errors.ts'
import { LabelMemory } from '../request/label-memory.ts'
import { freeIfWhole } from '../system/memory.ts'
import { isLoopbackName } from './access/host-names.ts'
import { readBody } from './body.ts'
import type { HttpContext, HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

/** Doors with paths of the HTTP port: their name, and where they are. */
const MOUNTED: readonly { readonly name: string; readonly path: string; readonly key: string }[] = [
  { name: 'printnode', path: '/printnode', key: 'printnode' },
]

/** The paths of other products' protocols; while a door is off there is nothing at them. */
export function createDoorRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/doors', parts.access.labels(), (c) =>
    c.json(parts.doors.tell(addressOf(c, parts)).map(doorJson)),
  )
  for (const { name, path, key } of MOUNTED) {
    const answer = (c: HttpContext) => answerDoor(c, parts, { name, path, key })
    app.all(path, parts.access.ship(), answer)
    app.all(`${path}/*`, parts.access.ship(), answer)
  }
  return app
}

/** The box as whoever asks has found it; another computer cannot use the name localhost. */
function addressOf(c: HttpContext, { info }: AppParts): DoorAddress {
  const { ip, port, securePort } = info()
  const used = (c.req.header('host') ?? '').replace(/:\d*$/, '')
  const name = used.replace(/^\[|\]$/g, '').toLowerCase()
  const own = isIPv6(ip) ? `[${ip}]` : ip
  const host = used === '' || isLoopbackName(name) ? own : used
  return { host, port, securePort }
}

/** A door as the wire shows it; times are ISO 8601 texts or null. */
function doorJson({ contactAt, ...door }: DoorReport): object {
  return { ...door, contact: contactAt > 0 ? new Date(contactAt).toISOString() : null }
}

function answerDoor(
  c: HttpContext,
  parts: AppParts,
  { name, path, key }: (typeof MOUNTED)[number],
): Promise<Response> {
  const answer = parts.doors.answering(name)
  if (answer === undefined) {
    throw new PlatenError('ROUTE_UNKNOWN', `There is nothing at ${path} while ${key} is off.`, {
      hint: `Switch ${key} on in the settings.`,
    })
  }
  const url = new URL(c.req.url)
  return answer({
    method: c.req.method,
    path: url.pathname.slice(path.length) || '/',
    query: url.searchParams,
    header: (header) => c.req.header(header),
    body: () => readWhole(c, parts),
    network: parts.access.networkOf(c),
    signal: c.req.raw.signal,
  })
}

async function readWhole(c: HttpContext, parts: AppParts): Promise<Uint8Array> {
  const memory = new LabelMemory()
  await readBody(c, parts.limits.body(), (chunk) => {
    memory.append(chunk)
    freeIfWhole(chunk)
  })
  return memory.take()
}
