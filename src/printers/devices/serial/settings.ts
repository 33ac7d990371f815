import { decodePart } from '../../device.ts'
/** Settings in a serial device URI. */
export interface SerialSettings {
  /** `/dev/…`, or `COM3` on Windows. */
  readonly path: string
  /** Bits a second. */
  readonly baud: number
  readonly bits: 7 | 8
  readonly parity: 'none' | 'even' | 'odd'
  readonly stop: 1 | 2
  /** The flow control, by which the printer stops the computer's bytes: by XOFF, by its wire on our CTS, or not at all. */
  readonly flow: 'xonxoff' | 'rtscts' | 'none'
}

/** Rules for which paths are serial ports. */
export interface PortNames {
  readonly platform: NodeJS.Platform
  /** Folder of ports, `/dev`. */
  readonly devFolder: string
}

// LP2844 and its like leave the factory so: 9600 8N1, XON/XOFF and DTR both active (Zebra, article 53943024).
const DEFAULTS = { baud: 9_600, bits: 8, parity: 'none', stop: 1, flow: 'xonxoff' } as const

const SLOWEST = 300
const FASTEST = 4_000_000 // the highest rate that Linux has a constant for

const CHOICES = {
  bits: ['7', '8'],
  parity: ['none', 'even', 'odd'],
  stop: ['1', '2'],
  flow: ['xonxoff', 'rtscts', 'none'],
} as const

/**
 * Reads a serial device URI, e.g. `serial:/dev/serial/by-id/NAME?baud=9600&bits=8&parity=none&stop=1&flow=xonxoff`. Gives a
 * sentence that says what is wrong with it and what was wanted. `text` is the URI as written: `new URL()` removes dots.
 */
export function readSerialUri(
  uri: URL,
  names: PortNames,
  text: string = uri.href,
): SerialSettings | string {
  const path = decodePart(uri.pathname, '')
  return (
    findPathFault(uri, path, names, text) ??
    findOptionFault(uri.searchParams) ?? { path, ...readOptions(uri.searchParams) }
  )
}

/** Bits that one byte takes on the line: a start bit, the data, the parity and the stop bits. */
function countBits({ bits, parity, stop }: SerialSettings): number {
  return 1 + bits + (parity === 'none' ? 0 : 1) + stop
}

/** Tells how long `bytes` take on the line when nothing holds them up, in seconds. */
export function countSeconds(bytes: number, settings: SerialSettings): number {
  return (bytes * countBits(settings)) / settings.baud
}

function findPathFault(
  uri: URL,
  path: string,
  { platform, devFolder }: PortNames,
  text: string,
): string | undefined {
  const isCom = /^COM[1-9]\d{0,2}$/i.test(path)
  const isPlain = uri.host === '' && uri.hash === '' && !text.includes('/..')
  if (platform === 'win32') {
    return isCom && isPlain ? undefined : 'wanted a port of this computer, like serial:COM3'
  }
  if (isCom) {
    return `${path} is a port of Windows; wanted the path of one of this computer, like serial:/dev/ttyUSB0`
  }
  if (isPlain && path.startsWith(`${devFolder}/`) && !path.includes('\0')) return undefined
  return `wanted the path of a serial port below ${devFolder}, with one slash after the colon, like serial:/dev/ttyUSB0`
}

function findOptionFault(options: URLSearchParams): string | undefined {
  for (const [name, value] of options) {
    if (options.getAll(name).length > 1) return `${name} stands there twice`
    const fault = name === 'baud' ? findBaudFault(value) : findChoiceFault(name, value)
    if (fault !== undefined) return fault
  }
  return undefined
}

function findBaudFault(value: string): string | undefined {
  const isRate = /^\d{1,7}$/.test(value) && +value >= SLOWEST && +value <= FASTEST
  if (isRate) return undefined
  return `baud: got ${quote(value)}, wanted a whole number from ${SLOWEST} to ${FASTEST}, mostly 9600`
}

function findChoiceFault(name: string, value: string): string | undefined {
  if (!isChoice(name)) {
    return `${quote(name)} is not a setting of a serial port; there are baud, ${Object.keys(CHOICES).join(', ')}`
  }
  const wanted: readonly string[] = CHOICES[name]
  if (wanted.includes(value)) return undefined
  return `${name}: got ${quote(value)}, wanted ${wanted.join(' or ')}`
}

function isChoice(name: string): name is keyof typeof CHOICES {
  return Object.hasOwn(CHOICES, name)
}

/** Only for options without a fault. */
function readOptions(options: URLSearchParams): Omit<SerialSettings, 'path'> {
  const parity = options.get('parity')
  const flow = options.get('flow')
  return {
    baud: Number(options.get('baud') ?? DEFAULTS.baud),
    bits: options.get('bits') === '7' ? 7 : DEFAULTS.bits,
    parity: parity === 'even' || parity === 'odd' ? parity : DEFAULTS.parity,
    stop: options.get('stop') === '2' ? 2 : DEFAULTS.stop,
    flow: flow === 'rtscts' || flow === 'none' ? flow : DEFAULTS.flow,
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}
