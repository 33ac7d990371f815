import { isIPv6 } from 'node:net'
import { Hono } from 'hono'
import { timeText } from '../core/job.ts'
import type { DoorAddress, DoorReport } from '../plugins/door/door.ts'
import { readEverywhere } from '../system/address.ts'
import { PlatenError } from '../words/errors.ts'
import { inEnglish, NOTHING, saidJson } from '../words/say.ts'
import { canonicalName, isLoopbackName, parseHost } from './access/addresses.ts'
import { readWhole } from './body.ts'
import { type Calls, route } from './call.ts'
import { holdBody } from './guard/body.ts'
import { list, object, ok, orNull, ref, text } from './json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'

/** A door with paths of the HTTP port: its name, where it is, its switch, and the key of a host name of its own. */
interface DoorPath {
  readonly name: string
  readonly path: string
  readonly key: string
  readonly hostKey: 'printnode_name'
}

const MOUNTED: readonly DoorPath[] = [
  { name: 'printnode', path: '/printnode', key: 'printnode', hostKey: 'printnode_name' },
]

/** The ways in that speak another product's protocol. */
export const doorCalls = {
  listDoors: {
    method: 'get',
    path: '/doors',
    tag: 'The print server',
    summary: "The ways in that speak another product's protocol, and how they are",
    answers: () =>
      ok(
        'Doors, those that are off too.',
        list(
          object({
            name: text(),
            title: text(),
            key: text('the key of the settings that switches it on'),
            state: text('off, starting, open or failing'),
            places: list(text()),
            message: text(),
            texts: ref('Texts'),
            contact: orNull(text()),
            lines: list(object({ where: text(), line: text(), texts: ref('Texts') })),
          }),
        ),
      ),
  },
} as const satisfies Calls

/** The paths of other products' protocols; while a door is off there is nothing at them. */
export function createDoorRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, doorCalls.listDoors, parts.access.labels(), (c) =>
    c.json(parts.doors.tell(addressOf(c, parts)).map(doorJson)),
  )
  for (const mounted of MOUNTED) {
    const answer = (c: HttpContext) => answerDoor(c, parts, mounted)
    app.all(mounted.path, parts.access.keyed('ship'), answer)
    app.all(`${mounted.path}/*`, parts.access.keyed('ship'), answer)
  }
  return app
}

/** The name by which the client reached the box; another computer cannot use localhost, if it can reach the box at all. */
function addressOf(c: HttpContext, { info }: AppParts): DoorAddress {
  const { host: bound, ip, port, securePort } = info()
  const place = readEverywhere(bound) === undefined ? bound : ip
  const used = (c.req.header('host') ?? '').replace(/:\d*$/, '')
  const name = used.replace(/^\[|\]$/g, '').toLowerCase()
  const own = isIPv6(place) ? `[${place}]` : place
  const host = used === '' || isLoopbackName(name) ? own : used
  return { host, port, securePort }
}

/** A door as the wire shows it; times are ISO 8601 texts or null. */
function doorJson({ contactAt, lines: typed, ...door }: DoorReport): object {
  const lines = typed.map((line) => ({
    ...line,
    where: inEnglish(line.where),
    ...saidJson(line.where, NOTHING),
  }))
  const message = inEnglish(door.message)
  const contact = timeText(contactAt)
  return { ...door, message, lines, contact, ...saidJson(door.message, NOTHING) }
}

/** Under a door's own host name there is nothing but the door. Comes before all other routes. */
export function createDoorNames(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const mayCall = parts.access.keyed('ship')
  app.use('*', async (c, next) => {
    const mounted = findNamed(c, parts)
    if (mounted === undefined) return await next()
    return await mayCall(c, async () => {
      c.res = await answerDoor(c, parts, { ...mounted, path: '' })
    })
  })
  return app
}

function findNamed(c: HttpContext, parts: AppParts): DoorPath | undefined {
  const config = parts.config.current
  const host = (): string | undefined => parseHost(c.req.header('host') ?? '')?.name
  return MOUNTED.find(({ hostKey }) => {
    const own = config[hostKey]
    return own !== undefined && canonicalName(own) === host()
  })
}

function answerDoor(
  c: HttpContext,
  parts: AppParts,
  { name, path, key }: DoorPath,
): Promise<Response> {
  const answer = parts.doors.answering(name)
  if (answer === undefined) {
    throw new PlatenError(
      'ROUTE_UNKNOWN',
      `There is nothing at ${path || '/'} while ${key} is off.`,
      {
        hint: `Switch ${key} on in the settings.`,
      },
    )
  }
  const url = new URL(c.req.url)
  return answer({
    method: c.req.method,
    path: url.pathname.slice(path.length) || '/',
    query: url.searchParams,
    header: (header) => c.req.header(header),
    body: () => readWhole(c, parts.limits.body()),
    share: () => holdBody(c)[0],
    network: parts.access.networkOf(c),
    signal: c.req.raw.signal,
  })
}
