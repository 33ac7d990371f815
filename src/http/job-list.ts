import { ENDED, type Job, type JobState, jobJson } from '../core/job.ts'
import { TITLE_MOST } from '../core/request/field-values.ts'
import { type Filter, type Order, STATES } from '../core/spool/search.ts'
import { readSteps } from '../core/spool/types.ts'
import { PlatenError, quoteShort, refuseField } from '../words/errors.ts'
import { say } from '../words/say.ts'
import type { AppParts, HttpContext } from './parts.ts'

const DEFAULT_LIMIT = 50
const LIST_QUERY: readonly string[] = [
  'state',
  'printer',
  'title',
  'order',
  'after',
  'before',
  'limit',
]
/** Groups of states that a list may ask for, in IPP's words for `which-jobs` (RFC 8011, 4.2.6.1) where it has some. */
const GROUPS: ReadonlyMap<string, readonly JobState[]> = new Map(
  Object.entries({
    'not-completed': STATES.filter((state) => !ENDED.has(state)),
    ended: STATES.filter((state) => ENDED.has(state)),
  }),
)

/** `GET /jobs`: as the query restricts them. @throws PlatenError FIELD_INVALID, JOB_UNKNOWN */
export async function listJobs(c: HttpContext, parts: AppParts): Promise<Response> {
  refuseUnknown(c.req.queries())
  const page = {
    order: readOrder(c.req.query('order')),
    after: c.req.query('after') || undefined,
    before: c.req.query('before') || undefined,
    limit: readLimit(c.req.query('limit'), parts.limits.bounds.jobsPerPage),
  }
  const filter = readFilter(c)
  const jobs =
    filter === undefined
      ? parts.spool.history.list(page)
      : await parts.spool.history.find(filter, page, c.req.raw.signal)
  return c.json(jobs.map(jobJson))
}

/** A filter that is not there would be a list of other jobs than were asked for. @throws PlatenError FIELD_INVALID */
function refuseUnknown(queries: Readonly<Record<string, readonly string[]>>): void {
  const names = Object.keys(queries)
  // Only the first of them would count.
  const twice = names.find((name) => (queries[name]?.length ?? 0) > 1)
  if (twice !== undefined) throw refuseField(twice, queries[twice]?.join('&') ?? '', 'one value')
  const unknown = names.find((name) => !LIST_QUERY.includes(name))
  if (unknown === undefined) return
  const message = `The list of jobs has no query ${quoteShort(unknown)}, wanted ${LIST_QUERY.join(' or ')}.`
  throw new PlatenError('FIELD_INVALID', message, {
    hint: 'Remove it from the URL; /web/api.html lists the query parameters.',
  })
}

/** What a list is restricted to; undefined = it is not. @throws PlatenError FIELD_INVALID */
function readFilter(c: HttpContext): Filter | undefined {
  const [state, printer, title] = ['state', 'printer', 'title'].map((name) => c.req.query(name))
  if (!state && printer === undefined && !title?.trim()) return undefined
  return {
    ...(state && { states: readStates(state) }),
    ...(printer !== undefined && { printer }),
    ...(title?.trim() && { title: title.slice(0, TITLE_MOST) }),
  }
}

function readStates(text: string): readonly JobState[] {
  const states = text.split(',').flatMap((one) => {
    const state = STATES.find((known) => known === one)
    const group = GROUPS.get(one)
    if (state !== undefined || group !== undefined) return group ?? [state as JobState]
    const wanted = [...STATES, ...GROUPS.keys()].join(', ')
    throw refuseField('state', one, wanted)
  })
  return [...new Set(states)]
}

/** How many labels each printer has, and what became of today's. */
export function countsJson({ overview }: AppParts['spool']): object {
  const printers = [...overview.counts()].map(([printer, counts]) => {
    const { completed, canceled, aborted, ...open } = counts
    const not_completed = Object.values(open).reduce((sum, count) => sum + count, 0)
    return { printer, not_completed, ...open, today: { completed, canceled, aborted } }
  })
  const not_completed = printers.reduce((sum, one) => sum + one.not_completed, 0)
  return { not_completed, printers }
}

/** The states that a job has been through, oldest first. */
export function historyJson({ steps }: Job): readonly object[] {
  return readSteps(steps).map(({ at, state, reasons }) => ({
    at: new Date(at).toISOString(),
    state,
    reasons,
  }))
}

/** @throws PlatenError FIELD_INVALID */
function readOrder(text: string | undefined): Order {
  if (text === undefined || text === '') return 'newest'
  if (text === 'newest' || text === 'oldest') return text
  throw refuseField('order', text, 'newest or oldest')
}

function readLimit(text: string | undefined, max: number): number {
  if (text === undefined || text === '') return Math.min(DEFAULT_LIMIT, max)
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) {
    throw refuseField('limit', text, `a whole number from 1 to ${max}`)
  }
  return Math.min(Number(text), max)
}

/** What became of all that waited for a printer and was to go to another. */
export function describeMoved(
  moved: number,
  foreign: number,
  remaining: number,
  to: string,
): string {
  const done = moved === 0 ? say('noneMoved') : say('movedCount', { n: moved, printer: to })
  const others = remaining - foreign
  const stays = [
    foreign === 0 ? '' : say('otherLanguage', { n: foreign, printer: to }),
    others <= 0 ? '' : say('notMoved', { n: others }),
  ]
  return [done, ...stays].filter(Boolean).join(' ')
}

/** The same of what was to be canceled. */
export function describeCanceled(canceled: number, remaining: number): string {
  const gone = canceled === 0 ? say('noneWaiting') : say('canceledCount', { n: canceled })
  return remaining === 0 ? gone : `${gone} ${say('stillThere', { n: remaining })}`
}
