import type { Config } from '../../config/schema.ts'

/** A port for labels. */
export interface RawPort {
  readonly port: number
  /** Undefined = the default printer. */
  readonly printer: string | undefined
}

/** Where labels come in. */
export interface RawSettings {
  readonly host: string
  readonly ports: readonly RawPort[]
}

/** The port of the default printer, and those of printers; undefined when there is none. */
export function readRawSettings({
  host,
  raw_port: usual,
  printers = [],
}: Config): RawSettings | undefined {
  const own = printers.flatMap(({ name, raw_port: port }) =>
    port === undefined ? [] : [{ port, printer: name }],
  )
  const ports = usual === undefined ? own : [{ port: usual, printer: undefined }, ...own]
  return ports.length === 0 ? undefined : { host, ports }
}
