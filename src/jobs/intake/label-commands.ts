import { PlatenError } from '../../errors.ts'
import { describeCommands } from '../../languages/index.ts'
import type { Finding } from '../../languages/language.ts'

/** What becomes of labels that hold commands which change the printer itself. */
export const COMMAND_POLICIES = ['allow', 'warn', 'refuse'] as const

/** Of different sentences a day; labels can hold commands in many orders. */
const TOLD_MOST = 1_000

/** What becomes of one. */
export type CommandPolicy = (typeof COMMAND_POLICIES)[number]

/** What is said of a label's commands; '' = nothing. */
export interface CommandWords {
  /** Of commands that a label should not hold: stays with the job, and makes it one with warnings. */
  readonly warning: string
  /** Of those that drivers and carriers send with every label: worth a word a day, where developers look. */
  readonly usual: string
}

/**
 * What the label does to the printer. Commands that stand in labels of real carriers are named and never refused.
 * @throws PlatenError LABEL_COMMAND under `refuse`
 */
export function checkCommands(findings: readonly Finding[], policy: CommandPolicy): CommandWords {
  if (policy === 'allow') return { warning: '', usual: '' }
  const spoiler = findings.find(({ isCommon }) => !isCommon)
  if (policy === 'refuse' && spoiler !== undefined) {
    const { command, means, offset } = spoiler
    throw new PlatenError(
      'LABEL_COMMAND',
      `The label holds ${command} at byte ${offset}, which ${means}; wanted a label that only prints.`,
    )
  }
  const [usual, others] = [true, false].map((isCommon) =>
    describeCommands(findings.filter((finding) => finding.isCommon === isCommon)),
  )
  return { warning: others ?? '', usual: usual ?? '' }
}

/** Tells a sentence once a printer and day. */
export class DailyWords {
  readonly #told = new Set<string>()
  #day = ''

  /** The sentence, or '' when it was told today; `day` is any text that changes with it. */
  once(printer: string, sentence: string, day: string): string {
    if (sentence === '') return ''
    if (day !== this.#day) this.#told.clear()
    this.#day = day
    const key = `${printer}\n${sentence}`
    if (this.#told.has(key) || this.#told.size >= TOLD_MOST) return ''
    this.#told.add(key)
    return sentence
  }
}
