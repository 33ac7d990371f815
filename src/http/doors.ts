import { isIPv6 } from 'node:net'
import { Hono } from 'hono'
import { decodePart } from '#printers'
import { timeText } from '../core/job.ts'
import type { DoorAddress, DoorReport } from '../plugins/door/door.ts'
import { drawIcon, ICON_SIDES } from '../plugins/ipp/printer.ts'
import { readEverywhere } from '../system/address.ts'
import { freeMemory } from '../system/memory.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { inEnglish, NOTHING, saidJson } from '../words/say.ts'
import { canonicalName, isLoopbackName, parseHost } from './access/addresses.ts'
import { contentTypeOf, readWhole } from './body.ts'
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

const IPP = 'application/ipp'

/**
 * `POST /ipp/print/NAME`: every printer of the box for print dialogs, without a name the default one; and their jobs
 * without a document.
 */
export function createDialogRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const print = parts.access.dialog()
  const labels = parts.access.labels()
  app.get('/dialogs', labels, (c) => c.json({ waiting: parts.dialogs.countIncoming() }))
  app.post('/dialogs/cancel', labels, async (c) => {
    const canceled = await parts.dialogs.cancelIncoming()
    return c.json({ Status: 'OK', canceled, waiting: parts.dialogs.countIncoming() })
  })
  app.get('/ipp/:icon', parts.access.read(), (c) => {
    const side = ICON_SIDES.find((one) => c.req.param('icon') === `icon-${one}.png`)
    if (side === undefined) return c.notFound()
    return c.body(Uint8Array.from(drawIcon(side)), 200, { 'content-type': 'image/png' })
  })
  app.post('/ipp/print', print, (c) => answer(c, parts))
  app.post('/ipp/print/:printer', print, (c) => answer(c, parts))
  app.post('/ipp/print/:printer/:job', print, (c) => answer(c, parts))
  return app
}

async function answer(c: HttpContext, parts: AppParts): Promise<Response> {
  const { dialogs, limits, access } = parts
  if (!dialogs.isOn) {
    throw new PlatenError('ROUTE_UNKNOWN', 'This print server is not shared with print dialogs.', {
      hint: 'Switch share_printers on in the settings.',
    })
  }
  const { type } = contentTypeOf(c)
  if (type !== IPP) {
    throw new PlatenError(
      'BODY_TYPE',
      `The request has the Content-Type ${quoteShort(type)}; wanted ${IPP}.`,
    )
  }
  const path = decodePart(c.req.path)
  const client = access.networkOf(c)
  using _ = dialogs.arrive(client)
  const body = await readWhole(c, limits.body(), async (error, begun) => {
    // Of one that says before how large it is nothing has come.
    if (begun.length > 0 && error instanceof PlatenError && error.code === 'BODY_TOO_LARGE')
      await dialogs.keepLarge(begun, { path, client }, error)
  })
  try {
    const bytes = await dialogs.answer(body, {
      path,
      place: placeOf(c, parts),
      client,
      onLost: (lost) => watchAnswer(c, lost),
    })
    return c.body(Uint8Array.from(bytes), 200, { 'content-type': IPP })
  } finally {
    freeMemory(body)
  }
}

/** Whoever has gone before its answer was handed over has not heard it. */
function watchAnswer(c: HttpContext, lost: () => void): void {
  const { outgoing } = c.env ?? {}
  if (outgoing === undefined) return
  const check = (): void => {
    if (!outgoing.writableFinished) lost()
  }
  if (outgoing.destroyed) check()
  else outgoing.once('close', check)
}

/** Gives the same addresses over both ports: clients compare them with what they found by name. */
function placeOf(c: HttpContext, { info }: AppParts) {
  const host = (c.req.header('host') ?? 'localhost').replace(/:\d+$/, '')
  const { port, securePort } = info()
  return {
    host: `${host}:${port}`,
    secureHost: securePort === '' ? undefined : `${host}:${securePort}`,
  }
}
