import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** The condition of the stand-in printer; every answer follows from it. */
export interface Condition {
  paperOut: boolean
  headOpen: boolean
  ribbonOut: boolean
  paused: boolean
  /** Answers in which it still says that it prints, after each label. */
  busyAnswers: number
  /** Says nothing to anybody. */
  mute: boolean
  /** Like real ones: no `~HS` while labels or ribbon are out or the head is open. */
  isShy: boolean
  /** Length of its labels in dots. */
  lengthDots: number
  model: string
  /** The values for `! U1 getvar`. */
  settings: Readonly<Record<string, string>>
  /** Keeps a count of its labels: of all of them, of none any more, or it tells none. */
  counts: 'labels' | 'nothing' | undefined
  /** The stock that it finds when it calibrates: a line of EPL's `UQ`, or TSPL's length in dots. */
  measured: string
}

const WELL: Condition = {
  paperOut: false,
  headOpen: false,
  ribbonOut: false,
  paused: false,
  busyAnswers: 0,
  mute: false,
  isShy: true,
  lengthDots: 1225,
  model: 'ZD421-203dpi',
  settings: { 'ezpl.print_width': '832', 'ezpl.media_type': 'gap/notch' },
  counts: undefined,
  measured: '',
}

/** A question, at the start of what came, and its answer; undefined = silence. */
interface Question {
  readonly text: RegExp
  answer(printer: AnsweringPrinter, found: RegExpExecArray): string | undefined
}

const frame = (text: string) => `\u0002${text}\u0003\r\n`
const bit = (is: boolean) => (is ? 1 : 0)

const ZPL: readonly Question[] = [
  {
    text: /^~HS/,
    answer: (printer) => {
      const { paperOut, headOpen, ribbonOut, paused, lengthDots, isShy } = printer.condition
      if (isShy && (paperOut || headOpen || ribbonOut)) return undefined
      const length = String(lengthDots).padStart(4, '0')
      const busy = printer.takeBusy()
      return (
        frame(`030,${bit(paperOut)},${bit(paused)},${length},000,0,0,0,000,0,0,0`) +
        frame(`001,0,${bit(headOpen)},${bit(ribbonOut)},1,2,6,0,0000000${busy},1,000`) +
        frame('1234,0')
      )
    },
  },
  {
    text: /^~HQES/,
    answer: ({ condition: { paperOut, headOpen, ribbonOut, paused } }) => {
      const bits = bit(paperOut) + 2 * bit(ribbonOut) + 4 * bit(headOpen) + 0x10000 * bit(paused)
      const errors = `${bit(bits > 0)} 00000000 ${bits.toString(16).padStart(8, '0')}`
      return frame(
        `\r\n  PRINTER STATUS\r\n   ERRORS:         ${errors}\r\n   WARNINGS:       0 00000000 00000000\r\n`,
      )
    },
  },
  { text: /^~HI/, answer: ({ condition: { model } }) => frame(`${model},V93.21.26Z,8,8176KB,X`) },
  { text: /^~JC/, answer: (printer) => printer.calibrate() },
  {
    text: /^! U1 getvar "([^"]*)"\r\n/,
    answer: (printer, [, key = '']) => {
      const { settings, counts } = printer.condition
      const isCount = key === 'odometer.total_label_count' && counts !== undefined
      return `"${isCount ? printer.count : (settings[key] ?? '?')}"`
    },
  },
]

const EPL: readonly Question[] = [
  {
    text: /^\n\^ee\n/,
    answer: ({ condition: { paperOut, headOpen, paused } }) => {
      const codes = [paperOut && '07', headOpen && '11', paused && '12'].filter(Boolean)
      return `${codes.length === 0 ? '00' : codes.join(',')}\r\n`
    },
  },
  { text: /^\nxa\n/, answer: (printer) => printer.calibrate() },
  {
    text: /^\nUQ\n/,
    answer: ({ calibrations, condition: { measured } }) => {
      const form = calibrations === 0 ? 'q832 Q400,24' : measured
      const lines = ['UKQ1935HLU     V4.29', 'S/N: 42A000000000', 'Serial port:96,N,8,1']
      const more = ['I8,A,001 rN JF WN', 'S3 D09 R008,000 ZT UN', form, 'Option:d,Ff', '04 08 14']
      return [...lines, ...more, ''].join('\r\n')
    },
  },
]

const TSPL: readonly Question[] = [
  {
    text: /^[^ -~]!\?/, // ESC ! ?
    answer: (printer) => {
      const { paperOut, headOpen, ribbonOut, paused } = printer.condition
      const faults = bit(headOpen) + 4 * bit(paperOut) + 8 * bit(ribbonOut) + 16 * bit(paused)
      return String.fromCharCode(faults + 0x20 * bit(printer.takeBusy() > 0))
    },
  },
  { text: /^\r\nAUTODETECT\r\n/, answer: (printer) => printer.calibrate() },
  {
    text: /^\r\nOUT "LENGTH=";GETSETTING\$\("CONFIG","TSPL","PAPER SIZE"\);";"\r\n/,
    answer: ({ calibrations, condition: { measured } }) =>
      `LENGTH=${calibrations === 0 ? '400' : measured};\r\n`,
  },
]

const LANGUAGES = { zpl: ZPL, epl: EPL, tspl: TSPL } as const
const END: Readonly<Record<keyof typeof LANGUAGES, RegExp>> = {
  zpl: /\^XZ/g,
  epl: /^P\d+\r?\n/gm,
  tspl: /^PRINT .*\r\n/gm,
}

/** A network printer that answers as its language says, on a free port of the loopback address. */
export class AnsweringPrinter {
  condition: Condition
  readonly port: number
  /** The bytes of each connection, questions included. */
  readonly heard: string[] = []
  /** The number of times that it was told to measure its labels. */
  calibrations = 0
  readonly #questions: readonly Question[]
  readonly #end: RegExp
  readonly #events = new EventEmitter()
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #busy = 0
  #counted = 31_084

  private constructor(server: Server, language: keyof typeof LANGUAGES, more: Partial<Condition>) {
    this.#server = server
    this.#questions = LANGUAGES[language]
    this.#end = END[language]
    this.condition = { ...WELL, ...more }
    this.port = (server.address() as AddressInfo).port
    this.#events.setMaxListeners(100)
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async open(
    language: keyof typeof LANGUAGES,
    more: Partial<Condition> = {},
  ): Promise<AnsweringPrinter> {
    const server = createServer({ allowHalfOpen: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new AnsweringPrinter(server, language, more)
  }

  get uri(): string {
    return `socket://127.0.0.1:${this.port}`
  }

  /** The bytes received, without connections that brought only questions. */
  get labels(): readonly string[] {
    return this.heard.filter((text) => text.replace(QUESTIONS, '') !== '')
  }

  /** Connections that brought only questions. */
  get asked(): readonly string[] {
    return this.heard.filter((text) => text !== '' && text.replace(QUESTIONS, '') === '')
  }

  /** True when nobody is connected. */
  get isAlone(): boolean {
    return this.#sockets.size === 0
  }

  /** Resolves when `wanted` says so; asked again after everything that it hears. */
  async until(wanted: (printer: AnsweringPrinter) => boolean): Promise<void> {
    while (!wanted(this)) await once(this.#events, 'heard')
  }

  /** Returns the number of labels left, once; it counts down by the answers that it gives. */
  takeBusy(): number {
    const { paperOut, headOpen, ribbonOut, paused } = this.condition
    const left = this.#busy
    if (left > 0 && !(paperOut || headOpen || ribbonOut || paused)) this.#busy -= 1
    return Math.min(left, 9)
  }

  /** Labels of its life, as far as it counts them. */
  get count(): number {
    return this.#counted - (this.#busy > 0 && this.condition.counts === 'labels' ? 1 : 0)
  }

  calibrate(): undefined {
    this.calibrations += 1
  }

  /** Cuts every connection, as a pulled cord does. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    const index = this.heard.push('') - 1
    this.#sockets.add(socket)
    let rest = ''
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1')
      this.heard[index] += text
      rest = this.#answer(socket, rest + text)
      this.#events.emit('heard')
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#events.emit('heard')
    })
    this.#events.emit('heard')
  }

  /** Answers every whole question, counts the labels that are whole; gives what may be the start of one. */
  #answer(socket: Socket, text: string): string {
    for (const question of this.#questions) {
      const found = question.text.exec(text)
      if (found === null) continue
      const answer = this.condition.mute ? undefined : question.answer(this, found)
      if (answer !== undefined) socket.write(Buffer.from(answer, 'latin1'))
      return this.#answer(socket, text.slice(found[0].length))
    }
    const ends = text.match(this.#end)?.length ?? 0
    if (this.condition.counts === 'labels') this.#counted += ends
    if (ends > 0) this.#busy = this.condition.busyAnswers * ends
    return ends > 0 ? '' : text
  }
}

const QUESTIONS =
  /\nUQ\n|\r\nOUT "LENGTH=";GETSETTING\$\([^)]*\);";"\r\n|~HS|~HQES|~HI|~JC|! U1 getvar "[^"]*"\r\n|\n\^ee\n|\nxa\n|[^ -~\n]!\?|\r\nAUTODETECT\r\n/g
