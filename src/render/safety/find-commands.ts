import { Buffer } from 'node:buffer'
import type { Format } from '../detect.ts'
import { scanEpl } from './epl.ts'
import { type Finding, Findings } from './finding.ts'
import { scanTspl } from './tspl.ts'
import { scanZpl } from './zpl.ts'

/**
 * The commands of a raw label that do more to the printer than print it, each once, in the order of the label;
 * empty for pictures. Reads every byte once at most, never throws, and takes graphics for the data they are.
 */
export function findCommands(label: Uint8Array, format: Format): readonly Finding[] {
  const findings = new Findings()
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  if (format === 'zpl') scanZpl(bytes, 0, findings)
  if (format === 'epl') scanEpl(bytes, 0, findings)
  if (format === 'tspl') scanTspl(bytes, 0, findings)
  return findings.list()
}

const NAMED = 3

/** One sentence for each command, for the person at the printer; '' when there is none. */
export function describeCommands(findings: readonly Finding[]): string {
  const named = findings.slice(0, NAMED).map(({ command, means }) => `${command} ${means}.`)
  const more = findings.length - named.length
  if (more > 0) named.push(`${more} more commands of this kind stand in the label.`)
  return named.join(' ')
}
