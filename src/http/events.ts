import { Hono } from 'hono'
import type { EventSubject, PlatenEvent } from '../core/events.ts'
import { jobJson } from '../core/job.ts'
import type { FullShare } from '../core/spool/health.ts'
import { PlatenError } from '../words/errors.ts'
import { inEnglish, saidJson } from '../words/say.ts'
import { findRemote, ownerOf } from './access/addresses.ts'
import type { HttpBounds } from './bounds.ts'
import { type Calls, route } from './call.ts'
import { textAnswer } from './json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'
import { attendPrinters, printerJson } from './printers.ts'

/** Changes that a reconnecting client receives; beyond that it reloads everything. */
const MISSED_MOST = 200

/** Ids of events begin so: those of another start of the program are not known here. */
const START = Date.now().toString(36)

/** Changes as they happen. */
export const eventCalls = {
  watchEvents: {
    method: 'get',
    path: '/events',
    tag: 'The print server',
    summary: 'Changes of labels and printers, as Server-Sent Events',
    answers: textAnswer(
      'Changes of labels and printers, as Server-Sent Events',
      'text/event-stream',
    ),
  },
} as const satisfies Calls

/**
 * `GET /events`: Server-Sent Events `job`, `printer` and `spool` (HTML Standard, 9.2). Each client first gets all
 * printers and what is nearly full, as they are now. A client that does not read is dropped: its browser reconnects, and
 * with `Last-Event-ID` it gets each job that changed meanwhile as it is now, or `lost` when that is unknown.
 */
export function createEventRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const seats = new Seats(parts.limits.bounds.eventClients)
  route(app, eventCalls.watchEvents, parts.access.labels(), (c) => {
    const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    // Before a place is taken, which nobody would give back when reading fails.
    const missed = [...listMissed(c, parts)]
    const seat = seats.take(ownerOf(findRemote(c)))
    return c.body(openStream(c, parts, seat, missed), 200, headers)
  })
  return app
}

/** The place of one client. */
interface Seat {
  readonly owner: string
  /** Aborts when it has to give way. */
  readonly life: AbortController
  leave(): void
}

/** Shares the places out: where all are taken, the address that has most of them gives one to who has fewer. */
class Seats {
  readonly #most: number
  // Oldest first.
  readonly #taken = new Set<Seat>()

  constructor(most: number) {
    this.#most = most
  }

  /** @throws PlatenError SERVER_BUSY when nobody has more than this one */
  take(owner: string): Seat {
    if (this.#taken.size >= this.#most) this.#freeSeat(owner)
    const seat: Seat = {
      owner,
      life: new AbortController(),
      leave: () => this.#taken.delete(seat),
    }
    this.#taken.add(seat)
    return seat
  }

  #freeSeat(newcomer: string): void {
    const crowds = Map.groupBy(this.#taken, ({ owner }) => owner)
    const own = (crowds.get(newcomer)?.length ?? 0) + 1
    const [largest = []] = [...crowds.values()].sort((a, b) => b.length - a.length)
    const [oldest] = largest
    if (oldest === undefined || largest.length <= own) {
      const message = `${this.#taken.size} clients follow the events already, wanted at most ${this.#most}.`
      throw new PlatenError('SERVER_BUSY', message)
    }
    oldest.leave()
    oldest.life.abort()
  }
}

function openStream(
  c: HttpContext,
  parts: AppParts,
  seat: Seat,
  missed: readonly string[],
): ReadableStream<Uint8Array> {
  const { bounds } = parts.limits
  const life = new AbortController()
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = (): void => {
          if (life.signal.aborted) return
          life.abort()
          seat.leave()
          controller.close()
        }
        // A login that ended lets no further event out, whatever ended it.
        const permit = parts.access.whileAllowed(c, close)
        life.signal.addEventListener('abort', permit.stop)
        const send = (text: string): void => {
          if (life.signal.aborted || !permit.look()) return
          controller.enqueue(Buffer.from(text))
          if ((controller.desiredSize ?? 0) < 0) close()
        }
        seat.life.signal.addEventListener('abort', close)
        send('retry: 2000\n\n')
        for (const printer of parts.printers.list()) {
          send(eventText({ type: 'printer', printer }, parts))
        }
        send(spoolText(parts.spool.filling.list()))
        for (const text of missed) send(text)
        if (!life.signal.aborted) follow(parts, bounds, send, close, life.signal)
      },
      cancel() {
        if (life.signal.aborted) return
        life.abort()
        seat.leave()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bounds.eventBytes }),
  )
}

function idOf(count: number): string {
  return `${START}-${count}`
}

/** Lists what a client missed that followed before, and the id from which it goes on. */
function* listMissed(c: HttpContext, { events, spool }: AppParts): Generator<string> {
  // A script cannot set the header of a first connection, so the query says the same.
  const last = c.req.header('last-event-id') || c.req.query('last_event_id')
  const missed = last ? findMissed(last, events) : []
  if (missed === undefined) yield 'event: lost\ndata: {}\n\n'
  for (const trace of missed ?? []) {
    const job = trace.startsWith('job ') ? spool.history.look(trace.slice(4)) : undefined
    if (job !== undefined) yield `event: job\ndata: ${JSON.stringify(jobJson(job))}\n\n`
  }
  yield `id: ${idOf(events.count)}\n\n`
}

/** Undefined = what it missed is unknown, or it is too much. */
function findMissed(last: string, events: AppParts['events']): readonly EventSubject[] | undefined {
  const [, start, count] = /^([0-9a-z]{1,12})-(\d{1,15})$/.exec(last) ?? []
  const traces = start === START ? events.since(Number(count)) : undefined
  return traces === undefined || traces.length > MISSED_MOST ? undefined : traces
}

/** Passes events on until `over`. */
function follow(
  parts: AppParts,
  bounds: HttpBounds,
  send: (text: string) => void,
  close: () => void,
  over: AbortSignal,
): void {
  const stop = parts.events.subscribe((event) => {
    send(`id: ${idOf(parts.events.count)}\n${eventText(event, parts)}`)
  })
  // A comment keeps proxies and the socket's own idle limit from ending a quiet stream.
  const beat = setInterval(() => {
    send(': still here\n\n')
    attendPrinters(parts)
  }, bounds.eventCommentMs)
  beat.unref()
  attendPrinters(parts)
  parts.stopping.addEventListener('abort', close)
  over.addEventListener('abort', () => {
    stop()
    clearInterval(beat)
    parts.stopping.removeEventListener('abort', close)
  })
  if (parts.stopping.aborted) close()
}

/** A removed printer is reported once more, so that a page can drop it from its list. */
function eventText(event: PlatenEvent, { printers }: Pick<AppParts, 'printers'>): string {
  if (event.type === 'spool') return spoolText(event.fillings)
  const value = event.type === 'job' ? jobJson(event.job) : printerJson(event.printer)
  const isGone = event.type === 'printer' && printers.get(event.printer.name) === undefined
  const data = JSON.stringify(isGone ? { ...value, removed: true } : value)
  return `event: ${event.type}\ndata: ${data}\n\n`
}

/** All that is nearly full, so that a page need not remember. */
function spoolText(fillings: readonly FullShare[]): string {
  const warnings = fillings.map(({ of, name, jobs, message, hint }) => ({
    of,
    name,
    jobs,
    message: inEnglish(message),
    hint: inEnglish(hint),
    ...saidJson(message, hint),
  }))
  return `event: spool\ndata: ${JSON.stringify({ warnings })}\n\n`
}
