import { Hono } from 'hono'
import * as v from 'valibot'
import { timeText } from '../../core/job.ts'
import { type Calls, describeAs, route } from '../../http/call.ts'
import {
  done,
  list,
  number,
  object,
  ok,
  orNull,
  record,
  text,
  whole,
} from '../../http/json-schema.ts'
import type { AppParts, HttpEnv } from '../../http/parts.ts'
import { readBodyFields } from '../../http/read-fields.ts'
import { isObject } from '../../settings/field.ts'
import { isMasked } from '../../settings/masks.ts'
import { PlatenError } from '../../words/errors.ts'
import { inEnglish, NOTHING, saidJson, say, textsOf } from '../../words/say.ts'
import type { PluginConfig, PluginRoutes, RunningPlugin } from '../plugin.ts'
import type { Sources, SourcesConfig } from './run.ts'
import type { SourceStatus } from './running-source.ts'

/** The sources of this server, once the plugin was started. */
export interface RunningSources extends RunningPlugin, Pick<PluginConfig<SourcesConfig>, 'check'> {
  readonly sources: Pick<Sources, 'list' | 'test'>
}

const when = orNull(text())

/** A source in the form of `GET /sources`. */
const source = object({
  type: text(),
  where: text(),
  printer: text(),
  ack: text(),
  state: text(),
  message: text(),
  detail: text('technical words'),
  texts: record(list({})),
  contact: when,
  error: text(),
  error_at: when,
  refusal: text(),
  refusal_at: when,
  warning: text(),
  warning_at: when,
  taken: whole(),
  refused: whole(),
  waiting: orNull(number()),
  bad: orNull(number()),
})

/** The calls about queues and the heartbeat. */
export const sourceCalls = {
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
    tag: 'Settings',
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

/** `GET /sources`: the ways in besides HTTP, and their states. `POST /sources/test`: the page's button. */
export const sourceRoutes: PluginRoutes<RunningSources> = { create: createSourceRoutes }

function createSourceRoutes(parts: AppParts, running: () => RunningSources): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, sourceCalls.listSources, parts.access.labels(), (c) =>
    c.json(running().sources.list().map(sourceJson)),
  )
  route(app, sourceCalls.testSource, parts.access.admin(), async (c) => {
    const { body } = sourceCalls.testSource
    const { wanted, which } = readTest(parts, await readBodyFields(c, parts.limits.body(), body))
    const signal = AbortSignal.any([parts.stopping, c.req.raw.signal])
    const { sources, check } = running()
    const found = await sources.test(check(wanted), which, signal)
    return c.json({ Status: 'OK', Message: inEnglish(found), ...saidJson(found, NOTHING) })
  })
  return app
}

/** A source in the form of the API. Times are ISO 8601 texts or null. */
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
 * Reads the source to test, and the settings around it: `{queue}` from the form, with `index` when it is in the settings already;
 * `{index}` as it is saved; or `{heart_beat_url}`.
 * @throws PlatenError FIELD_INVALID
 */
function readTest(
  parts: AppParts,
  { queue, index, heart_beat_url }: v.InferOutput<(typeof sourceCalls.testSource)['body']>,
) {
  const saved = parts.config.masked()
  if (heart_beat_url !== undefined) {
    return { wanted: { ...saved, heart_beat_url }, which: 'heartbeat' } as const
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
  return { wanted: { ...saved, queues }, which }
}

/**
 * Refuses to send a saved secret elsewhere: a test must not send it to another address from the form.
 * @throws PlatenError FIELD_INVALID
 */
function refuseMovedSecret({ config }: AppParts, queue: unknown, which: number): void {
  if (!isObject(queue)) return // refused by its own check
  const place = describePlace(queue)
  const moved = Object.entries(queue).find(([, value]) => {
    // A mask without a reference stands only in an entry that did not change.
    const owners = isMasked(value) ? config.findOwners(value, 'queues') : []
    return owners.length > 0 && !owners.some((owner) => describePlace(owner) === place)
  })
  if (moved === undefined) return
  const [masked] = moved
  throw new PlatenError('FIELD_INVALID', say('secretElsewhere'), {
    hint: say('wantSecret'),
    detail: `queues[${which}].${masked}`,
  })
}

/** Describes the place to which a queue's secrets are sent. */
function describePlace({ type, endpoint, url }: Json): string {
  const address = URL.parse(String(url))
  return JSON.stringify([type, endpoint, address?.protocol, address?.host])
}

type Json = Readonly<Record<string, unknown>>
