import type { Buffer } from 'node:buffer'

/** A command that does more to a printer than print one label. */
export interface Finding {
  /** As people know it, e.g. `^JUS`; never data of the label. */
  readonly command: string
  /** What it does: goes on after the command, e.g. `sets the password of the printer`. */
  readonly means: string
  /** Stands in labels of real carriers too, so it is never a reason to refuse one. */
  readonly isCommon: boolean
  /** Bytes from the beginning of the label. */
  readonly offset: number
}

/** The findings of one label: the first of each command, in the order of the label. */
export class Findings {
  readonly #found = new Map<string, Finding>()

  add(finding: Finding): void {
    if (!this.#found.has(finding.command)) this.#found.set(finding.command, finding)
  }

  list(): readonly Finding[] {
    return [...this.#found.values()]
  }
}

/** Part of a label as text, one character a byte, for looking only. */
export function latin1(bytes: Buffer, from: number, length: number): string {
  return bytes.toString('latin1', from, from + length)
}

/** Lists what begins with the same byte together, so that a line is compared with few. */
export function groupByFirst<T extends { readonly first: string }>(
  list: readonly T[],
): ReadonlyMap<number, readonly T[]> {
  return Map.groupBy(list, ({ first }) => first.charCodeAt(0))
}

/** True for the bytes that end a line: CR and LF. */
export function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}

/** Where the line at `from` ends: its CR or LF, or the end of the label. */
export function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && !isLineEnd(bytes[at])) at += 1
  return at
}
