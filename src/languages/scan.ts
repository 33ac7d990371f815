import { Buffer } from 'node:buffer'
import { type Cut, type Finding, Findings } from './finding.ts'
import { findLanguage } from './index.ts'

/** What a look at a raw label found. */
export interface Scan {
  /** What does more to the printer than print the label, each command once, in the order of the label. */
  readonly commands: readonly Finding[]
  /** The command that says more data than there are: the label ends inside a picture, font, form or file. */
  readonly cut: Cut | undefined
}

/**
 * Looks for what spoils a printer, or the labels after this one; finds nothing in pictures. Reads every byte once or
 * twice, never throws, and takes graphics for the data they are.
 */
export function scanLabel(label: Uint8Array, format: string): Scan {
  const findings = new Findings()
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  findLanguage(format)?.scan(bytes, 0, findings)
  return { commands: findings.list(), cut: findings.cut }
}

const NAMED = 3

/** One sentence for each command, for the person at the printer; '' when there is none. */
export function describeCommands(findings: readonly Finding[]): string {
  const named = findings.slice(0, NAMED).map(({ command, means }) => `${command} ${means}.`)
  const more = findings.length - named.length
  if (more > 0) named.push(`${more} more commands of this kind stand in the label.`)
  return named.join(' ')
}
