import { createHash } from 'node:crypto'
import { makeTarget } from '../../jobs/drawing/target.ts'
import type { KnownPrinter } from '../../printers/printer.ts'
import type { LabelSize } from './media.ts'

/** A printer as print dialogs see it. */
export interface SharedPrinter {
  readonly printer: KnownPrinter
  /** `/ipp/print/bench-1`: lower case and ASCII, because Windows asks in lower case whatever it was told. */
  readonly path: string
  readonly uuid: string
  /** Under which the network hears of it: two boxes may have a printer of one name. */
  readonly dnsSdName: string
  readonly size: LabelSize
  readonly dpi: number
}

export const ROOT = '/ipp/print'

/** Raw labels in each language, by the names that LPrint gave them. */
export const RAW_FORMATS: Readonly<Record<string, string>> = {
  zpl: 'application/vnd.zebra-zpl',
  epl: 'application/vnd.eltron-epl',
  tspl: 'application/vnd.tsc-tspl',
}

/** The box that shares its printers. */
export interface Sharer {
  /** The box's own: its printers' UUIDs stay while it does. */
  readonly secret: Uint8Array
  /** What people call it, without `.local`. */
  readonly hostName: string
}

/** The printers that pictures can be drawn for. */
export function listShared(
  printers: readonly KnownPrinter[],
  { secret, hostName }: Sharer,
): readonly SharedPrinter[] {
  const paths = new Set<string>()
  return printers.flatMap((printer) => {
    const { language, labelWidth, labelHeight, dpi } = makeTarget(printer, {})
    if (language === undefined) return []
    const path = findFree(`${ROOT}/${slugOf(printer.name)}`, paths)
    paths.add(path)
    const size = { width: labelWidth, height: labelHeight }
    const dnsSdName = nameService(printer.name, hostName)
    return [{ printer, path, uuid: uuidOf(secret, printer.name), dnsSdName, size, dpi }]
  })
}

const NAME_BYTES = 63 // of a label of DNS (RFC 6763, 4.1.1)

/** `Bench 1 (printserver-1a2b)`, without dots, which stand between names. */
function nameService(printer: string, hostName: string): string {
  const end = ` (${hostName.split('.')[0]})`
  let start = printer.replaceAll('.', '-')
  while (start !== '' && Buffer.byteLength(start + end) > NAME_BYTES) {
    start = [...start].slice(0, -1).join('')
  }
  return start + end
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'printer'
}

function findFree(path: string, taken: ReadonlySet<string>): string {
  let free = path
  for (let n = 2; taken.has(free); n++) free = `${path}-${n}`
  return free
}

/** A UUID of version 8, ours to fill (RFC 9562, 5.8). */
function uuidOf(secret: Uint8Array, name: string): string {
  const hash = createHash('sha256').update(secret).update(`ipp printer\0${name}`).digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x80
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([a, b]) => hex.slice(a, b))
    .join('-')
}
