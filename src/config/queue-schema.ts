import * as v from 'valibot'
import { COMMAND_POLICIES } from '../jobs/intake/requests.ts'
import { choice, field, object, printerName } from '../settings.ts'
import { findClashes } from '../sources/entries.ts'
import { sources } from '../sources/index.ts'

const queueCommon = {
  printer: field(v.optional(printerName), 'Printer', 'Prints here instead of on the default.'),
  printer_commands: field(
    v.optional(choice(COMMAND_POLICIES)),
    'Printer commands',
    'The same as "Printer commands" of all labels, for those of this queue only. Left out: as there.',
  ),
  ack: field(
    v.optional(choice(['spooled', 'printed']), 'spooled'),
    'Leaves the queue',
    'When a message is taken off the queue: once its labels are safe here (spooled), or once they are out of the printer (printed).',
  ),
}

/** Settings of each type of queue: those of the sources. */
export const queueSettings: ReadonlyMap<string, v.GenericSchema> = new Map(
  sources.map((source) => [source.type, source.settings] as const),
)

/** One entry of `queues`; what stands in it besides the common keys is checked by its type. */
export const queue = v.pipe(
  v.looseObject(
    {
      type: field(
        choice([...queueSettings.keys()]),
        'Type',
        'The kind of queue that labels are pulled from.',
      ),
      ...queueCommon,
    },
    object,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const settings = queueSettings.get(dataset.value.type)
    const found = settings && v.safeParse(settings, dataset.value)
    for (const issue of found?.issues ?? []) {
      const [first, ...rest] = issue.path ?? []
      addIssue({
        message: issue.message,
        ...(issue.expected === null ? {} : { expected: issue.expected }),
        input: issue.input,
        ...(first === undefined ? {} : { path: [first, ...rest] }),
      })
    }
  }),
)

/** Sentences on queues that do not run because of one before them. */
export function findQueueClashes(queues: readonly { readonly type: string }[]): readonly string[] {
  return [...findClashes(queues, sources)].map(([index, why]) => `queues[${index}]: ${why}`)
}
