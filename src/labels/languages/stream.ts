import type { Buffer } from 'node:buffer'
import type { PortQuestion } from './questions.ts'

/** Lines of a stream of labels, as the safety gate reads them: without blanks around them. */
export interface StreamLines {
  /** Puts something on the label. */
  readonly draws: RegExp
  /** Prints the label, which ends here. */
  readonly prints: RegExp
  /** Begins and ends what is kept in the printer: a `prints` in it ends nothing. */
  readonly keeps: { readonly begin: RegExp; readonly end: RegExp }
  /** Finds the end of the data of the line at `line`, which may hold any byte, maybe beyond the bytes; undefined when it has none. */
  endOfData(bytes: Uint8Array, line: number): number | undefined
  /** Begins data that nobody can count: from there on what looks like another language, or a question, is of them. */
  readonly packs?: RegExp
}

/** Commands of a stream of labels that may stand anywhere in a line. */
export interface StreamCommands {
  /** Characters one of which begins each command. */
  readonly prefixes: string
  /** Matches the beginning of a line that is such a command. */
  readonly begins: RegExp
  /** The command that begins each label. */
  readonly opening: string
  /** Finds where a label begins behind text on the line from `from` to `end`; undefined when none does. */
  findBegin(bytes: Buffer, from: number, end: number): number | undefined
  /** Finds the end of each label of a file, and where the next command begins, or the file ends. */
  listEnds(bytes: Uint8Array): Iterable<{ readonly end: number; readonly next: number }>
  /** Begins to read a stream; what a label says of the commands behind it stays true. */
  read(): CommandReader
}

/** Reader of one stream of commands. */
export interface CommandReader {
  /** Reads on from `from`. `isOpen`: a label has begun; `isEnded`: no more bytes will come. */
  step(
    bytes: Buffer,
    from: number,
    label: { readonly isOpen: boolean; readonly isEnded: boolean },
  ): CommandStep
}

/** A step through a stream of commands. */
export type CommandStep =
  /** More bytes are needed to tell what stands at `at`. */
  | { readonly kind: 'wait'; readonly at: number; readonly isOpen: boolean }
  /** Go on at `at`, which may be beyond the bytes; a question inside of a label is to be answered. */
  | {
      readonly kind: 'on'
      readonly at: number
      readonly isOpen: boolean
      readonly question?: PortQuestion
    }
  /** The command at `at` ends the label. */
  | { readonly kind: 'end'; readonly at: number; readonly end: number }
  /** The command at `at` is not part of a label. */
  | {
      readonly kind: 'outside'
      readonly at: number
      readonly end: number
      readonly question?: PortQuestion
    }
