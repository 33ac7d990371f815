/** Fields of a printer's IEEE 1284 device ID. A text that it leaves out or blank is ''. */
export interface DeviceId {
  /** The whole id, without its length bytes and without blanks at its ends. */
  readonly text: string
  readonly manufacturer: string
  readonly model: string
  readonly description: string
  /** The command set as a list, e.g. `['EPL', 'ZPL']`; empty when it is blank or `None`. */
  readonly commands: readonly string[]
}

/** The long and odd spellings of a key (CUPS, cups/ieee1284.c, and ids of real printers). */
const SHORT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    MANUFACTURER: 'MFG',
    MANU: 'MFG',
    MODEL: 'MDL',
    'COMMAND SET': 'CMD',
    DESCRIPTION: 'DES',
  }),
)

const SHORTEST = 14 // length bytes and the shortest id with a maker and a model (CUPS, backend/ieee1284.c)
const LONGEST = 4096 // characters; a real one has some 100
const ENDING = 2

/**
 * Reads an IEEE 1284 device id: the answer to the USB request GET_DEVICE_ID with its two length bytes, or its text, as
 * Linux shows it in `ieee1284_id`. Undefined when there is none in it. Forgiving, as printers are careless: a length in
 * the wrong byte order or off by two, no `;` at the end, a last field that was cut off, other names for keys.
 */
export function parseDeviceId(id: Uint8Array | string): DeviceId | undefined {
  const text = (typeof id === 'string' ? id : decode(cutLength(id))).replace(/\0.*$/s, '')
  const plain = text.slice(0, LONGEST).replace(/\s+/g, ' ').trim()
  if (hasControl(plain)) return undefined
  const fields = splitFields(plain)
  if (fields.size === 0) return undefined
  return {
    text: plain,
    manufacturer: fields.get('MFG') ?? '',
    model: fields.get('MDL') ?? '',
    description: fields.get('DES') ?? '',
    commands: readList(fields.get('CMD') ?? ''),
  }
}

/** For people, e.g. `Zebra LP2844`; '' when the id names neither maker nor model. */
export function nameMakeAndModel({ manufacturer, model, description }: DeviceId): string {
  const what = model === '' ? description : model
  const repeatsMaker = what.toLowerCase().startsWith(manufacturer.toLowerCase())
  return repeatsMaker ? what : `${manufacturer} ${what}`.trim()
}

/**
 * The id behind its length, which counts itself and is big-endian (USB printer class 1.1, 4.2.1). Some printers write
 * it little-endian, some do not count its own two bytes (Linux' printer gadget), some leave it out.
 */
function cutLength(answer: Uint8Array): Uint8Array {
  const [high = 0, low = 0] = answer
  const big = high * 256 + low
  const little = low * 256 + high
  const length = [big, little].find((each) => each >= SHORTEST && each <= answer.length)
  if (length === undefined) return isLetter(high) && isLetter(low) ? answer : answer.subarray(2)
  const forgotItself = answer.length === length + ENDING
  return answer.subarray(2, forgotItself ? answer.length : length)
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}

/** UTF-8 where it is, else one character a byte. */
function decode(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8')
  return text.includes('\ufffd') ? Buffer.from(bytes).toString('latin1') : text
}

/** An id with control characters is noise, as CUPS holds it: better none than a wrong one. */
function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}

function splitFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  // DYMO puts its serial number behind a bar, in the field before it.
  for (const part of text.replace(/\|(?=SERN:)/gi, ';').split(';')) {
    const colon = part.indexOf(':')
    if (colon < 1) continue // nothing, or a key that was cut off
    const key = part.slice(0, colon).trim().toUpperCase()
    const value = part.slice(colon + 1).trim()
    const short = SHORT.get(key) ?? key
    if (key !== '' && value !== '' && !fields.has(short)) fields.set(short, value)
  }
  return fields
}

function readList(value: string): readonly string[] {
  const items = value.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '' && item.toLowerCase() !== 'none')
}
