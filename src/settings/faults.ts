import { PlatenError } from '../words/errors.ts'
import type { Sentence } from '../words/say.ts'

/** A fault of a key, or a warning about it. */
export interface SettingFault {
  /** For example `printers[0].uri`; '' = the whole configuration. */
  readonly key: string
  /** For programmers: `got …, wanted …`, without the key. Never quotes a secret. */
  readonly message: string
  /** For people, who see the key's title beside it; [] = only the message exists. */
  readonly sentences: readonly Sentence[]
}

const UNUSABLE: Sentence = { key: 'wantOther', values: {} }

/** Makes a fault; its message has no full stop, because `formatFaults` adds it. */
export function makeFault(
  key: string,
  message: string,
  sentence: Sentence = UNUSABLE,
): SettingFault {
  return { key, message, sentences: [sentence] }
}

/** Makes a warning about a valid setting, in whole sentences. */
export function makeWarning(
  key: string,
  message: string,
  ...sentences: readonly Sentence[]
): SettingFault {
  return { key, message, sentences }
}

/** Formats a fault with its key, as a line for programmers. */
export function formatFault({ key, message }: SettingFault): string {
  return key === '' ? message : `${key}: ${message}`
}

const MOST_FAULTS = 20 // lines of one message

/** Formats faults as lines: `config.json: port: got "80a", wanted …`. */
export function formatFaults(faults: readonly SettingFault[], name: string): string {
  const lines = faults.slice(0, MOST_FAULTS).map((fault) => `${name}: ${formatFault(fault)}.`)
  const rest = faults.length - lines.length
  return [...lines, ...(rest > 0 ? [`${name}: and ${rest} more.`] : [])].join('\n')
}

/** Makes the refusal of a configuration; `name` is that of its file. */
export function refuseConfig(faults: readonly SettingFault[], name: string): PlatenError {
  return new PlatenError('CONFIG_INVALID', formatFaults(faults, name), { cause: { faults } })
}

/** Returns the faults by key of a CONFIG_INVALID; none for other errors. */
export function readFaults(error: unknown): readonly SettingFault[] {
  const cause = error instanceof PlatenError ? error.cause : undefined
  const { faults } = (cause ?? {}) as { readonly faults?: unknown }
  return Array.isArray(faults) ? faults : []
}
