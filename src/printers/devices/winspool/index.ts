import type { Connection, Device, FoundPrinter } from '../../device.ts'
import { decodePart, OneJobEach } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { orAborted, SpoolConnection } from './connection.ts'
import {
  explainSpooler,
  type Handle,
  loadSpooler,
  type Out,
  readPrinters,
  type Spooler,
  type SpoolPrinter,
} from './spooler.ts'

const LOCAL = 0x2 // PRINTER_ENUM_LOCAL
const CONNECTED = 0x4 // PRINTER_ENUM_CONNECTIONS
const LARGEST_LIST = 4_000_000 // bytes of an answer that are believed
const LONGEST_NAME = 220 // characters that Windows allows

/** Dependencies of the device; all that is left out is as this computer has it. */
export interface WinspoolGround {
  readonly platform?: NodeJS.Platform
  readonly loadSpooler?: () => Promise<Spooler>
}

/** Printers installed in Windows, reached through its own spooler in RAW mode. Elsewhere it lists nothing. */
export function createWinspoolDevice(ground: WinspoolGround = {}): Device<'winspool'> {
  const { platform = process.platform } = ground
  const isWindows = platform === 'win32'
  const jobs = new OneJobEach()
  let loading: Promise<Spooler> | undefined // its types can be defined only once
  let listing: Promise<readonly SpoolPrinter[]> | undefined
  const load = () => {
    loading ??= (ground.loadSpooler ?? loadSpooler)()
    return loading
  }
  return {
    scheme: 'winspool',
    example: 'winspool:ZDesigner%20GK420d',
    about: 'A printer installed in Windows, by its name there; write spaces as %20.',
    check: (uri) => checkName(uri, isWindows),
    explainPaused: () => ({ advice: 'resumeWindows' }),
    async list(signal): Promise<readonly FoundPrinter[]> {
      if (!isWindows || signal.aborted) return []
      // A system without its spooler library shows no printers, which is not a failure of a list.
      const spooler = await load().catch(() => undefined)
      if (spooler === undefined) return []
      // One list at a time, and the next looks get the same: a spooler that hangs is not asked again and again.
      listing ??= listPrinters(spooler).finally(() => {
        listing = undefined
      })
      const printers = await orAborted(listing, signal).catch(() => [])
      return printers.map(describePrinter)
    },
    async open(uri, signal): Promise<Connection> {
      const fault = checkName(uri, isWindows)
      if (fault !== undefined) throw new PrinterFault('PRINTER_OFFLINE', `${uri.href}: ${fault}.`)
      const name = decodePart(uri.pathname, '')
      return await jobs.open(name, name, async (release) => {
        try {
          signal.throwIfAborted()
          const spooler = await load()
          const opening = openPrinter(spooler, name)
          const handle = await orAborted(opening, signal).catch((error: unknown) => {
            // It may still be opened later.
            opening.then((late) => spooler.call('ClosePrinter', late)).catch(() => undefined)
            throw error
          })
          return new SpoolConnection(spooler.call, name, handle, release)
        } catch (error) {
          if (error instanceof PrinterFault) throw error
          const message = `The printer ${name} of Windows was not opened.`
          const cause = signal.aborted ? signal.reason : error
          throw new PrinterFault('PRINTER_OFFLINE', message, { cause })
        }
      })
    },
  }
}

function checkName(uri: URL, isWindows: boolean): string | undefined {
  if (!isWindows) {
    return 'printers of this kind are those of Windows, and this computer runs another system'
  }
  const name = decodePart(uri.pathname, '')
  const isPlain = uri.host === '' && uri.search + uri.hash === ''
  if (isPlain && name !== '' && name.length <= LONGEST_NAME && !name.includes('\0'))
    return undefined
  return 'wanted winspool:NAME, the name that Windows shows, with %20 for blanks and %5C for \\'
}

async function openPrinter({ call }: Spooler, name: string): Promise<Handle> {
  const handle: Out<Handle> = [null]
  const { value, error } = await call('OpenPrinterW', name, handle, null)
  if (value !== 0) return handle[0]
  throw explainSpooler(error, name)
}

/**
 * Local printers with their drivers; connected ones by name alone, because for the rest Windows asks each one's own computer, and
 * waits for those that are off (Microsoft, "PRINTER_INFO_4").
 */
async function listPrinters(spooler: Spooler): Promise<readonly SpoolPrinter[]> {
  const local = await listAt(spooler, LOCAL, 2)
  const connected = await listAt(spooler, CONNECTED, 4)
  const known = new Set(local.map(({ name }) => name))
  return [...local, ...connected.filter(({ name }) => !known.has(name))]
}

async function listAt(
  { call, addressOf }: Spooler,
  flags: number,
  level: 2 | 4,
): Promise<readonly SpoolPrinter[]> {
  const needed: Out<number> = [0]
  const count: Out<number> = [0]
  await call('EnumPrintersW', flags, null, level, null, 0, needed, count)
  if (needed[0] === 0 || needed[0] > LARGEST_LIST) return []
  const bytes = new Uint8Array(needed[0])
  const into = [bytes, bytes.length, needed, count] as const
  // A printer that was added in between makes the answer too long: the next look sees it.
  const { value } = await call('EnumPrintersW', flags, null, level, ...into)
  return value === 0 ? [] : readPrinters(bytes, addressOf(bytes), count[0], level)
}

function describePrinter({ name, driver }: SpoolPrinter): FoundPrinter {
  return {
    uri: `winspool:${encodeURIComponent(name.toWellFormed())}`,
    name,
    makeAndModel: driver || name,
  }
}
