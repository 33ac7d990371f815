import * as v from 'valibot'
import { COMMAND_POLICIES } from '../../core/intake/requests.ts'
import { makeWarning } from '../../settings/faults.ts'
import { choice, field, keep, object, printerName, type ValuesOf } from '../../settings/field.ts'
import type { PluginSettings } from '../../settings/schema.ts'
import { findClashes } from './run.ts'
import type { Source } from './source.ts'

/** The keys that every entry of `queues` may have. */
const common = {
  printer: field(
    v.optional(printerName),
    'Printer',
    'Prints here instead of on the default printer.',
    { printer: true },
  ),
  printer_commands: field(
    v.optional(choice(COMMAND_POLICIES)),
    'Printer commands',
    'Like "Printer commands", but only for labels of this queue. Left out: the same as there.',
  ),
  ack: field(
    v.optional(choice(['spooled', 'printed']), 'spooled'),
    'Leaves the queue',
    'When a message is taken off the queue: once its labels are safely stored here (spooled), or once they have printed (printed).',
  ),
}

/** Makes the schema of an entry of `queues`; keys besides the common ones are checked by its type. */
const makeQueue = (types: ReadonlyMap<string, Source['settings']>) =>
  v.pipe(
    v.looseObject(
      { type: field(choice([...types.keys()]), 'Type', 'The kind of queue.'), ...common },
      object,
    ),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const settings = types.get(dataset.value.type)
      const found = settings && v.safeParse(settings, dataset.value)
      for (const issue of found?.issues ?? []) {
        const [first, ...rest] = issue.path ?? []
        addIssue({
          message: keep(issue),
          input: issue.input,
          ...(first === undefined ? {} : { path: [first, ...rest] }),
        })
      }
    }),
  )

const makeEntries = (types: ReadonlyMap<string, Source['settings']>) => ({
  queues: field(
    v.optional(
      v.pipe(
        v.array(makeQueue(types), 'a list of queues [ { … } ]'),
        v.maxLength(100, 'at most 100 queues'),
      ),
    ),
    'Queues',
    'Message queues from which labels are pulled.',
    { types },
  ),
})

/** The queues. */
type QueueSettings = ValuesOf<ReturnType<typeof makeEntries>>

/** Makes the key `queues`, whose entries are of the types of these sources. */
export function queueSettings(sources: readonly Source[]): PluginSettings<QueueSettings> {
  return {
    entries: makeEntries(new Map(sources.map((source) => [source.type, source.settings]))),
    findWarnings: ({ queues = [] }) =>
      [...findClashes(queues, sources)].map(([index, message]) =>
        makeWarning(`queues[${index}]`, message, { key: 'sameAsOther', values: {} }),
      ),
  }
}
