import { isIPv6 } from 'node:net'
import { Hono } from 'hono'
import { timeText } from '../../core/job.ts'
import { isLoopbackName, parseHost } from '../../http/access/addresses.ts'
import { type Calls, route } from '../../http/call.ts'
import { holdBody } from '../../http/guard/body.ts'
import { list, object, ok, orNull, ref, text } from '../../http/json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from '../../http/parts.ts'
import { readWhole } from '../../http/whole-body.ts'
import { readEverywhere } from '../../system/address.ts'
import { PlatenError } from '../../words/errors.ts'
import { inEnglish, NOTHING, saidJson } from '../../words/say.ts'
import type { PluginRoutes, RunningPlugin } from '../plugin.ts'
import type { Door, DoorAddress } from './door.ts'
import type { DoorReport, Doors } from './run.ts'

/** The doors of this server, once the plugin was started. */
export interface RunningDoors extends RunningPlugin {
  readonly doors: Pick<Doors, 'answering' | 'findNamed' | 'tell'>
}

/** The calls about the ways in that speak another product's protocol. */
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

/** Serves `GET /doors` and the paths of these doors; under a door's own host name only the door answers. */
export function doorRoutes(all: readonly Door[]): PluginRoutes<RunningDoors> {
  return {
    create: (parts, running) => createDoorRoutes(parts, running, all),
    first: createHostRoutes,
  }
}

function createHostRoutes(parts: AppParts, { doors }: RunningDoors): Hono<HttpEnv> {
  const mayCall = parts.access.keyed('ship')
  return new Hono<HttpEnv>().use('*', async (c, next) => {
    const door = doors.findNamed(parseHost(c.req.header('host') ?? '')?.name ?? '')
    if (door === undefined) return await next()
    return await mayCall(c, async () => {
      c.res = await answerDoor(c, parts, doors, { door, path: '' })
    })
  })
}

function createDoorRoutes(
  parts: AppParts,
  running: () => RunningDoors,
  all: readonly Door[],
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const mayCall = parts.access.keyed('ship')
  route(app, doorCalls.listDoors, parts.access.labels(), (c) =>
    c.json(running().doors.tell(addressOf(c, parts)).map(doorJson)),
  )
  for (const door of all) {
    const { path } = door
    if (path === undefined) continue
    const answer = (c: HttpContext) => answerDoor(c, parts, running().doors, { door, path })
    app.all(path, mayCall, answer)
    app.all(`${path}/*`, mayCall, answer)
  }
  return app
}

/** Returns the name by which the client reached the box; for `localhost`, which other computers cannot use, the box's own address. */
function addressOf(c: HttpContext, { info }: AppParts): DoorAddress {
  const { host: bound, ip, port, securePort } = info()
  const place = readEverywhere(bound) === undefined ? bound : ip
  const used = (c.req.header('host') ?? '').replace(/:\d*$/, '')
  const name = used.replace(/^\[|\]$/g, '').toLowerCase()
  const own = isIPv6(place) ? `[${place}]` : place
  const host = used === '' || isLoopbackName(name) ? own : used
  return { host, port, securePort }
}

/** Describes a door for the wire; times are ISO 8601 texts or null. */
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

/** Hands a request to a door; while the door is off, nothing is at its path. */
function answerDoor(
  c: HttpContext,
  parts: AppParts,
  doors: Pick<Doors, 'answering'>,
  { door, path }: { readonly door: Door; readonly path: string },
): Promise<Response> {
  const answer = doors.answering(door.name)
  if (answer === undefined) {
    throw new PlatenError(
      'ROUTE_UNKNOWN',
      `There is nothing at ${path || '/'} while ${door.key} is off.`,
      { hint: `Switch ${door.key} on in the settings.` },
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
