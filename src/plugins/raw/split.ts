import {
  type CommandReader,
  findQuestion,
  isBlank,
  isLineEnd,
  latin1,
  type PortQuestion,
  type StreamLines,
} from '#labels'
import { FOREIGN_HEAD, findEarly, findForeign } from './foreign.ts'
import {
  COMMANDS,
  endOfData,
  findAlone,
  HTTP,
  HttpSign,
  isPrefix,
  KeptBytes,
  kindOf,
  LINE_HEAD,
  LINES,
  type Piece,
  skipLineEnd,
} from './stream.ts'

type Mode = 'commands' | 'lines' | 'document' | 'none' | 'over'

/**
 * Finds one label after the other in a stream cut into any pieces, with the tokenizers of the safety gate: bytes inside graphics are data
 * and end nothing. Reads every byte once or twice, however the stream is cut. Decision `raw-stream-is-split`.
 */
export class Splitter {
  readonly #bytes = new KeptBytes()
  #mode: Mode = 'none'
  /** The start of the next command or line; beyond the bytes while data are awaited. */
  #at = 0
  /** The place from which to go on looking for the end of that line. */
  #look = 0
  /** True inside a label of commands, or behind a line that draws. */
  #isOpen = false
  #kept: StreamLines | undefined
  /** The languages whose lines may be commands; a single one once a label has dots that cannot be counted. */
  #lines: readonly StreamLines[] = LINES
  /** Readers of the languages whose commands are not lines. */
  readonly #readers = COMMANDS.map((commands) => ({ commands, reader: commands.read() }))
  /** The reader of the current label. */
  #reader: CommandReader | undefined
  #labels = 0
  #isFirst = true
  #isEnded = false
  #isWhole = true
  readonly #http = new HttpSign()
  /** The first bytes of the connection, blanks included. */
  #head = Buffer.alloc(0)

  /** Bytes that are kept. */
  get length(): number {
    return this.#bytes.length
  }

  /** True while the bytes may be the beginning of an HTTP request: no label is taken yet. */
  get isUnsure(): boolean {
    return this.length > 0 && this.#http.verdict === 'unsure' && !this.#isEnded
  }

  /** The protocol of the other side when no label came and it speaks no printer language. */
  get foreign(): string | undefined {
    return this.#labels === 0 ? findForeign(this.#head) : undefined
  }

  /** Tells the splitter that nothing came for a while. */
  settle(): void {
    this.#http.settle()
  }

  push(chunk: Uint8Array): void {
    this.#http.push(chunk)
    if (this.#head.length < FOREIGN_HEAD) {
      const more = chunk.subarray(0, FOREIGN_HEAD - this.#head.length)
      this.#head = Buffer.concat([this.#head, more])
    }
    this.#bytes.push(chunk)
  }

  /** Returns the first bytes of what is kept. */
  begin(bytes: number): Uint8Array {
    return this.#view.subarray(0, bytes)
  }

  /** Forgets everything and finds nothing more. */
  clear(): void {
    this.#drop(0, this.length)
    this.#mode = 'over'
  }

  /** Ends the stream; `isWhole`: the other side ended it itself and was not cut off. */
  end(isWhole: boolean): void {
    this.#isEnded = true
    this.#isWhole = isWhole
    if (!this.#http.isLong) return
    // Nobody can tell, so a person may: it is kept as evidence.
    this.#isWhole = false
    this.#mode = 'document'
  }

  /** Finds the next piece; undefined when more bytes are needed, or everything was found. */
  next(): Piece | undefined {
    for (;;) {
      const step = this.#step()
      if (typeof step !== 'string') return step
      if (step === 'wait') return this.#isEnded ? this.#last() : undefined
    }
  }

  get #view(): Buffer {
    return this.#bytes.view
  }

  #step(): Piece | 'on' | 'wait' {
    if (this.#http.verdict === 'yes' && this.#mode !== 'over') return this.#giveUp({ kind: 'http' })
    if (this.#mode === 'none') return this.#begin()
    if (this.#mode === 'document' || this.#mode === 'over' || this.#at > this.length) return 'wait'
    return this.#reader === undefined ? this.#stepLine() : this.#stepCommand(this.#reader)
  }

  /** Decides what the next label is. */
  #begin(): Piece | 'on' | 'wait' {
    if (this.#isFirst) {
      const early = findEarly(this.#head)
      if (early === 'unsure' && !this.#isEnded) return 'wait'
      if (early !== undefined && early !== 'unsure')
        return this.#giveUp({ kind: 'foreign', ...early })
    }
    let blanks = 0
    const kept = this.#view
    while (blanks < kept.length && isBlank(kept[blanks])) blanks += 1
    this.#drop(0, blanks)
    if (this.length === 0) return 'wait'
    const view = this.#view
    const head = latin1(view, 0, 16)
    const kind = kindOf(head, this.#isEnded)
    if (kind === undefined) return 'wait'
    this.#mode = kind
    this.#goTo(0)
    return 'on'
  }

  #stepLine(): Piece | 'on' | 'wait' {
    const view = this.#view
    const at = this.#at
    const first = view[at]
    if (first === undefined) return 'wait'
    if (this.#lines === LINES && isPrefix(first)) {
      const found = this.#lookAtPrefix(view, at)
      if (found !== undefined) return found
    }
    const end = this.#findLineEnd(view)
    const isSure = end < view.length || this.#isEnded
    if (!isSure && view.length - at < LINE_HEAD) return 'wait'
    const data = this.#findData(view, at, end)
    if (data !== undefined) {
      this.#isOpen = true
      this.#isFirst = false
      this.#goTo(data)
      return 'on'
    }
    return isSure ? this.#readLine(view, end) : 'wait'
  }

  /** Finds the end of the dots or the file of a line, which may be beyond the bytes. */
  #findData(view: Buffer, at: number, end: number): number | undefined {
    const line = latin1(view, at, Math.min(end - at, LINE_HEAD)).trim()
    if (this.#kept !== undefined || this.#lines.some(({ keeps }) => keeps.begin.test(line)))
      return undefined
    return endOfData(view, at, this.#lines)
  }

  #findLineEnd(view: Buffer): number {
    let end = this.#look
    while (end < view.length && !isLineEnd(view[end])) end += 1
    this.#look = end
    return end
  }

  #readLine(view: Buffer, end: number): Piece | 'on' | 'wait' {
    const [at, next] = [this.#at, skipLineEnd(view, end)]
    const line = latin1(view, at, Math.min(end - at, LINE_HEAD)).trim()
    if (this.#isFirst && HTTP.test(line)) return this.#giveUp({ kind: 'http' })
    this.#isFirst = false
    const asked = this.#lines === LINES ? findQuestion(line) : undefined
    if (asked !== undefined) return this.#answer(asked.question, at, Math.min(next, view.length))
    if (!this.#isOpen && this.#kept === undefined && this.#findCommands(view, at, end)) return 'on'
    this.#goTo(Math.min(next, view.length))
    if (this.#kept !== undefined) {
      if (this.#kept.keeps.end.test(line)) this.#kept = undefined
      return 'on'
    }
    this.#kept = this.#lines.find(({ keeps }) => keeps.begin.test(line))
    if (this.#lines.some(({ prints }) => prints.test(line))) return this.#take(this.#at)
    this.#isOpen ||= this.#lines.some(({ draws }) => draws.test(line))
    const packs = this.#lines.find((one) => one.packs?.test(line))
    if (packs !== undefined) this.#lines = [packs]
    return 'on'
  }

  /** Looks for a question, or the first command of a label, at the start of a line. Undefined: the line is like any other. */
  #lookAtPrefix(view: Buffer, at: number): Piece | 'on' | 'wait' | undefined {
    const head = latin1(view, at, 4)
    if (head.length < 3 && !this.#isEnded) return 'wait'
    if (this.#kept !== undefined) return undefined
    const asked = findAlone(head)
    if (asked !== undefined) return this.#answer(asked.question, at, at + asked.length)
    const found = this.#readers.find(({ commands }) => commands.begins.test(head))
    return found && this.#enter(found.reader, at)
  }

  /** Enters the first label of commands that begins behind text on a line; false when none does. */
  #findCommands(view: Buffer, at: number, end: number): boolean {
    for (const { commands, reader } of this.#readers) {
      const begin = commands.findBegin(view, at, end)
      if (begin === undefined) continue
      this.#enter(reader, begin)
      return true
    }
    return false
  }

  #enter(reader: CommandReader, at: number): 'on' {
    this.#mode = 'commands'
    this.#reader = reader
    this.#isOpen = false
    this.#isFirst = false
    this.#goTo(at)
    return 'on'
  }

  #stepCommand(reader: CommandReader): Piece | 'on' | 'wait' {
    const label = { isOpen: this.#isOpen, isEnded: this.#isEnded }
    const step = reader.step(this.#view, this.#at, label)
    this.#at = step.at
    if (step.kind === 'end') return this.#take(step.end)
    if (step.kind === 'outside') {
      this.#drop(step.at, step.end)
      this.#leaveIfBlank()
    } else this.#isOpen = step.isOpen
    if (step.kind === 'wait') return 'wait'
    return step.question === undefined ? 'on' : { kind: 'question', question: step.question }
  }

  #answer(question: PortQuestion, from: number, to: number): Piece {
    this.#drop(from, to)
    this.#leaveIfBlank()
    return { kind: 'question', question }
  }

  /** Forgets the kind of label after something outside a label: anything may come next. */
  #leaveIfBlank(): void {
    if (this.#view.subarray(0, this.#at).every(isBlank)) this.#forgetKind()
  }

  #forgetKind(): void {
    this.#mode = 'none'
    this.#reader = undefined
  }

  #giveUp(piece: Piece): Piece {
    this.#mode = 'over'
    return piece
  }

  #goTo(at: number): void {
    this.#at = at
    this.#look = at
  }

  #take(end: number): Piece | 'wait' {
    if (this.isUnsure) return 'wait'
    const bytes = Uint8Array.prototype.slice.call(this.#view, 0, end)
    this.#drop(0, end)
    this.#forgetKind()
    this.#lines = LINES
    this.#isOpen = false
    this.#isFirst = false
    this.#labels += 1
    return { kind: 'label', bytes }
  }

  #drop(from: number, to: number): void {
    if (to <= from) return
    this.#bytes.drop(from, to)
    this.#goTo(from)
  }

  #last(): Piece | undefined {
    const bytes = this.#bytes.release()
    this.#at = 0
    if (this.#mode === 'over' || bytes.every(isBlank)) return undefined
    const isCut = this.#isOpen || this.#kept !== undefined
    if (!this.#isWhole || (isCut && this.#mode !== 'document')) return { kind: 'broken', bytes }
    return { kind: this.#labels > 0 && this.#mode === 'lines' ? 'rest' : 'label', bytes }
  }
}
