import * as v from 'valibot'
import { ENDED, type Job, type JobState, jobJson } from '../core/job.ts'
import { TITLE_MOST } from '../core/request/field-values.ts'
import { type Filter, type Order, STATES } from '../core/spool/search.ts'
import { readSteps } from '../core/spool/types.ts'
import { join, NOTHING, type Sentences, say } from '../words/say.ts'
import { describeAs } from './call.ts'
import type { AppParts, HttpContext } from './parts.ts'
import { readQuery } from './read-fields.ts'

const DEFAULT_LIMIT = 50
/** Groups of states that a list may ask for, in IPP's words for `which-jobs` (RFC 8011, 4.2.6.1) where it has some. */
const GROUPS: ReadonlyMap<string, readonly JobState[]> = new Map(
  Object.entries({
    'not-completed': STATES.filter((state) => !ENDED.has(state)),
    ended: STATES.filter((state) => ENDED.has(state)),
  }),
)

const A_STATE = [...STATES, ...GROUPS.keys()].join(', ')
const AN_ORDER = 'newest or oldest'

const isState = (text: string): boolean =>
  GROUPS.has(text) || STATES.some((known) => known === text)

/** The filters of `GET /jobs`; blank values restrict nothing. */
export const JOB_QUERY = v.object({
  state: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => text === '' || text.split(',').every(isState), A_STATE),
      v.description('states with commas; or `not-completed`, `ended`'),
    ),
  ),
  printer: v.optional(v.pipe(v.string(), v.description('labels for this printer'))),
  title: v.optional(v.pipe(v.string(), v.description('labels whose title contains this'))),
  order: v.optional(
    v.pipe(
      v.picklist(['newest', 'oldest', ''], AN_ORDER),
      v.description('`newest` or `oldest` first'),
    ),
  ),
  after: v.optional(v.pipe(v.string(), v.description('the id of a job: those that came after it'))),
  before: v.optional(
    v.pipe(v.string(), v.description('the id of a job: those that came before it')),
  ),
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(?!0+$)\d{1,9}$|^$/, 'a whole number from 1 up'),
      v.description('so many at most'),
      describeAs({ type: 'integer', minimum: 1, pattern: undefined }),
    ),
  ),
})

type JobQuery = v.InferOutput<typeof JOB_QUERY>

/** `GET /jobs`: as the query restricts them. @throws PlatenError FIELD_INVALID, JOB_UNKNOWN */
export async function listJobs(c: HttpContext, parts: AppParts): Promise<Response> {
  const query = readQuery(c, 'The list of jobs', JOB_QUERY)
  const { order, after, before, limit } = query
  const page = {
    order: (order || 'newest') satisfies Order,
    after: after || undefined,
    before: before || undefined,
    limit: Math.min(Number(limit || DEFAULT_LIMIT), parts.limits.bounds.jobsPerPage),
  }
  const filter = readFilter(query)
  const jobs =
    filter === undefined
      ? parts.spool.history.list(page)
      : await parts.spool.history.find(filter, page, c.req.raw.signal)
  return c.json(jobs.map(jobJson))
}

/** Reads what a list is restricted to; undefined = it is not. */
function readFilter({ state, printer, title }: JobQuery): Filter | undefined {
  if (!state && printer === undefined && !title?.trim()) return undefined
  return {
    ...(state && { states: listStates(state) }),
    ...(printer !== undefined && { printer }),
    ...(title?.trim() && { title: title.slice(0, TITLE_MOST) }),
  }
}

function listStates(text: string): readonly JobState[] {
  const states = text.split(',').flatMap((one) => GROUPS.get(one) ?? [one as JobState])
  return [...new Set(states)]
}

/** Counts how many labels each printer has, and what became of today's. */
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

/** Says what became of all that waited for a printer and was to go to another. */
export function describeMoved(
  moved: number,
  foreign: number,
  remaining: number,
  to: string,
): Sentences {
  const done = moved === 0 ? say('noneMoved') : say('movedCount', { n: moved, printer: to })
  const others = remaining - foreign
  return join(
    done,
    foreign === 0 ? NOTHING : say('otherLanguage', { n: foreign, printer: to }),
    others <= 0 ? NOTHING : say('notMoved', { n: others }),
  )
}

/** Says what became of what was to be canceled. */
export function describeCanceled(canceled: number, remaining: number): Sentences {
  const gone = canceled === 0 ? say('noneWaiting') : say('canceledCount', { n: canceled })
  return remaining === 0 ? gone : join(gone, say('stillThere', { n: remaining }))
}
