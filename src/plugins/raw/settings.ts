import * as v from 'valibot'
import { isOwnHost } from '../../http/access/addresses.ts'
import { doorPort, field, type ValuesOf } from '../../settings/field.ts'
import type { Config, PluginSettings } from '../../settings/schema.ts'
import type { Whereabouts } from '../plugin.ts'

const entries = {
  raw_port: field(
    v.optional(doorPort),
    'Raw port',
    'Port for programs that print to port 9100 of a network printer; give them the address of this print server. It prints on the default printer; other printers can have their own port. Left out: closed.',
    { ports: 1 },
  ),
}

/** The port of the default printer; those of others are keys of their entries in `printers`. */
export type RawKeys = ValuesOf<typeof entries>

/** The keys of the raw ports. */
export const settings: PluginSettings<RawKeys> = { entries }

/** A port for labels. */
export interface RawPort {
  readonly port: number
  /** The name of the printer; undefined = the default printer. */
  readonly printer: string | undefined
}

/** The ports that take labels. */
export interface RawSettings {
  readonly host: string
  readonly ports: readonly RawPort[]
}

/** Lists the port of the default printer and the ports of the named printers. */
export function listPorts({
  raw_port: usual,
  printers = [],
}: RawKeys & Pick<Config, 'printers'>): readonly RawPort[] {
  const own = printers.flatMap(({ name, raw_port: port }) =>
    port === undefined ? [] : [{ port, printer: name }],
  )
  return usual === undefined ? own : [{ port: usual, printer: undefined }, ...own]
}

const USUAL_PORT = '9100'

/** Tells whether a device URI leads to one of these ports of this computer. */
export function leadsToPort(
  deviceUri: string,
  ports: readonly Pick<RawPort, 'port'>[],
  { ownNames, info }: Pick<Whereabouts, 'ownNames' | 'info'>,
): boolean {
  if (!URL.canParse(deviceUri)) return false
  const uri = new URL(deviceUri)
  const wanted = uri.port || USUAL_PORT
  if (uri.protocol !== 'socket:' || !ports.some(({ port }) => String(port) === wanted)) return false
  return isOwnHost(uri.host, () => [...ownNames(), ...info().names])
}

/** Finds the ports whose printer leads back here: a label sent to such a port may loop forever. */
export function findLoopingPorts(
  ports: readonly RawPort[],
  printers: readonly { readonly name: string; readonly uri: string; readonly isDefault: boolean }[],
  leadsBack: (uri: string) => boolean,
): readonly RawPort[] {
  return ports.filter(({ printer }) =>
    printers.some(
      ({ name, uri, isDefault }) =>
        (printer === undefined ? isDefault : name === printer) && leadsBack(uri),
    ),
  )
}

/** Bounds of the raw ports; docs/doors.md names them. */
export const RAW_BOUNDS = {
  /** Connections open at once, on all ports. */
  connections: 64,
  /** Connections open at once from one address. */
  connectionsOfOwner: 16,
  /** Milliseconds without a byte while a label is arriving. */
  silentMs: 60_000,
  /** The slowest rate at which a label may arrive, measured over `silentMs`: a line at 9600 baud has 960. */
  bytesPerSecond: 20,
  /** Milliseconds without a byte after what may be the method of an HTTP request. */
  settleMs: 1_000,
  /** Milliseconds without a byte between two labels: programs that ask for the state keep their connection. */
  idleMs: 600_000,
  /** Milliseconds for one label, from its first byte. */
  labelMs: 600_000,
  /** Bytes of labels that are arriving on all connections; beyond this only one of them is read. */
  bytesTogether: 8 * 2 ** 20,
  /** Bytes kept as evidence of a label that is larger than `max_body_mb`. */
  evidenceBytes: 64 * 2 ** 10,
  /** Bytes of answers that the client does not read. */
  unreadBytes: 64 * 2 ** 10,
  /** Milliseconds for the rest of a label that is arriving when the door closes. */
  leaveMs: 2_000,
  /** Milliseconds between two tries while the spool takes nothing. */
  againMs: 1_000,
} as const

export type RawLimits = { readonly [K in keyof typeof RAW_BOUNDS]: number }
