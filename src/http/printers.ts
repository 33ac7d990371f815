import { Hono } from 'hono'
import * as v from 'valibot'
import type { Media } from '#labels'
import { type Backup, estimatePictureSeconds, type SeenPrinter } from '#printers'
import { takeTestLabel } from '../core/intake/test-label.ts'
import { findCalibration } from '../core/printers/calibration.ts'
import type { KnownPrinter } from '../core/printers/status.ts'
import {
  addPrinter,
  changePrinter,
  describeDefault,
  readFreeUri,
  removePrinter,
} from '../settings/printer-changes.ts'
import { listAsked } from '../words/actions.ts'
import { inEnglish, join, NOTHING, quoteEnglish, saidJson, say } from '../words/say.ts'
import { answerAccepted } from './answer.ts'
import { type Calls, describeAs, route } from './call.ts'
import { ACCEPTED, PREFER } from './field-schemas.ts'
import { done, flag, json, list, object, ok, orNull, ref, text } from './json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'
import { readBodyFields } from './read-fields.ts'
import { readObject } from './whole-body.ts'

const SEARCH_MS = 15_000 // the network gets its time to answer; a person waits for this

const CHECK_MS = 5_000 // a printer that is on answers in milliseconds

const TAG = 'Printers'

const printerAfterIt = () =>
  ok(
    'The printer after it.',
    object({ Status: text(), Message: text(), printer: orNull(ref('Printer')) }),
  )
const found = () =>
  ok('What was seen.', object({ Status: text(), Message: text(), found: list(ref('SeenPrinter')) }))
/** The schema of the settings checks it when it is saved. */
const entry = json({ type: 'object', description: 'An entry of `printers` of the settings.' })

/** `/printers` and everything below. */
export const printerCalls = {
  listPrinters: {
    method: 'get',
    path: '/printers',
    tag: TAG,
    summary: 'The printers and their status',
    answers: () => ok('Printers.', list(ref('Printer'))),
  },
  addPrinter: {
    method: 'post',
    path: '/printers',
    tag: TAG,
    security: 'admin',
    summary: 'Add a printer',
    content: entry,
    answers: () => [
      {
        status: 201,
        about: 'It is added.',
        schema: object({
          Status: text(),
          Message: text(),
          printer: orNull(ref('Printer')),
          texts: ref('Texts'),
          default_printer: text('where labels that name no printer go; `""`: they are refused'),
        }),
      },
    ],
  },
  checkPrinterAddress: {
    method: 'post',
    path: '/printers/check',
    tag: TAG,
    security: 'admin',
    summary: 'Call the printer at an address, before it is added',
    body: v.object({ uri: v.pipe(v.unknown(), describeAs({ type: 'string' })) }),
    answers: () =>
      ok(
        'Whether something answers; null where nothing was called.',
        object(
          {
            Status: text(),
            Message: text(),
            hint: text(),
            texts: ref('Texts'),
            answers: orNull(flag()),
          },
          ['texts'],
        ),
      ),
  },
  changePrinter: {
    method: 'put',
    path: '/printers/:name',
    tag: TAG,
    security: 'admin',
    summary: 'Change a printer',
    content: entry,
    answers: printerAfterIt,
  },
  removePrinter: {
    method: 'delete',
    path: '/printers/:name',
    tag: TAG,
    security: 'admin',
    summary: 'Remove a printer',
    answers: done,
  },
  listFoundPrinters: {
    method: 'get',
    path: '/printers/found',
    tag: TAG,
    summary: 'Printers that are visible but not added',
    answers: found,
  },
  discoverPrinters: {
    method: 'post',
    path: '/printers/discover',
    tag: TAG,
    summary: 'Look for printers now',
    answers: found,
  },
  pausePrinter: {
    method: 'post',
    path: '/printers/:name/pause',
    tag: TAG,
    summary: 'Pause a printer: labels wait until it is resumed',
    answers: printerAfterIt,
  },
  resumePrinter: {
    method: 'post',
    path: '/printers/:name/resume',
    tag: TAG,
    summary: 'Resume a paused printer',
    answers: printerAfterIt,
  },
  printTestLabel: {
    method: 'post',
    path: '/printers/:name/test',
    tag: TAG,
    summary: 'Print a test label',
    headers: PREFER.slice(0, 1),
    answers: ACCEPTED,
  },
  calibratePrinter: {
    method: 'post',
    path: '/printers/:name/calibrate',
    tag: TAG,
    summary: 'Make the printer measure its labels',
    answers: done,
  },
} as const satisfies Calls

/** `/printers`: who is there, what a person does with one, and which may be added. */
export function createPrinterRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const operate = parts.access.operate()
  const admin = parts.access.admin()
  route(app, printerCalls.listPrinters, parts.access.read(), (c) => {
    attendPrinters(parts)
    return c.json(parts.printers.list().map(printerJson))
  })
  route(app, printerCalls.listFoundPrinters, operate, (c) => c.json(answerFound(parts)))
  route(app, printerCalls.discoverPrinters, operate, async (c) => {
    const patience = AbortSignal.timeout(SEARCH_MS)
    await parts.discovery.search(AbortSignal.any([patience, parts.stopping, c.req.raw.signal]))
    return c.json(answerFound(parts))
  })
  route(app, printerCalls.pausePrinter, operate, (c) => {
    parts.scheduler.pause(findPrinter(c, parts).name)
    return c.json(answerPrinter(parts, findPrinter(c, parts).name))
  })
  route(app, printerCalls.resumePrinter, operate, (c) => {
    parts.scheduler.resume(findPrinter(c, parts).name)
    return c.json(answerPrinter(parts, findPrinter(c, parts).name))
  })
  route(app, printerCalls.printTestLabel, operate, (c) => {
    const { name: printer } = findPrinter(c, parts)
    const wanted = { printer, network: parts.access.networkOf(c), now: parts.now?.() }
    return answerAccepted(c, parts, takeTestLabel(parts.intake, parts.info(), wanted))
  })
  route(app, printerCalls.calibratePrinter, operate, async (c) => {
    const printer = findPrinter(c, parts)
    await parts.scheduler.transmit(printer.name, findCalibration(printer))
    const message = say('calibrating', { printer: printer.name })
    return c.json({ Status: 'OK', Message: inEnglish(message), ...saidJson(message, NOTHING) })
  })
  route(app, printerCalls.addPrinter, admin, async (c) => {
    const name = await addPrinter(parts, await readObject(c, parts.limits.body()))
    const message = describeDefault(parts, name)
    // '' = none is chosen: labels that name no printer are refused.
    const chosen = parts.printers.list().find(({ isDefault }) => isDefault)
    return c.json(
      {
        ...answerPrinter(parts, name),
        Message: inEnglish(message),
        ...saidJson(message, NOTHING),
        default_printer: chosen?.name ?? '',
      },
      201,
    )
  })
  route(app, printerCalls.checkPrinterAddress, admin, async (c) => {
    const { body } = printerCalls.checkPrinterAddress
    const { uri: given } = await readBodyFields(c, parts.limits.body(), body)
    const uri = readFreeUri(parts, given)
    const patience = AbortSignal.any([AbortSignal.timeout(CHECK_MS), c.req.raw.signal])
    return c.json(describeCall(uri, await parts.printers.answers(uri, patience)))
  })
  route(app, printerCalls.changePrinter, admin, async (c) => {
    const body = await readObject(c, parts.limits.body())
    const name = await changePaused(parts, findPrinter(c, parts), body)
    return c.json(answerPrinter(parts, name))
  })
  route(app, printerCalls.removePrinter, admin, async (c) => {
    const printer = findPrinter(c, parts)
    await removePrinter(parts, printer)
    if (printer.isPaused) parts.scheduler.resume(printer.name)
    return c.json({ Status: 'OK', Message: '' })
  })
  return app
}

/** Changes a paused printer like `changePrinter`; it must not print under its new name, whatever happens once that is saved. */
async function changePaused(
  parts: AppParts,
  printer: KnownPrinter,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { scheduler, printers } = parts
  const { name: wanted } = body
  const isAhead =
    printer.isPaused && typeof wanted === 'string' && printers.get(wanted) === undefined
  if (isAhead) scheduler.pause(wanted)
  try {
    const name = await changePrinter(parts, printer, body)
    if (!printer.isPaused || name === printer.name) return name
    if (!isAhead) scheduler.pause(name)
    scheduler.resume(printer.name)
    return name
  } catch (error) {
    if (isAhead && printers.get(wanted) === undefined) scheduler.resume(wanted)
    throw error
  }
}

/** Describes what a call to a device URI found; `answers` is null where nothing was called. */
function describeCall(uri: string, answers: boolean | undefined): object {
  if (answers !== false) return { Status: 'OK', Message: '', hint: '', answers: answers ?? null }
  const message = say('nothingAnswers', { host: URL.parse(uri)?.host ?? uri })
  const hint = join(say('compareAddress'), say('addAnyway'))
  return {
    Status: 'OK',
    Message: inEnglish(message),
    hint: inEnglish(hint),
    ...saidJson(message, hint),
    answers: false,
  }
}

/** Somebody looks at the printers: what they say of themselves should not be old. */
export function attendPrinters({ printers, scheduler }: AppParts): void {
  for (const { name } of printers.list()) scheduler.attend(name)
}

function answerFound(parts: AppParts): object {
  return { Status: 'OK', Message: '', found: parts.discovery.found().map(seenPrinterJson) }
}

function answerPrinter(parts: AppParts, name: string): object {
  const printer = parts.printers.get(name)
  return { Status: 'OK', Message: '', printer: printer === undefined ? null : printerJson(printer) }
}

/** @throws PlatenError PRINTER_UNKNOWN, PRINTER_NONE */
function findPrinter(c: HttpContext, parts: AppParts): KnownPrinter {
  return parts.printers.resolve(c.req.param('name'))
}

/** A printer as `GET /printers` and the event `printer` show it; `language` is null when it is not known. */
export function printerJson(printer: KnownPrinter): Readonly<Record<string, unknown>> {
  return {
    name: printer.name,
    default: printer.isDefault,
    uri: printer.uri,
    make_and_model: printer.makeAndModel,
    language: printer.language ?? null,
    dpi: printer.dpi,
    label_width: printer.labelWidth ?? null,
    label_height: printer.labelHeight ?? null,
    found: printer.isFound === true,
    paused: printer.isPaused,
    media: printer.media === undefined ? null : mediaJson(printer.media, printer.dpi),
    picture_seconds: estimatePictureSeconds(printer) ?? null,
    backup: printer.backup === undefined ? null : backupJson(printer.backup, printer),
    state: printer.status.state,
    state_reasons: printer.status.reasons,
    message: inEnglish(printer.status.message),
    hint: inEnglish(printer.status.hint),
    detail: printer.status.detail ?? '',
    ...saidJson(printer.status.message, printer.status.hint),
    actions: listAsked(printer.status.message, printer.status.hint),
  }
}

function backupJson({ printer, box, minutes }: Backup, { backupFault = NOTHING }: KnownPrinter) {
  const message = inEnglish(backupFault)
  return { printer, box, minutes, message, ...saidJson(backupFault, NOTHING) }
}

/** Writes what the printer says of its stock, in inches; null where it does not say. */
function mediaJson(media: Media, dpi: number): Readonly<Record<string, unknown>> {
  const inches = (dots: number | undefined) =>
    dots === undefined ? null : Math.round((dots / dpi) * 100) / 100
  return {
    label_width: inches(media.widthDots),
    label_height: inches(media.lengthDots),
    tracking: media.tracking ?? null,
  }
}

/** A printer that can be seen and is not known; `guess`: perhaps no printer at all, `other`: it prints no labels. */
function seenPrinterJson(seen: SeenPrinter): Readonly<Record<string, unknown>> {
  return {
    name: seen.name,
    uri: seen.uri,
    make_and_model: seen.makeAndModel,
    language: seen.language ?? null,
    dpi: seen.dpi ?? null,
    guess: seen.isGuess,
    other: seen.isOther,
    hint: seen.hindrance,
    ...saidJson(NOTHING, quoteEnglish(seen.hindrance)),
  }
}
