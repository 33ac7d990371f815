import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { connect, isIPv4, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Connection, type Device, OneJobEach } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { TimeLimit } from '../../wait.ts'
import { SocketConnection, type SocketLimits } from './connection.ts'
import { CloseBehavior, TCP_TABLES } from './peer.ts'

const RAW_PORT = 9100 // JetDirect "raw" port, which label printers listen on

const LIMITS: SocketLimits = {
  connectMs: 5_000,
  confirmMs: 250,
  blindMs: 20_000,
  silentMs: 2_000,
  settleMs: 200,
  vanishMs: 60_000,
  // CUPS waits as long for a printer to finish (backend/socket.c, wait_bc).
  lingerMs: 90_000,
}

const IDLE_MS = 15_000 // then the system asks an idle printer every second, and gives it up after 10 s without an answer

interface SocketAddress {
  readonly host: string
  readonly port: number
}

/**
 * Network printers on a raw TCP port. Bytes go one way; a printer of this kind cannot say that a label was printed.
 * `tables` is where the system shows how far a connection is; most systems do not. `mayLoop`: whether a device URI is
 * that of a raw port of this print server whose labels may loop forever.
 * Decision `blind-network`.
 */
export function createSocketDevice(
  limits: Partial<SocketLimits> = {},
  tables = TCP_TABLES,
  mayLoop: (deviceUri: string) => boolean = () => false,
): Device<'socket'> {
  const times = { ...LIMITS, ...limits }
  const jobs = new OneJobEach()
  const closeBehaviors = new Map<string, CloseBehavior>()
  let hidden: Promise<boolean> | undefined
  return {
    scheme: 'socket',
    example: 'socket://192.168.1.50:9100',
    about: 'A network printer: its host name or address, and its raw port (9100 when left out).',
    check,
    // Such a printer serves one connection at a time: a question keeps other computers off the line.
    asking: { isTwoWay: true, idleSeconds: 300 },
    isRemote: true,
    list: () => Promise.resolve([]),
    async open(uri, signal): Promise<Connection> {
      if (mayLoop(uri.href)) throw refuseLoop(uri)
      const address = readAddress(uri)
      const key = `${address.host.toLowerCase()}:${address.port}`
      return await jobs.open(key, uri.href, async (release) => {
        const closeBehavior = closeBehaviors.get(key) ?? new CloseBehavior()
        closeBehaviors.set(key, closeBehavior)
        hidden ??= isHidden(tables)
        if (!closeBehavior.closes && (await hidden)) {
          await learnCloseBehavior(
            await dial(address, times.connectMs, signal),
            closeBehavior,
            times,
          )
        }
        const socket = await dial(address, times.connectMs, signal)
        return new SocketConnection(socket, {
          name: uri.href,
          times,
          tables,
          closeBehavior,
          release,
        })
      })
    },
  }
}

function refuseLoop({ host }: URL): PrinterFault {
  const message = `${host} is this print server's own port for labels.`
  return new PrinterFault('PRINTER_OFFLINE', message, { advice: 'chooseItself' })
}

function check(uri: URL): string | undefined {
  if (uri.hostname === '')
    return 'the printer has no host name or address; wanted socket://host:port'
  if (isMistypedAddress(uri.hostname))
    return `got the address ${uri.hostname}, wanted four numbers from 0 to 255, as 192.168.1.50`
  if (uri.port === '0') return 'got port 0, wanted a whole number from 1 to 65535'
  const rest =
    uri.username + uri.password + uri.search + uri.hash + uri.pathname.replace(/^\/$/, '')
  return rest === '' ? undefined : 'wanted only a host and a port, socket://host:port'
}

function readAddress(uri: URL): SocketAddress {
  return {
    host: uri.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: uri.port === '' ? RAW_PORT : Number(uri.port),
  }
}

async function isHidden(tables: string): Promise<boolean> {
  try {
    await access(`${tables}/tcp`)
    return false
  } catch (error) {
    if (error instanceof Error) return true
    throw error
  }
}

/**
 * Does the printer end a connection that brought nothing, and not before us? Where nothing else tells, that is how a label
 * is known as taken.
 */
async function learnCloseBehavior(
  socket: Socket,
  closeBehavior: CloseBehavior,
  times: SocketLimits,
): Promise<void> {
  const closed = Promise.withResolvers<void>()
  socket.on('error', () => undefined).once('close', () => closed.resolve())
  socket.resume()
  await setTimeout(times.settleMs)
  const isEarly = socket.readableEnded
  socket.end()
  await Promise.race([closed.promise, setTimeout(times.silentMs, undefined, { ref: false })])
  if (socket.readableEnded && !isEarly && socket.errored === null) closeBehavior.learn('close')
  socket.destroy()
}

async function dial(
  address: SocketAddress,
  connectMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  using limit = new TimeLimit(connectMs, signal)
  const socket = connect({
    ...address,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: IDLE_MS,
    // Some printers and print servers close their sending side at once and read on.
    allowHalfOpen: true,
    // For names with several addresses: Node's own 250 ms are too short for a printer that sleeps.
    autoSelectFamilyAttemptTimeout: Math.ceil(connectMs / 3),
  })
  try {
    await once(socket, 'connect', { signal: limit.signal })
    return socket
  } catch (error) {
    socket.destroy()
    const { host, port } = address
    if (signal.aborted) {
      throw new PrinterFault('PRINTER_OFFLINE', `The call to ${host} port ${port} was given up.`, {
        cause: signal.reason,
      })
    }
    const words = limit.isOver
      ? `${host} did not answer on port ${port} within ${connectMs / 1_000} s: is the printer on, and is this its address?`
      : explainRefusal(error, host, port)
    throw new PrinterFault('PRINTER_OFFLINE', words, { cause: error })
  }
}

/** Explains a failed connect to the person at the bench; the codes are those of libuv. */
export function explainRefusal(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
      return `The network knows no printer named ${host}: check the name, or use the printer's address in the settings.`
    case 'ECONNREFUSED':
      return `${host} refuses connections on port ${port}: check the address, and that raw printing is switched on in the printer and no other computer is printing on it.`
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return `${host} cannot be reached from here (${code}): check the network cables of the printer and of this computer.`
    case 'ETIMEDOUT':
      return `${host} did not answer on port ${port}: is the printer on, and is this its address?`
    default:
      return `The connection to ${host} port ${port} failed (${code}).`
  }
}

/** True for `999.1.1.1` and `10.0.0`: a host that ends in a number is an IPv4 address (URL Standard, 3.5), and these are none. */
function isMistypedAddress(host: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host) && !isIPv4(host)
}
