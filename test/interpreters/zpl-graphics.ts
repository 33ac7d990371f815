import { inflateSync } from 'node:zlib'
import {
  copyDots,
  createCanvas,
  obey,
  type Pretended,
  type Printed,
  pack,
  type Rule,
} from './canvas.ts'

/**
 * A pretended ZPL printer that knows ^FO, ^GFA and the settings of a picture label, and is strict where the renderer
 * is not: counts, CRCs, rows that are too long, `!`, a `:` in front. It reads hexadecimal, run lengths, B64 and Z64.
 * @param stock size of the paper in dots
 */
export function interpretZpl(
  job: Uint8Array,
  stock: { width: number; height: number },
): readonly Printed[] {
  const canvas = createCanvas(stock.width, stock.height)
  const printer: Pretended = { stock, printed: [], settings: {}, canvas, origin: { x: 0, y: 0 } }
  const text = Buffer.from(job)
    .toString('latin1')
    .replace(/[\r\n]/g, '')
  for (const command of text.split(/(?=[\^~][A-Z])/)) obey(RULES, printer, command)
  return printer.printed
}

const RULES: readonly Rule<Pretended>[] = [
  [
    /^\^XA$/,
    (printer) => {
      printer.canvas = createCanvas(printer.stock.width, printer.stock.height)
    },
  ],
  [
    /^\^FO(\d+),(\d+)$/,
    (printer, [x, y]) => {
      printer.origin = { x: Number(x), y: Number(y) }
    },
  ],
  [
    /^\^GFA,(\d+),(\d+),(\d+),(.*)$/,
    ({ canvas, origin }, values) => {
      const [sent = 0, total = 0, widthBytes = 0] = values.slice(0, 3).map(Number)
      if (sent !== total || total < 1 || total > 99_999) throw new Error(`${sent} of ${total}`)
      const rows = total / widthBytes
      const data = decodeGraphic(values[3] ?? '', widthBytes, rows)
      copyDots(canvas, { ...origin, widthBytes, rows }, data, 1)
    },
  ],
  [
    /^[\^~](CI|LH|LS|PO|LR|PM|FW|MC|PW|LL|PR|SD)([\w,.-]*)$/,
    (printer, [name = '', value = '']) => {
      printer.settings[name] = value
    },
  ],
  [/^\^FS$/, () => undefined],
  [
    /^\^XZ$/,
    ({ printed, canvas, settings }) => {
      printed.push({ raster: pack(canvas), settings: { ...settings }, copies: 1 })
    },
  ],
]

/** The bytes of a ^GFA. */
export function decodeGraphic(data: string, widthBytes: number, rows: number): Uint8Array {
  const coded = /^:(Z64|B64):([A-Za-z0-9+/=]*):([0-9a-f]{4})$/i.exec(data)
  if (coded) {
    if (Number.parseInt(coded[3] ?? '', 16) !== crcBitByBit(coded[2] ?? '')) {
      throw new Error('the CRC is wrong')
    }
    const bytes = Buffer.from(coded[2] ?? '', 'base64')
    return coded[1] === 'Z64' ? inflateSync(bytes) : bytes
  }
  const expanding: Expanding = { length: widthBytes * 2, rows: [], row: '', count: 0 }
  for (const letter of data) expand(expanding, letter)
  if (expanding.row !== '' || expanding.count > 0) throw new Error('the last row is not whole')
  if (expanding.rows.length !== rows) throw new Error(`${expanding.rows.length} of ${rows} rows`)
  return Buffer.from(expanding.rows.join(''), 'hex')
}

interface Expanding {
  readonly length: number
  readonly rows: string[]
  row: string
  count: number
}

/** Expands one character of Zebra's alternative data compression. */
function expand(to: Expanding, letter: string): void {
  obey(RUN_LENGTHS, to, letter)
  if (to.row.length > to.length) throw new Error('a row is too long')
  if (to.row.length === to.length && to.count === 0) {
    to.rows.push(to.row)
    to.row = ''
  }
}

const RUN_LENGTHS: readonly Rule<Expanding>[] = [
  [
    /^([G-Y])$/,
    (to, [letter = '']) => {
      to.count += letter.charCodeAt(0) - 70
    },
  ],
  [
    /^([g-z])$/,
    (to, [letter = '']) => {
      to.count += (letter.charCodeAt(0) - 102) * 20
    },
  ],
  [
    /^([0-9A-F])$/,
    (to, [digit = '']) => {
      to.row += digit.repeat(Math.max(1, to.count))
      to.count = 0
    },
  ],
  [
    /^,$/,
    (to) => {
      if (to.row.length % 2 === 1) throw new Error('a comma stands for an odd number of digits')
      to.row = to.row.padEnd(to.length, '0')
    },
  ],
  [
    /^:$/,
    (to) => {
      if (to.row !== '') throw new Error('a row cannot be repeated in its middle')
      to.row = to.rows.at(-1) ?? 'a colon in front announces another coding'
    },
  ],
]

/** CRC-16/XMODEM straight from its definition. */
export function crcBitByBit(text: string): number {
  let crc = 0
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return crc & 0xffff
}
