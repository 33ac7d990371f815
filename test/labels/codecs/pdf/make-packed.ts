import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { drawText, LABEL } from './make-pdf.ts'

/** An object of a PDF: its text, or a dictionary without its ends and the data of a stream. */
export type Part = string | { readonly dict: string; readonly data: Buffer }

/** The notation of a file, beside its content. */
export interface Writing {
  /** Added to the length of each stream. */
  readonly lengthOff?: number
  /** Added to each place of the table. */
  readonly placesOff?: number
  readonly tail?: string
  readonly endobj?: string
}

/** A PDF of these objects, the first of which is its catalog, as binary programs write it. */
export function writePdf(parts: readonly Part[], writing: Writing = {}): Buffer {
  const { lengthOff = 0, placesOff = 0, tail = '', endobj = 'endobj\n' } = writing
  const pieces: Buffer[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  let at = pieces[0]?.length ?? 0
  const push = (piece: Buffer): void => {
    pieces.push(piece)
    at += piece.length
  }
  const places = parts.map((part, n) => {
    const place = at + placesOff
    push(Buffer.from(`${n + 1} 0 obj\n`))
    if (typeof part === 'string') push(Buffer.from(`${part}\n`))
    else {
      push(Buffer.from(`<< ${part.dict} /Length ${part.data.length + lengthOff} >>\nstream\n`))
      push(part.data)
      push(Buffer.from('\nendstream\n'))
    }
    push(Buffer.from(endobj))
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = parts.length + 1
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at + placesOff}\n%%EOF\n${tail}`
  return Buffer.concat([...pieces, Buffer.from(end)])
}

/** A page of a label: what it draws, and the objects from 6 on that its resources name. */
export function packLabel(
  content: Part,
  resources = '',
  others: readonly Part[] = [],
): readonly Part[] {
  return [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${LABEL.width} ${LABEL.height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> >>`,
    content,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...others,
  ]
}

export function flate(data: Uint8Array | string, dict = ''): Part & object {
  return { dict: `${dict} /Filter /FlateDecode`, data: deflateSync(data) }
}

/** Letters and bars that fill a label. */
export const LETTERS = [
  drawText('Jane Doe, 12 Main Street', 30, 380, 14),
  drawText('Springfield IL 62704', 30, 360, 14),
  ...Array.from({ length: 60 }, (_, n) => `${30 + n * 3.7} 150 ${1 + (n % 3)} 120 re f`),
  ...Array.from({ length: 12 }, (_, n) =>
    drawText(`Line ${n} ${(n * 7919) % 997}`, 30, 130 - n * 10, 8),
  ),
].join('\n')

const [WIDTH, HEIGHT] = [406, 609]

/** A picture of a label: one byte, or one bit a pixel. */
async function drawPicture(): Promise<Buffer> {
  const bars = Array.from(
    { length: 50 },
    (_, n) =>
      `<rect x="${40 + n * 6}" y="${100 + (n % 5) * 8}" width="${2 + (n % 3)}" height="${300 + n * 3}"/>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect x="20" y="20" width="360" height="40"/><rect x="20" y="540" width="360" height="50"/>${bars.join('')}</svg>`
  return await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).grayscale().raw().toBuffer()
}

const GRAY = await drawPicture()
const BITS = packBits(GRAY)
const SIZE = `/Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} /ColorSpace /DeviceGray`
const PLACE = `q ${LABEL.width} 0 0 ${LABEL.height} 0 0 cm /I Do Q`

function packBits(gray: Buffer): Buffer {
  const stride = Math.ceil(WIDTH / 8)
  const bits = Buffer.alloc(stride * HEIGHT)
  for (const [n, luma] of gray.entries()) {
    const at = Math.floor(n / WIDTH) * stride + ((n % WIDTH) >> 3)
    if (luma > 127) bits[at] = (bits[at] as number) | (0x80 >> ((n % WIDTH) & 7))
  }
  return bits
}

function pngRows(data: Buffer, stride: number): Buffer {
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const row = data.subarray(y * stride, (y + 1) * stride)
    const above = y === 0 ? Buffer.alloc(stride) : data.subarray((y - 1) * stride, y * stride)
    return Buffer.from([2, ...row.map((byte, n) => byte - (above[n] as number))])
  })
  return Buffer.concat(rows)
}

function runs(data: Buffer): Buffer {
  const pieces: number[] = []
  for (let at = 0; at < data.length; ) {
    let count = 1
    while (count < 128 && data[at + count] === data[at] && at + count < data.length) count++
    if (count > 1) pieces.push(257 - count, data[at] as number)
    else pieces.push(0, data[at] as number)
    at += count
  }
  return Buffer.from([...pieces, 128])
}

/** LZW with codes of nine bits: it begins anew before they would become longer. */
function lzw(data: Buffer): Buffer {
  let bits = ''
  for (const [n, byte] of data.entries()) {
    if (n % 200 === 0) bits += (256).toString(2).padStart(9, '0')
    bits += byte.toString(2).padStart(9, '0')
  }
  bits += (257).toString(2).padStart(9, '0')
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

function base85(data: Buffer): Buffer {
  const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)])
  const groups = Array.from({ length: padded.length / 4 }, (_, n) => {
    let value = padded.readUInt32BE(4 * n)
    const letters: string[] = []
    for (let m = 0; m < 5; m++) {
      letters.unshift(String.fromCharCode(33 + (value % 85)))
      value = Math.floor(value / 85)
    }
    return letters.join('')
  })
  return Buffer.from(`${groups.join('')}~>`)
}

const picture = (dict: string, data: Buffer): readonly Part[] =>
  packLabel(flate(PLACE), '/XObject << /I 6 0 R >>', [{ dict: `${SIZE} ${dict}`, data }])
const BIT = '/BitsPerComponent 1'
const BYTE = '/BitsPerComponent 8'

const JPEG = await sharp(GRAY, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
  .jpeg({ quality: 80 })
  .toBuffer()
const PROGRESSIVE = await sharp(GRAY, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
  .jpeg({ quality: 80, progressive: true })
  .toBuffer()

/** Labels of which one stream is packed in each of the ways; the number of that object. */
export const PACKED: Readonly<Record<string, { parts: readonly Part[]; number: number }>> = {
  'content in Flate': { parts: packLabel(flate(LETTERS)), number: 4 },
  'a form in Flate': {
    parts: packLabel(flate('q /X Do Q'), '/XObject << /X 6 0 R >>', [
      flate(
        LETTERS,
        `/Type /XObject /Subtype /Form /BBox [0 0 288 432] /Resources << /Font << /F1 5 0 R >> >>`,
      ),
    ]),
    number: 6,
  },
  'a picture in Flate': {
    parts: picture(`${BIT} /Filter /FlateDecode`, deflateSync(BITS)),
    number: 6,
  },
  'a picture in Flate with a predictor': {
    parts: picture(
      `${BYTE} /Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns ${WIDTH} >>`,
      deflateSync(pngRows(GRAY, WIDTH)),
    ),
    number: 6,
  },
  'a JPEG': { parts: picture(`${BYTE} /Filter /DCTDecode`, JPEG), number: 6 },
  'a progressive JPEG': { parts: picture(`${BYTE} /Filter /DCTDecode`, PROGRESSIVE), number: 6 },
  'runs of bytes': { parts: picture(`${BIT} /Filter /RunLengthDecode`, runs(BITS)), number: 6 },
  LZW: { parts: picture(`${BIT} /Filter /LZWDecode`, lzw(BITS)), number: 6 },
  'base 85 of Flate': {
    parts: picture(`${BIT} /Filter [/ASCII85Decode /FlateDecode]`, base85(deflateSync(BITS))),
    number: 6,
  },
  'digits of Flate': {
    parts: picture(
      `${BIT} /Filter [/ASCIIHexDecode /FlateDecode]`,
      Buffer.from(`${deflateSync(BITS).toString('hex')}>`),
    ),
    number: 6,
  },
  'a picture as it is': { parts: picture(BIT, BITS), number: 6 },
  'a picture within the content': {
    parts: packLabel({
      dict: '',
      data: Buffer.concat([
        Buffer.from(`q 288 0 0 432 0 0 cm BI /W ${WIDTH} /H ${HEIGHT} /BPC 1 /CS /G /F /Fl ID `),
        deflateSync(BITS),
        Buffer.from('\nEI Q'),
      ]),
    }),
    number: 4,
  },
}
