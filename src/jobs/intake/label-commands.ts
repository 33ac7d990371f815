import { PlatenError } from '../../errors.ts'
import { describeCommands } from '../../languages/index.ts'
import type { Finding } from '../../languages/language.ts'

/** What becomes of labels that hold commands which change the printer itself. */
export const COMMAND_POLICIES = ['allow', 'warn', 'refuse'] as const

/** What becomes of one. */
export type CommandPolicy = (typeof COMMAND_POLICIES)[number]

/**
 * A sentence about what the label does to the printer, or '' when it does nothing or nobody wants to know. Commands that
 * stand in labels of real carriers are named and never refused.
 * @throws PlatenError LABEL_COMMAND under `refuse`
 */
export function checkCommands(findings: readonly Finding[], policy: CommandPolicy): string {
  if (policy === 'allow') return ''
  const spoiler = findings.find(({ isCommon }) => !isCommon)
  if (policy === 'refuse' && spoiler !== undefined) {
    const { command, means, offset } = spoiler
    throw new PlatenError(
      'LABEL_COMMAND',
      `The label holds ${command} at byte ${offset}, which ${means}; wanted a label that only prints.`,
    )
  }
  return describeCommands(findings)
}
