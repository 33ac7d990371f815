import { Hono } from 'hono'
import { PlatenError } from '../errors.ts'
import { clockText, dayText } from '../jobs/clock-time.ts'
import type { Accepted } from '../jobs/requests.ts'
import type { KnownPrinter } from '../printers/printer.ts'
import { findCalibration } from '../printers/status/calibrate.ts'
import { answerJson, judgeJobs, statusOf } from './answer.ts'
import { readJson } from './body/json-body.ts'
import type { HttpContext, HttpEnv } from './context.ts'
import { printerJson, seenPrinterJson } from './json.ts'
import type { Limits } from './limits.ts'
import type { AppParts } from './parts.ts'
import { addPrinter, changePrinter, describeDefault, removePrinter } from './printer-changes.ts'
import { guardStartLabel } from './start-label.ts'
import { waitForJobs } from './wait.ts'

const SEARCH_MS = 15_000 // the network gets its time to answer; a person waits for this

/** `/printers`: who is there, what a person does with one, and which may be added. */
export function createPrinterRoutes(parts: AppParts, limits: Limits): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const operate = parts.access.operate()
  const admin = parts.access.admin()
  app.get('/printers', parts.access.read(), (c) => c.json(parts.printers.list().map(printerJson)))
  app.get('/printers/found', operate, (c) => c.json(answerFound(parts)))
  app.post('/printers/discover', operate, async (c) => {
    const patience = AbortSignal.timeout(SEARCH_MS)
    await parts.discovery.search(AbortSignal.any([patience, parts.stopping, c.req.raw.signal]))
    return c.json(answerFound(parts))
  })
  app.post('/printers/:name/test', operate, (c) => printTest(c, parts, limits))
  app.post('/printers/:name/start-label', guardStartLabel(parts), (c) => {
    const accepted = parts.startLabel?.(findPrinter(c, parts).name)
    if (accepted === undefined) {
      throw new PlatenError('ROUTE_UNKNOWN', 'Only the SD image prints a start label.')
    }
    return answerAccepted(c, parts, limits, accepted)
  })
  app.post('/printers/:name/calibrate', operate, async (c) => {
    const printer = findPrinter(c, parts)
    await parts.scheduler.transmit(printer.name, findCalibration(printer))
    return c.json({
      Status: 'OK',
      Message: `${printer.name} measures its labels: it feeds a few of them.`,
    })
  })
  app.post('/printers', admin, async (c) => {
    const name = await addPrinter(parts, await readObject(c, limits))
    return c.json({ ...answerPrinter(parts, name), Message: describeDefault(parts, name) }, 201)
  })
  app.put('/printers/:name', admin, async (c) => {
    const printer = findPrinter(c, parts)
    const name = await changePrinter(parts, printer, await readObject(c, limits))
    return c.json(answerPrinter(parts, name))
  })
  app.delete('/printers/:name', admin, async (c) => {
    await removePrinter(parts, findPrinter(c, parts))
    return c.json({ Status: 'OK', Message: '' })
  })
  return app
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

async function readObject(
  c: HttpContext,
  limits: Limits,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJson(c, limits.body())
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new PlatenError('BODY_BROKEN', 'The JSON is no object.')
}

function printTest(c: HttpContext, parts: AppParts, limits: Limits): Promise<Response> {
  const { name } = findPrinter(c, parts)
  const body = JSON.stringify({
    printer: name,
    host: parts.info().hostName,
    at: timeWords(new Date(parts.now?.() ?? Date.now())),
  })
  const { jobs } = parts.intake.acceptDocument({
    format: 'test',
    body: Buffer.from(body),
    options: { printer: name },
    source: 'test',
    network: parts.access.networkOf(c),
  })
  return answerAccepted(c, parts, limits, { jobs })
}

async function answerAccepted(
  c: HttpContext,
  parts: AppParts,
  limits: Limits,
  { jobs }: Pick<Accepted, 'jobs'>,
): Promise<Response> {
  const settled = await waitForJobs(c, parts, jobs, limits.bounds.waitSeconds)
  const verdict = judgeJobs(settled, (printer) => parts.printers.get(printer))
  return c.json(answerJson(verdict, settled, parts.access.jobSecret), statusOf(settled))
}

/** Date and time of day where the box is, to the minute: who holds the label asks "is this the one from just now?". */
function timeWords(time: Date): string {
  return `${dayText(time)} ${clockText(time)}`
}
