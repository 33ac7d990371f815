import { Hono } from 'hono'
import { decodePart } from '#printers'
import { type Calls, route } from '../../http/call.ts'
import {
  type AnswerDescription,
  object,
  ok,
  type Schema,
  text,
  whole,
} from '../../http/json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from '../../http/parts.ts'
import { contentTypeOf, readWhole } from '../../http/whole-body.ts'
import { freeMemory } from '../../system/memory.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { PluginRoutes, RunningPlugin } from '../plugin.ts'
import { ROOT } from './addresses.ts'
import type { Dialogs } from './dialogs.ts'
import { drawIcon, ICON_SIDES } from './printer.ts'

/** Print dialogs, once the plugin was started. */
export interface RunningIpp extends RunningPlugin {
  /** Loads them when first needed. */
  open(): Promise<Dialogs>
}

/** The parts that the routes use. */
interface DialogHttp extends Pick<AppParts, 'access' | 'limits' | 'info'> {
  readonly dialogs: () => Promise<Dialogs>
}

/** The routes for printing by IPP and for the page about it. */
export const ippRoutes: PluginRoutes<RunningIpp> = {
  create({ access, limits, info }, running) {
    const dialogs = async (): Promise<Dialogs> => await running().open()
    // From here on a label that leaves the list tells its job how it ended; a fault is told to whoever asks next.
    dialogs().catch(() => undefined)
    return createDialogRoutes({ access, limits, info, dialogs })
  },
  takesAnyName: (path) => path === ROOT || path.startsWith(`${ROOT}/`),
}

const TYPE = 'application/ipp'

/** The body and answer of calls in IPP, which OpenAPI cannot describe. */
const IPP = {
  method: 'post',
  tag: 'Print',
  content: (): Readonly<Record<string, Schema>> => ({
    [TYPE]: { description: 'IPP (RFC 8010), with the document after the attributes' },
  }),
  answers: (): readonly AnswerDescription[] => [
    { status: 200, about: 'The answer in IPP.', type: TYPE, schema: {} },
  ],
} as const

/** The calls of print dialogs, and of the page about them. */
export const ippCalls = {
  printByIpp: { ...IPP, path: ROOT, summary: 'Print by IPP on the default printer' },
  printByIppOn: { ...IPP, path: `${ROOT}/:printer`, summary: 'Print by IPP' },
  askForIppJob: {
    ...IPP,
    path: `${ROOT}/:printer/:job`,
    summary: 'Ask for a job by its own address',
  },
  countWaitingDialogJobs: {
    method: 'get',
    path: '/dialogs',
    tag: 'The print server',
    summary: 'How many jobs of print dialogs wait for their document',
    answers: () => ok('Their number.', object({ waiting: whole() })),
  },
  cancelWaitingDialogJobs: {
    method: 'post',
    path: '/dialogs/cancel',
    tag: 'The print server',
    summary: 'Cancel the jobs of print dialogs that wait for their document',
    answers: () =>
      ok(
        'How many were canceled, and how many wait since.',
        object({ Status: text(), canceled: whole(), waiting: whole() }),
      ),
  },
  getPrinterIcon: {
    method: 'get',
    path: '/ipp/:icon',
    tag: 'Print',
    summary: 'The icon of the printers in print dialogs',
    answers: () => [{ status: 200, about: 'A picture.', type: 'image/png', schema: {} }],
  },
} as const satisfies Calls

/**
 * Serves `POST /ipp/print/NAME`: every printer of the box for print dialogs (without a name the default one), and the calls about jobs that
 * wait for their document.
 */
function createDialogRoutes(parts: DialogHttp): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const { access, dialogs } = parts
  const print = access.program()
  const labels = access.labels()
  route(app, ippCalls.countWaitingDialogJobs, labels, async (c) =>
    c.json({ waiting: (await dialogs()).countIncoming() }),
  )
  route(app, ippCalls.cancelWaitingDialogJobs, labels, async (c) => {
    const known = await dialogs()
    const canceled = await known.cancelIncoming()
    return c.json({ Status: 'OK', canceled, waiting: known.countIncoming() })
  })
  route(app, ippCalls.getPrinterIcon, access.read(), (c) => {
    const side = ICON_SIDES.find((one) => c.req.param('icon') === `icon-${one}.png`)
    if (side === undefined) return c.notFound()
    return c.body(Uint8Array.from(drawIcon(side)), 200, { 'content-type': 'image/png' })
  })
  for (const call of [ippCalls.printByIpp, ippCalls.printByIppOn, ippCalls.askForIppJob])
    route(app, call, print, (c) => answer(c, parts))
  return app
}

async function answer(c: HttpContext, parts: DialogHttp): Promise<Response> {
  const { limits, access } = parts
  const dialogs = await parts.dialogs()
  if (!dialogs.isOn) {
    throw new PlatenError('ROUTE_UNKNOWN', 'This print server is not shared with print dialogs.', {
      hint: 'Switch share_printers on in the settings.',
    })
  }
  const { type } = contentTypeOf(c)
  if (type !== TYPE) {
    throw new PlatenError(
      'BODY_TYPE',
      `The request has the Content-Type ${quoteShort(type)}; wanted ${TYPE}.`,
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
    return c.body(Uint8Array.from(bytes), 200, { 'content-type': TYPE })
  } finally {
    freeMemory(body)
  }
}

/** Calls back if the client leaves before its answer was handed over. */
function watchAnswer(c: HttpContext, lost: () => void): void {
  const { outgoing } = c.env ?? {}
  if (outgoing === undefined) return
  const check = (): void => {
    if (!outgoing.writableFinished) lost()
  }
  if (outgoing.destroyed) check()
  else outgoing.once('close', check)
}

/** Returns the addresses of the box; they are the same over both ports, since clients compare them with what they found by name. */
function placeOf(c: HttpContext, { info }: Pick<DialogHttp, 'info'>) {
  const host = (c.req.header('host') ?? 'localhost').replace(/:\d+$/, '')
  const { port, securePort } = info()
  return {
    host: `${host}:${port}`,
    secureHost: securePort === '' ? undefined : `${host}:${securePort}`,
  }
}
