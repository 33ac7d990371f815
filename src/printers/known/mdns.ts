import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIP, isIPv4 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { languages } from '#labels'
import type { FoundPrinter } from '../device.ts'
import { tidyText } from './identity.ts'

/** A printer's announcement on the network (RFC 6763), as far as we read it. It is a stranger's word. */
export interface PrinterAnnouncement {
  readonly name: string
  /** `pdl-datastream` (raw) or `printer` (LPD). */
  readonly type: string
  readonly port: number
  readonly addresses?: readonly string[] | undefined
  /** Whence the answer came. */
  readonly referer?: { readonly address: string } | undefined
  readonly txt?: unknown
}

/** Place and time of listening; all can be set for tests. */
interface MdnsListenSettings {
  readonly listenMs?: number
  /** UDP port instead of that of mDNS, 5353. */
  readonly port?: number
  /** Address of the network interface that asks; left out = the system's usual one. */
  readonly interface?: string
  /** Budget of packets to read; a budget of its own for each socket when left out. */
  readonly budget?: PacketBudget
}

const LISTEN_MS = 3_000 // printers answer within a second; asleep on Wi-Fi they take two
const GROUP = '224.0.0.251' // of mDNS (RFC 6762, 3)
const MDNS_PORT = 5_353
const TYPES = ['pdl-datastream', 'printer']
const BOX_TYPE = 'platen'
const OTHERS_MOST = 4 // addresses of one computer
const MOST = 100 // printers of one search
const LONGEST_TEXT = 120 // characters of a stranger's text
const RAW_PORTS = { first: 9_100, last: 9_107 } // print servers with several printers count up

/**
 * Asks the network once, by mDNS, who prints, and gives those with a raw port. Addresses are never scanned. Never fails:
 * where multicast is not possible nobody answers.
 */
export async function findNetworkPrinters(
  signal: AbortSignal,
  settings: MdnsListenSettings = {},
): Promise<readonly FoundPrinter[]> {
  return presentAnnouncements(await askNetwork(TYPES, signal, settings))
}

/** Another print server of this kind, as it announces itself: a stranger's word. */
export interface FoundBox {
  readonly name: string
  readonly address: string
  /** Other addresses where it may be: what it told may be older than the address from which it answers. */
  readonly others: readonly string[]
  /** Port of HTTPS. */
  readonly port: string
}

/** Finds print servers of this kind that answer by HTTPS (`_platen._tcp`). */
export async function findBoxes(
  signal: AbortSignal,
  settings: MdnsListenSettings = {},
): Promise<readonly FoundBox[]> {
  const heard = await askNetwork([BOX_TYPE], signal, settings)
  const found = heard.flatMap((each): readonly FoundBox[] => {
    const [address, port = ''] = [chooseAddress(each), readTexts(each.txt).get('tls')]
    if (address === undefined || !/^\d{1,5}$/.test(port)) return []
    const others = listAddresses(each).filter((other) => other !== address)
    return [{ name: tidyText(each.name), address, others: others.slice(-OTHERS_MOST), port }]
  })
  const byPlace = new Map(found.map((each) => [`${each.address} ${each.port}`, each]))
  return [...byPlace.values()]
}

async function askNetwork(
  types: readonly string[],
  signal: AbortSignal,
  settings: MdnsListenSettings,
): Promise<readonly PrinterAnnouncement[]> {
  const socket = await joinGroup(settings)
  if (socket === undefined) return []
  // In the bundle a CommonJS package has its default export only.
  const { default: library } = await import('bonjour-service')
  // A socket of our own: of the library's one a failed bind would end the program.
  const options: object = { port: settings.port ?? MDNS_PORT, socket, bind: false }
  const bonjour = new library.Bonjour(options, () => undefined)
  const heard: PrinterAnnouncement[] = []
  for (const type of types) {
    bonjour.find({ type }, (service) => {
      if (heard.length < MOST) heard.push(service)
    })
  }
  try {
    await sleep(settings.listenMs ?? LISTEN_MS, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error // called off: what was heard so far is all there is
  } finally {
    bonjour.destroy()
  }
  return heard
}

/** A socket in the group of mDNS (RFC 6762, 3), or undefined where there is no multicast. */
export async function joinGroup(settings: MdnsListenSettings): Promise<Socket | undefined> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  try {
    socket.bind(settings.port ?? MDNS_PORT)
    await once(socket, 'listening')
    readWithin(socket, settings.budget ?? new PacketBudget())
    socket.on('error', () => undefined) // a network that goes away in the middle: nobody answers then
    socket.addMembership(GROUP, settings.interface)
    if (settings.interface !== undefined) socket.setMulticastInterface(settings.interface)
    socket.setMulticastTTL(255)
    return socket
  } catch (error) {
    socket.close()
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Packets beyond the budget are dropped before any listener, the library's parser among them, hears of them. */
function readWithin(socket: Socket, budget: PacketBudget): void {
  const emit = socket.emit.bind(socket) as (event: string, ...details: unknown[]) => boolean
  Object.defineProperty(socket, 'emit', {
    value: (event: string, ...details: unknown[]): boolean => {
      const [packet, from] = details as [Uint8Array, RemoteInfo]
      const isDropped = event === 'message' && !budget.admits(packet, from.address)
      return !isDropped && emit(event, ...details)
    },
  })
}

/** Announcements as printers that can be added: one for each address and port, the raw service's word first. */
export function presentAnnouncements(
  heard: readonly PrinterAnnouncement[],
): readonly FoundPrinter[] {
  const found = new Map<string, FoundPrinter>()
  const inOrder = TYPES.flatMap((type) => heard.filter((each) => each.type === type))
  for (const each of inOrder.filter(isRaw)) {
    const uri = makeUri(each)
    if (uri !== undefined && !found.has(uri)) found.set(uri, present(each, uri))
  }
  return [...found.values()]
}

function makeUri(announcement: PrinterAnnouncement): string | undefined {
  const address = chooseAddress(announcement)
  if (address === undefined) return undefined
  return `socket://${isIPv4(address) ? address : `[${address}]`}:${announcement.port}`
}

/** LPD (port 515) is another protocol; some print servers announce their raw ports as `printer`. */
function isRaw({ type, port }: PrinterAnnouncement): boolean {
  if (type === 'printer') return port >= RAW_PORTS.first && port <= RAW_PORTS.last
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

/** IPv4 first; link-local IPv6 needs the name of an interface, which a device URI cannot carry. */
function chooseAddress(announcement: PrinterAnnouncement): string | undefined {
  const usable = listAddresses(announcement)
  return usable.find((address) => isIPv4(address)) ?? usable[0]
}

/** Lists the addresses it tells, less those that lead nowhere, then the one it answered from. */
function listAddresses({ addresses, referer }: PrinterAnnouncement): readonly string[] {
  const all = [...(addresses ?? []), ...(referer === undefined ? [] : [referer.address])]
  const usable = all.filter((address) => isIP(address) !== 0 && !/^fe[89ab]|%/i.test(address))
  return [...new Set(usable)]
}

function present(announcement: PrinterAnnouncement, uri: string): FoundPrinter {
  const texts = readTexts(announcement.txt)
  const of = (key: string) => texts.get(key) ?? ''
  const product = of('product').replace(/^\((.*)\)$/, '$1')
  const maker = of('usb_mfg')
  const model = of('usb_mdl') || product
  const id = [
    ['MFG', maker],
    ['MDL', model],
    ['CMD', of('usb_cmd') || readLanguages(of('pdl'))],
    ['SN', of('usb_sn')],
  ].filter(([, value]) => value !== '')
  const text = id.map(([key, value]) => `${key}:${value?.replaceAll(';', ' ')};`).join('')
  return {
    uri,
    name: tidyText(announcement.name),
    makeAndModel: of('ty') || [maker, model].filter((part) => part !== '').join(' '),
    ...(text === '' ? {} : { deviceId: text }),
  }
}

/** Keys are told apart without regard to case (RFC 6763, 6.4). */
function readTexts(txt: unknown): ReadonlyMap<string, string> {
  if (typeof txt !== 'object' || txt === null) return new Map()
  return new Map(
    Object.entries(txt).map(([key, value]) => [
      key.toLowerCase(),
      typeof value === 'string' ? tidyText(value, LONGEST_TEXT) : '',
    ]),
  )
}

/** Formats that a printer takes, as the command set of a device id (types as LPrint and PAPPL use them). */
function readLanguages(pdl: string): string {
  return languages
    .filter(({ mediaType }) => pdl.includes(mediaType))
    .map(({ commandSets: [word] }) => word)
    .join(',')
}

/** Header of a DNS message, with the counts of its four sections from byte 4 on (RFC 1035, 4.1.1). */
const HEADER_BYTES = 12
const COUNTS_AT = 4

const LONGEST_PACKET = 9_000 // RFC 6762, 17
const MOST_QUESTIONS = 50 // a browser of everything asks for some 20 at a time
const MOST_RECORDS = 400 // what fits into 9,000 bytes and is not the same over and over

const WINDOW_MS = 1_000
/** Questions and records read in a second: a hall of 200 devices that all answer at once tells some 1,500. */
const RECORDS_A_WINDOW = 2_000
/** Records of one address, so that one sender does not use up what the others need; repeaters speak for a whole network. */
const RECORDS_A_SENDER = 500

/**
 * Budget of mDNS packets that are read at all: judged by the head of a packet, before anything is parsed. Everybody on the
 * network may send, as fast as the cable carries, and each question costs a search and an answer.
 */
export class PacketBudget {
  readonly #now: () => number
  readonly #senders = new Map<string, number>()
  #begin = Number.NEGATIVE_INFINITY
  #spent = 0

  /** @param now milliseconds, never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** True when this packet may be read. */
  admits(packet: Uint8Array, sender: string): boolean {
    const cost = countRecords(packet)
    if (cost === undefined) return false
    const now = this.#now()
    if (now - this.#begin >= WINDOW_MS) this.#renew(now)
    const own = (this.#senders.get(sender) ?? 0) + cost
    if (own > RECORDS_A_SENDER || this.#spent + cost > RECORDS_A_WINDOW) return false
    this.#spent += cost
    this.#senders.set(sender, own) // at most as many entries as the window has records
    return true
  }

  #renew(now: number): void {
    this.#begin = now
    this.#spent = 0
    this.#senders.clear()
  }
}

/** Questions and records of a packet as its head tells them; undefined when nobody who is well sends such a one. */
function countRecords(packet: Uint8Array): number | undefined {
  if (packet.length < HEADER_BYTES || packet.length > LONGEST_PACKET) return undefined
  const view = new DataView(packet.buffer, packet.byteOffset, HEADER_BYTES)
  const questions = view.getUint16(COUNTS_AT)
  const records = [2, 4, 6].reduce((sum, at) => sum + view.getUint16(COUNTS_AT + at), 0)
  if (questions > MOST_QUESTIONS || questions + records > MOST_RECORDS) return undefined
  return Math.max(1, questions + records)
}
