/** A printer of the Windows spooler. */
export interface SpoolPrinter {
  readonly name: string
  /** `USB001`, `COM3:`, an address, `FILE:` … */
  readonly port: string
  /** `ZDesigner GK420d` */
  readonly driver: string
}

const POINTER = 8 // bytes; Node 24 runs on 64-bit Windows only
/** PRINTER_INFO_2W, and PRINTER_INFO_4W with its padding; where in them is the text of each field. */
const LAYOUTS = {
  2: { size: 13 * POINTER + 8 * 4, name: 1, port: 3, driver: 4 },
  4: { size: 3 * POINTER, name: 0, port: undefined, driver: undefined },
} as const
const LONGEST = 1_024 // characters of a name

/** Decodes what EnumPrintersW put into `bytes`, which lie at the address `base`. */
export function readPrinters(
  bytes: Uint8Array,
  base: bigint,
  count: number,
  level: 2 | 4 = 2,
): readonly SpoolPrinter[] {
  const { size, ...fields } = LAYOUTS[level]
  const most = Math.min(count, Math.floor(bytes.length / size))
  return Array.from({ length: most }, (_, index) => {
    const read = (field: number | undefined) =>
      field === undefined ? '' : readText(bytes, base, index * size + field * POINTER)
    return { name: read(fields.name), port: read(fields.port), driver: read(fields.driver) }
  })
}

/** The status bits in what GetJobW at level 1 gave: JOB_INFO_1W has a number, six pointers and then these. */
export function readJobStatus(bytes: Uint8Array): number {
  return view(bytes).getUint32(7 * POINTER, true)
}

/** The text that a pointer at `offset` points to; '' for none, or when it points elsewhere. */
function readText(bytes: Uint8Array, base: bigint, offset: number): string {
  const start = Number(view(bytes).getBigUint64(offset, true) - base)
  let text = ''
  for (let at = start; at >= 0 && at + 1 < bytes.length && text.length < LONGEST; at += 2) {
    const unit = view(bytes).getUint16(at, true)
    if (unit === 0) break
    text += String.fromCharCode(unit)
  }
  return text
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
