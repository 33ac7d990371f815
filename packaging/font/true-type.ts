/** A point of an outline in font units, y upwards. */
export interface OutlinePoint {
  readonly x: number
  readonly y: number
  /** False: a control point of a quadratic curve. */
  readonly isOn: boolean
}

export interface Outline {
  readonly advance: number
  readonly contours: readonly (readonly OutlinePoint[])[]
}

/** The outlines of a font file. */
export interface TrueType {
  readonly unitsPerEm: number
  has(codePoint: number): boolean
  glyph(codePoint: number): Outline
}

/** Reads a TrueType file with a character map of format 4 (OpenType 1.9: cmap, glyf, hmtx, loca). */
export function readTrueType(file: Buffer): TrueType {
  const tables = new Map<string, Buffer>()
  for (let n = 0; n < file.readUInt16BE(4); n++) {
    const at = 12 + n * 16
    const from = file.readUInt32BE(at + 8)
    tables.set(
      file.toString('latin1', at, at + 4),
      file.subarray(from, from + file.readUInt32BE(at + 12)),
    )
  }
  const table = (name: string): Buffer => {
    const found = tables.get(name)
    if (found === undefined) throw new Error(`the font has no ${name}`)
    return found
  }
  const map = readCharacterMap(table('cmap'))
  const metrics = table('hhea').readUInt16BE(34)
  const hmtx = table('hmtx')
  const isLong = table('head').readUInt16BE(50) === 1
  const loca = table('loca')
  const offset = (id: number) =>
    isLong ? loca.readUInt32BE(id * 4) : loca.readUInt16BE(id * 2) * 2
  const shape = (id: number) => table('glyf').subarray(offset(id), offset(id + 1))
  return {
    unitsPerEm: table('head').readUInt16BE(18),
    has: (codePoint) => map.has(codePoint),
    glyph(codePoint) {
      const id = map.get(codePoint) ?? 0
      const advance = hmtx.readUInt16BE(Math.min(id, metrics - 1) * 4)
      return { advance, contours: readShape(shape, id) }
    },
  }
}

function readCharacterMap(cmap: Buffer): Map<number, number> {
  const map = new Map<number, number>()
  for (let n = 0; n < cmap.readUInt16BE(2); n++) {
    const part = cmap.subarray(cmap.readUInt32BE(4 + n * 8 + 4))
    if (part.readUInt16BE(0) !== 4) continue
    const twice = part.readUInt16BE(6)
    for (let segment = 0; segment < twice; segment += 2) readSegment(map, part, twice, segment)
  }
  return map
}

function readSegment(map: Map<number, number>, part: Buffer, twice: number, segment: number): void {
  const [end, start] = [part.readUInt16BE(14 + segment), part.readUInt16BE(16 + twice + segment)]
  const delta = part.readInt16BE(16 + 2 * twice + segment)
  const rangeAt = 16 + 3 * twice + segment
  const range = part.readUInt16BE(rangeAt)
  for (let point = start; point <= end && point < 0xffff; point++) {
    const id = range === 0 ? point : part.readUInt16BE(rangeAt + range + (point - start) * 2)
    if (id !== 0) map.set(point, (id + delta) & 0xffff)
  }
}

function readShape(shape: (id: number) => Buffer, id: number): OutlinePoint[][] {
  const data = shape(id)
  if (data.length === 0) return []
  const count = data.readInt16BE(0)
  return count < 0 ? readComposite(shape, data) : readSimple(data, count)
}

function readSimple(data: Buffer, count: number): OutlinePoint[][] {
  const ends = Array.from({ length: count }, (_, n) => data.readUInt16BE(10 + n * 2))
  const total = (ends.at(-1) ?? -1) + 1
  let at = 10 + count * 2 + 2 + data.readUInt16BE(10 + count * 2)
  const flags: number[] = []
  while (flags.length < total) {
    const flag = data.readUInt8(at++)
    const repeats = flag & 8 ? data.readUInt8(at++) : 0
    for (let n = 0; n <= repeats; n++) flags.push(flag)
  }
  const axis = (short: number, same: number) => {
    let value = 0
    return flags.map((flag) => {
      if (flag & short) {
        const step = data.readUInt8(at++)
        value += flag & same ? step : -step
      } else if (!(flag & same)) {
        value += data.readInt16BE(at)
        at += 2
      }
      return value
    })
  }
  const xs = axis(2, 16)
  const ys = axis(4, 32)
  return ends.map((end, n) => {
    const first = n === 0 ? 0 : (ends[n - 1] ?? 0) + 1
    return Array.from({ length: end - first + 1 }, (_, index) => {
      const point = first + index
      return { x: xs[point] ?? 0, y: ys[point] ?? 0, isOn: ((flags[point] ?? 0) & 1) === 1 }
    })
  })
}

/** Parts are moved only: the fonts in use scale and turn none. */
function readComposite(shape: (id: number) => Buffer, data: Buffer): OutlinePoint[][] {
  const contours: OutlinePoint[][] = []
  for (let at = 10, flags = 32; flags & 32; ) {
    flags = data.readUInt16BE(at)
    const id = data.readUInt16BE(at + 2)
    if (!(flags & 2) || flags & 0b11001000) throw new Error(`part ${id} is more than moved`)
    const [dx, dy] =
      flags & 1
        ? [data.readInt16BE(at + 4), data.readInt16BE(at + 6)]
        : [data.readInt8(at + 4), data.readInt8(at + 5)]
    at += flags & 1 ? 8 : 6
    for (const contour of readShape(shape, id)) {
      contours.push(contour.map((point) => ({ ...point, x: point.x + dx, y: point.y + dy })))
    }
  }
  return contours
}
