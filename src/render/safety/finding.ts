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

/** A command whose data go on where the label ends: a printer takes the next labels for the rest. */
export interface Cut {
  /** As people know it, e.g. `^GF`. */
  readonly command: string
  /** Bytes from the beginning of the label. */
  readonly offset: number
}

/** The findings of one label: the first of each command, in the order of the label. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  #cut: Cut | undefined

  /** The command in whose data the label ends. */
  get cut(): Cut | undefined {
    return this.#cut
  }

  noteCut(cut: Cut): void {
    this.#cut ??= cut
  }

  has(command: string): boolean {
    return this.#found.has(command)
  }

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

/** A line with its end, or its first `most` bytes, as text for looking only. */
export function lineHead(bytes: Buffer, from: number, most: number): string {
  const limit = Math.min(bytes.length, from + most)
  let at = from
  while (at < limit && !isLineEnd(bytes[at])) at += 1
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 1
  return latin1(bytes, from, at + 1 - from)
}

/** Two bytes as one number, so that what a line begins with is looked up without making a text of it. */
export function pairOf(first: number | undefined, second: number | undefined): number {
  return ((first ?? 0) << 8) | (second ?? 0)
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
