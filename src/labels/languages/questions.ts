import type { Media, PrinterReason } from './status.ts'

/** Facts of a printer that programs ask for on the port of its labels. */
export interface AnswerFacts {
  readonly makeAndModel: string
  readonly dpi: number
  readonly media?: Media | undefined
  /** From what it last said of itself. */
  readonly reasons: readonly PrinterReason[]
  /** Labels that are not printed yet. */
  readonly waiting: number
}

/** A question that programs ask a printer on the port of its labels. */
export interface PortQuestion {
  /** The command, as people know it. */
  readonly name: string
  /** Matches the whole line or command, from its beginning; a string: bytes with which a line begins and that need no line end. */
  readonly asks: RegExp | string
  /** The answer as the printer would give it, one character a byte. */
  answer(facts: AnswerFacts): string
}

/** A question at the beginning of a text, and its characters. */
export interface FoundQuestion {
  readonly question: PortQuestion
  readonly length: number
}

/** Sets the bits of all these reasons. */
export function sumBits(
  reasons: readonly PrinterReason[],
  bits: Readonly<Partial<Record<PrinterReason, number>>>,
): number {
  return reasons.reduce((sum, reason) => sum | (bits[reason] ?? 0), 0)
}
