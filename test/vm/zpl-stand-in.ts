import { HOST_IDENTITY, hostStatus } from './models.ts'

/** The condition of the printer behind the serial adapter; `mute` = it only listens. */
export type Condition = 'mute' | 'ready' | 'out of labels' | 'paused'

/** The line of the guest that sets a condition. */
export type Becomes = `printer ${Condition}`

const CONDITIONS: readonly Condition[] = ['mute', 'ready', 'out of labels', 'paused']
// What it looks for on its line: the questions of a ZPL printer, and ends of labels.
const WORDS = /~HS|~HI|! U1 getvar "[^"]*"\r\n|\^XZ/g
const LONGEST_WORD = 64

/**
 * The other end of the serial adapter's wire: a ZPL printer that answers, and keeps its labels while it cannot print. It
 * lives on the host, whose answers come in time however slow the guest is.
 */
export class ZplStandIn {
  #condition: Condition = 'mute'
  #kept = 0
  #rest = ''

  /** From now on it is so, if the line says that: a printer that is well prints what it kept. */
  become(line: string): boolean {
    const wanted = CONDITIONS.find((condition) => line === `printer ${condition}`)
    if (wanted === undefined) return false
    this.#condition = wanted
    if (this.#isWell) this.#kept = 0
    return true
  }

  /** Takes the computer's bytes, cut anywhere, and gives what it says to them. */
  hear(bytes: Buffer): string {
    const text = this.#rest + bytes.toString('latin1')
    let answers = ''
    let end = 0
    for (const word of text.matchAll(WORDS)) {
      end = word.index + word[0].length
      answers += this.#answer(word[0])
    }
    this.#rest = text.slice(Math.max(end, text.length - LONGEST_WORD))
    return this.#condition === 'mute' ? '' : answers
  }

  get #isWell(): boolean {
    return this.#condition === 'mute' || this.#condition === 'ready'
  }

  #answer(word: string): string {
    if (word === '^XZ') {
      if (!this.#isWell) this.#kept = Math.min(this.#kept + 1, 9)
      return ''
    }
    if (word === '~HI') return HOST_IDENTITY
    if (word !== '~HS') return '"?"' // an old one knows no settings
    const [paperOut, paused] = [this.#condition === 'out of labels', this.#condition === 'paused']
    const formats = this.#kept
    return hostStatus({ paperOut: Number(paperOut), paused: Number(paused), formats })
  }
}
