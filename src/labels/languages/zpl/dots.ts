import { latin1 } from '../bytes.ts'
import { Extent, type RawExtent } from '../dots.ts'
import { keyOf, walkZpl } from './data.ts'

const PARAMETERS = 60
const KEYS = {
  end: keyOf('^XZ'),
  width: keyOf('^PW'),
  length: keyOf('^LL'),
  home: keyOf('^LH'),
  origin: keyOf('^FO'),
  typeset: keyOf('^FT'),
  box: keyOf('^GB'),
  graphic: keyOf('^GF'),
  block: keyOf('^FB'),
  unit: keyOf('^MU'),
  half: keyOf('^JM'),
} as const
/** Parts that are looked at: a label has some hundred. */
const PARTS_MOST = 20_000

/** The numbers of the first format that draws something; undefined where they are not dots of the head. */
export function readZplDots(bytes: Uint8Array): RawExtent | undefined {
  const reader = new ZplExtentReader()
  let parts = 0
  for (const { key, at } of walkZpl(bytes)) {
    if (key === KEYS.end && reader.hasDrawn) break
    if (parts++ === PARTS_MOST) break
    // Of a million of them only those that count become texts.
    if (reader.knows(key) && !reader.read(key, latin1(bytes, at + 3, PARAMETERS))) return undefined
  }
  return reader.hasDrawn ? reader.dots : undefined
}

const KNOWN: ReadonlySet<number> = new Set(Object.values(KEYS))

class ZplExtentReader {
  readonly #extent = new Extent()
  #width: number | undefined
  #height: number | undefined
  #home: readonly [number, number] = [0, 0]
  #at: readonly [number, number] = [0, 0]
  /** True for a typeset field, which stands above its point. */
  #isTypeset = false
  hasDrawn = false

  get dots(): RawExtent {
    const { right, bottom } = this.#extent
    return { width: this.#width, height: this.#height, right, bottom }
  }

  knows(key: number): boolean {
    return KNOWN.has(key)
  }

  /** False when what it counts is not dots of the head. */
  read(key: number, text: string): boolean {
    const words = text.split(/[\^~]/, 1)[0]?.split(',') ?? []
    const numbers = words.map((word) => (/^\s*\d{1,7}\s*$/.test(word) ? Number(word) : 0))
    const [first = 0, second = 0, , fourth = 0] = numbers
    if (key === KEYS.unit) return /^D?$/i.test(text.split(/[\^~]/, 1)[0]?.trim() ?? '')
    if (key === KEYS.half) return !/^B/i.test(text)
    if (key === KEYS.width) this.#width = first || undefined
    else if (key === KEYS.length) this.#height = first || undefined
    else if (key === KEYS.home) this.#home = [first, second]
    else this.#draw(key, [first, second, fourth])
    return true
  }

  #draw(key: number, [first, second, fourth]: readonly [number, number, number]): void {
    if (key === KEYS.origin || key === KEYS.typeset) {
      this.#at = [first + this.#home[0], second + this.#home[1]]
      this.#isTypeset = key === KEYS.typeset
      this.hasDrawn = true
      this.#reach(0, 0)
    } else if (key === KEYS.box) this.#reach(first, second)
    else if (key === KEYS.graphic)
      this.#reach(8 * fourth, fourth === 0 ? 0 : Math.floor(second / fourth))
    else if (key === KEYS.block) this.#reach(first, 0)
  }

  #reach(width: number, height: number): void {
    this.#extent.reach(this.#at[0] + width, this.#at[1] + (this.#isTypeset ? 0 : height))
  }
}
