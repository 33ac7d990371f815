import { PlatenError } from '../words/errors.ts'
import type { Sentence } from '../words/say.ts'

/** What is wrong with a key, or odd about it. */
export interface SettingFault {
  /** As `printers[0].uri`; '' = the whole. */
  readonly key: string
  /** For programmers: `got …, wanted …`, without the key. Never quotes a secret. */
  readonly message: string
  /** For people, who see the key's title beside it; [] = there is only the message. */
  readonly sentences: readonly Sentence[]
}

const UNUSABLE: Sentence = { key: 'wantOther', values: {} }

/** What is wrong: without a full stop, as `formatFaults` sets it. */
export function makeFault(
  key: string,
  message: string,
  sentence: Sentence = UNUSABLE,
): SettingFault {
  return { key, message, sentences: [sentence] }
}

/** What is right and odd, in whole sentences. */
export function makeWarning(
  key: string,
  message: string,
  ...sentences: readonly Sentence[]
): SettingFault {
  return { key, message, sentences }
}

/** With its key, as a line for programmers. */
export function formatFault({ key, message }: SettingFault): string {
  return key === '' ? message : `${key}: ${message}`
}

const MOST_FAULTS = 20 // lines of one message

/** Faults as lines: `config.json: port: got "80a", wanted …`. */
export function formatFaults(faults: readonly SettingFault[], name: string): string {
  const lines = faults.slice(0, MOST_FAULTS).map((fault) => `${name}: ${formatFault(fault)}.`)
  const rest = faults.length - lines.length
  return [...lines, ...(rest > 0 ? [`${name}: and ${rest} more.`] : [])].join('\n')
}

/** A refused configuration; `name` is its file's. */
export function refuseConfig(faults: readonly SettingFault[], name: string): PlatenError {
  return new PlatenError('CONFIG_INVALID', formatFaults(faults, name), { cause: { faults } })
}

/** The faults by key of a CONFIG_INVALID; none for other errors. */
export function readFaults(error: unknown): readonly SettingFault[] {
  const cause = error instanceof PlatenError ? error.cause : undefined
  const { faults } = (cause ?? {}) as { readonly faults?: unknown }
  return Array.isArray(faults) ? faults : []
}
