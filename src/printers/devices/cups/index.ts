import type { Connection, Device } from '../../device.ts'
import { decodePart, OneJobEach } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { findNearest } from '../../places.ts'
import { quote } from '../../quote.ts'
import { type SpoolerAddress, SpoolerLine } from './ipp-client.ts'
import {
  type CupsQueue,
  explainRejecting,
  makeQueuePath,
  presentQueue,
  readQueue,
  readQueues,
  writeCommand,
} from './queue.ts'

/** Addresses of cupsd, in the order tried: Debian and Fedora, older systems, macOS, and any of them without a socket. */
const ADDRESSES: readonly SpoolerAddress[] = [
  { socketPath: '/run/cups/cups.sock' },
  { socketPath: '/var/run/cups/cups.sock' },
  { socketPath: '/private/var/run/cupsd' },
  { host: 'localhost', port: 631 },
]

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/i
const PATH = /^\/(printers|classes)\/([^/]+)$/

/**
 * Queues of CUPS, the print spooler of Linux desktops and macOS, through its own protocol. Labels pass it unchanged.
 * `leadsBack`: whether a queue's device URI leads to this print server, which would print to itself without end.
 */
export function createCupsDevice(
  addresses: readonly SpoolerAddress[] = process.platform === 'win32' ? [] : ADDRESSES,
  leadsBack: (deviceUri: string) => boolean = () => false,
): Device<'ipp'> {
  const jobs = new OneJobEach()
  return {
    scheme: 'ipp',
    findsQueues: true,
    example: 'ipp://localhost/printers/Zebra',
    about:
      'A print queue of this computer (CUPS, on Linux and macOS), with the name of the queue at the end.',
    check,
    // Only the queue's state: a question to the printer would be a job.
    asking: { isTwoWay: false, idleSeconds: 30 },
    explainPaused: (uri) => ({
      words: `Let the queue go on: ${writeCommand('cupsenable', readPath(uri).name)}press "Resume" in the printer settings of this computer.`,
    }),
    async list(signal) {
      try {
        const { line, value } = await reach(addresses, (line) => readQueues(line, signal), signal)
        line.close()
        return value.filter(({ deviceUri }) => !leadsBack(deviceUri)).map(presentQueue)
      } catch (error) {
        if (error instanceof PrinterFault) return [] // no CUPS here, or it does not answer: it has nothing to show
        throw error
      }
    },
    async open(uri, signal): Promise<Connection> {
      const { path, name } = readPath(uri)
      const key = path.toLowerCase() // CUPS does not tell upper from lower case
      return await jobs.open(key, `The CUPS queue ${quote(name)}`, async (release) => {
        const { line, address, value } = await reach(
          addresses,
          (line) => readQueue(line, path, signal),
          signal,
        )
        if (value !== undefined && leadsBack(value.deviceUri)) throw refuseLoop(line, name)
        await refuseUnfit(value, name, line, signal)
        const { CupsConnection } = await import('./connection.ts') // only who prints there pays for it
        return new CupsConnection({ address, path, name: quote(name) }, line, release)
      })
    },
  }
}

function check(uri: URL): string | undefined {
  if (!LOCAL.test(uri.hostname)) {
    return 'only queues of this computer can be used, wanted ipp://localhost/printers/NAME; a printer on the network is socket://host:9100'
  }
  if (uri.port !== '' && uri.port !== '631') return 'wanted no port'
  if (!PATH.test(uri.pathname) || uri.username + uri.password + uri.search + uri.hash !== '') {
    return 'wanted the name of a queue, ipp://localhost/printers/NAME'
  }
  return undefined
}

function readPath(uri: URL): { readonly path: string; readonly name: string } {
  const [, kind, text = ''] = PATH.exec(uri.pathname) ?? []
  const name = decodePart(text)
  return { name, path: makeQueuePath(name, kind === 'classes') }
}

interface SpoolerReply<T> {
  readonly line: SpoolerLine
  readonly address: SpoolerAddress
  readonly value: T
}

/**
 * Asks at the addresses in turn until one answers.
 * @throws PrinterFault PRINTER_OFFLINE when none does; it tells of the last one
 */
async function reach<T>(
  addresses: readonly SpoolerAddress[],
  ask: (line: SpoolerLine) => Promise<T>,
  signal: AbortSignal,
): Promise<SpoolerReply<T>> {
  let fault = new PrinterFault('PRINTER_OFFLINE', 'This computer has no CUPS print spooler.')
  for (const address of addresses) {
    if (signal.aborted) break
    const line = new SpoolerLine(address)
    try {
      return { line, address, value: await ask(line) }
    } catch (error) {
      line.close()
      if (!(error instanceof PrinterFault)) throw error
      fault = error
    }
  }
  if (!signal.aborted) throw fault
  throw new PrinterFault('PRINTER_OFFLINE', 'The call to CUPS was given up.', {
    cause: signal.reason,
  })
}

function refuseLoop(line: SpoolerLine, name: string): PrinterFault {
  line.close()
  const message = `The CUPS queue ${quote(name)} prints on this print server.`
  return new PrinterFault('PRINTER_OFFLINE', message, {
    advice: 'chooseItself',
  })
}

const MOST_NAMES = 10 // of a message that people read

function listNames(names: readonly string[]): string {
  const others = names.length - MOST_NAMES
  const shown = names.slice(0, MOST_NAMES).map(quote).join(', ')
  return others > 0 ? `${shown} and ${others} others` : shown
}

/** Before a byte leaves: is there such a queue, and does it take labels? */
async function refuseUnfit(
  queue: CupsQueue | undefined,
  name: string,
  line: SpoolerLine,
  signal: AbortSignal,
): Promise<void> {
  if (queue?.isAccepting) return
  try {
    if (queue !== undefined) {
      throw new PrinterFault('PRINTER_OFFLINE', explainRejecting(name), {
        advice: 'acceptAgain',
      })
    }
    const names = (await readQueues(line, signal)).map((each) => each.name)
    const nearest = findNearest(name, names)
    const guess = nearest === undefined ? '' : ` Did you mean ${quote(nearest)}?`
    const known = names.length === 0 ? 'it has none' : `it has ${listNames(names)}`
    const message = `CUPS has no queue ${quote(name)}; ${known}.${guess}`
    throw new PrinterFault('PRINTER_OFFLINE', message, {
      advice: 'correctQueue',
    })
  } catch (error) {
    line.close()
    throw error
  }
}
