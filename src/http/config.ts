import { Hono } from 'hono'
import * as v from 'valibot'
import { timeText } from '../core/job.ts'
import type { SourceStatus } from '../plugins/source/running-source.ts'
import { findUnknownPrinters } from '../settings/check.ts'
import { describeSchema } from '../settings/describe.ts'
import { type Fault, formatFault } from '../settings/faults.ts'
import { isObject } from '../settings/field.ts'
import { isMasked } from '../settings/masks.ts'
import { refuseTakenNames } from '../settings/printer-changes.ts'
import type { RecentLine } from '../system/log.ts'
import { PlatenError } from '../words/errors.ts'
import { inEnglish, NOTHING, saidJson, say, textsOf } from '../words/say.ts'
import { readJson } from './body.ts'
import { type Calls, describeAs, route } from './call.ts'
import { CHANGED, settings, source } from './field-schemas.ts'
import { done, list, object, ok, ref, text, time } from './json-schema.ts'
import type { AppParts, HttpEnv } from './parts.ts'
import { readFields } from './read-fields.ts'

const TAG = 'Settings'

/** The settings, and what is pulled by them. */
export const configCalls = {
  getSettings: {
    method: 'get',
    path: '/config',
    tag: TAG,
    security: 'admin',
    summary: 'The settings, with their secrets masked',
    answers: () => ok('Settings.', settings()),
  },
  saveSettings: {
    method: 'put',
    path: '/config',
    tag: TAG,
    security: 'admin',
    summary: 'Save the settings',
    content: () => ({ 'application/json': settings() }),
    answers: () => ok('What needs a restart.', object(CHANGED)),
  },
  describeSettings: {
    method: 'get',
    path: '/config/schema',
    tag: TAG,
    security: 'admin',
    summary: 'The keys of the settings, for a form',
    answers: () => ok('Fields.', list({ type: 'object' })),
  },
  getLog: {
    method: 'get',
    path: '/log',
    tag: TAG,
    security: 'admin',
    summary: 'The last lines of the log, oldest first',
    answers: () =>
      ok(
        'At most 300, secrets masked.',
        object({
          lines: list(object({ at: time(), line: text(), texts: ref('Texts') }, ['texts'])),
        }),
      ),
  },
  listSources: {
    method: 'get',
    path: '/sources',
    tag: 'The print server',
    summary: 'The queues that labels come from, and their status',
    answers: () => ok('Sources.', list(source)),
  },
  testSource: {
    method: 'post',
    path: '/sources/test',
    tag: TAG,
    security: 'admin',
    summary: 'Test a queue or the heartbeat',
    body: v.object({
      queue: v.optional(
        v.pipe(v.unknown(), describeAs({ type: 'object', description: 'an entry of `queues`' })),
      ),
      index: v.optional(
        v.pipe(
          v.unknown(),
          describeAs({ type: 'integer', description: 'its place in the saved `queues`' }),
        ),
      ),
      heart_beat_url: v.optional(v.pipe(v.unknown(), describeAs({ type: 'string' }))),
    }),
    answers: done,
  },
} as const satisfies Calls

/** `GET /config`, `PUT /config`, and `GET /config/schema` for the form of the settings page. */
export function createConfigRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('/config', parts.access.admin())
  app.use('/config/*', parts.access.admin())
  route(app, configCalls.getSettings, (c) => c.json(parts.config.masked()))
  route(app, configCalls.getLog, parts.access.admin(), (c) =>
    c.json({ lines: (parts.recentLog?.() ?? []).map(lineJson) }),
  )
  route(app, configCalls.describeSettings, (c) => c.json(describeSchema()))
  route(app, configCalls.saveSettings, async (c) => {
    const wanted = await readJson(c, parts.limits.body())
    const { restart, warnings } = await parts.config.put(wanted, ({ printers = [] }) =>
      refuseTakenNames(parts, printers),
    )
    const Message =
      restart.length === 0 ? '' : `Takes effect at the next start: ${restart.join(', ')}.`
    const all = [...warnings, ...warnOfPrinters(parts)]
    return c.json({
      Status: 'OK',
      Message,
      restart,
      warnings: all.map(formatFault),
      notes: all.map(noteJson),
    })
  })
  return app
}

/** A line of the log, with its sentences for other languages. */
function lineJson({ at, line, message, hint }: RecentLine): object {
  return { at, line, ...saidJson(message, hint) }
}

/** A warning as the page shows it. */
export function noteJson(warning: Fault): object {
  const { sentences } = warning
  return { message: inEnglish(sentences) || formatFault(warning), texts: sentences }
}

/** What names a printer that is not here, whether set up by hand or found. */
function warnOfPrinters({ config, printers }: AppParts): readonly Fault[] {
  const known = printers.list().map(({ name }) => name)
  return findUnknownPrinters(config.current, known)
}

/** `GET /sources`: where labels come from besides HTTP, and how each does. `POST /sources/test`: the page's button. */
export function createSourceRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, configCalls.listSources, parts.access.labels(), (c) =>
    c.json(parts.sources.list().map(sourceJson)),
  )
  route(app, configCalls.testSource, parts.access.admin(), async (c) => {
    const { body } = configCalls.testSource
    const { config, which } = readTest(parts, await readFields(c, parts.limits.body(), body))
    const signal = AbortSignal.any([parts.stopping, c.req.raw.signal])
    const found = await parts.sources.test(config, which, signal)
    return c.json({ Status: 'OK', Message: inEnglish(found), ...saidJson(found, NOTHING) })
  })
  return app
}

/** A source as the wire shows it. Times are ISO 8601 texts or null. */
function sourceJson(status: SourceStatus): Readonly<Record<string, unknown>> {
  return {
    type: status.type,
    where: status.where,
    printer: status.printer,
    ack: status.ack,
    state: status.state,
    message: inEnglish(status.message),
    detail: status.detail,
    contact: timeText(status.contactAt),
    error: inEnglish(status.error),
    error_at: timeText(status.errorAt),
    refusal: inEnglish(status.refusal),
    refusal_at: timeText(status.refusedAt),
    warning: inEnglish(status.warning),
    warning_at: timeText(status.warningAt),
    taken: status.taken,
    refused: status.refused,
    waiting: status.waiting ?? null,
    bad: status.bad ?? null,
    texts: {
      message: textsOf(status.message),
      error: textsOf(status.error),
      refusal: textsOf(status.refusal),
      warning: textsOf(status.warning),
    },
  }
}

/**
 * What is to be tested: `{queue}` as the form has it, with `index` when it stands in the settings already; `{index}` as it is
 * saved; or `{heart_beat_url}`.
 * @throws PlatenError FIELD_INVALID, CONFIG_INVALID
 */
function readTest(
  parts: AppParts,
  { queue, index, heart_beat_url }: v.InferOutput<(typeof configCalls.testSource)['body']>,
) {
  const saved = parts.config.masked()
  if (heart_beat_url !== undefined) {
    const config = parts.config.check({ ...saved, heart_beat_url })
    return { config, which: 'heartbeat' } as const
  }
  const queues: unknown[] = Array.isArray(saved['queues']) ? [...saved['queues']] : []
  const which = index === undefined ? queues.length : index
  const last = queue === undefined ? queues.length - 1 : queues.length
  if (typeof which !== 'number' || !Number.isInteger(which) || which < 0 || which > last) {
    throw new PlatenError(
      'FIELD_INVALID',
      `index: got ${String(index).slice(0, 40)}, wanted the place of a queue in the settings (there are ${queues.length}), or a queue.`,
    )
  }
  if (queue !== undefined) {
    refuseMovedSecret(parts, queue, which)
    queues[which] = queue
  }
  return { config: parts.config.check({ ...saved, queues }), which }
}

/**
 * A saved secret goes only where it was saved for: a test must not send it to another address from the form.
 * @throws PlatenError FIELD_INVALID
 */
function refuseMovedSecret({ config }: AppParts, queue: unknown, which: number): void {
  if (!isObject(queue)) return // refused by its own check
  const place = describePlace(queue)
  const moved = Object.entries(queue).find(([, value]) => {
    // A mask without a reference stands only in an entry that did not change.
    const owners = isMasked(value) ? config.findQueues(value) : []
    return owners.length > 0 && !owners.some((owner) => describePlace(owner) === place)
  })
  if (moved === undefined) return
  const [masked] = moved
  throw new PlatenError('FIELD_INVALID', say('secretElsewhere'), {
    hint: say('wantSecret'),
    detail: `queues[${which}].${masked}`,
  })
}

/** Where a queue's secrets are sent. */
function describePlace({ type, endpoint, url }: Json): string {
  const address = URL.parse(String(url))
  return JSON.stringify([type, endpoint, address?.protocol, address?.host])
}

type Json = Readonly<Record<string, unknown>>
