// What an emulated printer tells FunctionFS of itself (linux/usb/functionfs.h), and what FunctionFS tells it.

const PRINTER_CLASS = 7
const PRINTER_SUBCLASS = 1
const DESCRIPTORS_MAGIC_V2 = 3
const STRINGS_MAGIC = 2
const HAS_FULL_AND_HIGH_SPEED = 1 | 2

/** Describes one printer interface with a bulk pipe each way, at full and at high speed. */
export function describePrinter(protocol: 1 | 2): Buffer {
  const endpoints = protocol === 2 ? [0x01, 0x82] : [0x01]
  const describe = (packetBytes: number) => [
    9,
    4,
    0,
    0,
    endpoints.length,
    PRINTER_CLASS,
    PRINTER_SUBCLASS,
    protocol,
    1,
    ...endpoints.flatMap((address) => [7, 5, address, 2, packetBytes & 255, packetBytes >> 8, 0]),
  ]
  const descriptors = Buffer.from([...describe(64), ...describe(512)])
  const count = 1 + endpoints.length
  return Buffer.concat([
    words(DESCRIPTORS_MAGIC_V2, 20 + descriptors.length, HAS_FULL_AND_HIGH_SPEED, count, count),
    descriptors,
  ])
}

/** The interface's name, in English. */
export function describeStrings(): Buffer {
  const text = Buffer.from('Printer\0')
  return Buffer.concat([words(STRINGS_MAGIC, 18 + text.length, 1, 1), Buffer.of(9, 4), text])
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}

/** Bytes of an event on endpoint 0. */
export const EVENT_BYTES = 12

const EVENTS = ['bind', 'unbind', 'enable', 'disable', 'setup', 'suspend', 'resume'] as const

/** An event on endpoint 0; for `setup` with the request. */
export interface ControlEvent {
  readonly type: (typeof EVENTS)[number] | undefined
  readonly isIn: boolean
  readonly isClass: boolean
  readonly request: number
  readonly length: number
}

/** Reads an event of FunctionFS: the 8 bytes of a control request, then the event's number. */
export function readEvent(bytes: Buffer): ControlEvent {
  const requestType = bytes.readUInt8(0)
  return {
    type: EVENTS[bytes.readUInt8(8)],
    isIn: (requestType & 0x80) !== 0,
    isClass: (requestType & 0x60) === 0x20,
    request: bytes.readUInt8(1),
    length: bytes.readUInt16LE(6),
  }
}
