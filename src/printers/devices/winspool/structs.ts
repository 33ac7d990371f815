/** A printer of the Windows spooler. */
export interface SpoolPrinter {
  readonly name: string
  /** `USB001`, `COM3:`, an address, `FILE:` … */
  readonly port: string
  /** `ZDesigner GK420d` */
  readonly driver: string
}

const POINTER = 8 // bytes; Node 24 runs on 64-bit Windows only
const PRINTER_SIZE = 13 * POINTER + 8 * 4 // PRINTER_INFO_2W
const LONGEST = 1_024 // characters of a name

/** Decodes what EnumPrintersW at level 2 put into `bytes`, which lie at the address `base`. */
export function readPrinters(
  bytes: Uint8Array,
  base: bigint,
  count: number,
): readonly SpoolPrinter[] {
  const most = Math.min(count, Math.floor(bytes.length / PRINTER_SIZE))
  return Array.from({ length: most }, (_, index) => {
    const read = (field: number) => readText(bytes, base, index * PRINTER_SIZE + field * POINTER)
    return { name: read(1), port: read(3), driver: read(4) }
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
