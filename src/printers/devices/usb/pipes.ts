import type { PackageAlternate, PackageConfiguration } from './package.ts'

/** The pipes of a printer's interface. */
export interface Pipes {
  readonly alternate: number
  /** The interface has several settings, so the one wanted must be chosen. */
  readonly isChoice: boolean
  readonly out: number
  /** Undefined: the printer cannot answer. */
  readonly in: number | undefined
  /** Largest packet of the way out and in, bytes. */
  readonly outPacketBytes: number
  readonly inPacketBytes: number
}

const PRINTER = { class: 7, subclass: 1, protocols: [2, 1] } // two-way first (USB printer class 1.1, 4.1)

/** True for a setting of an interface through which labels can go. */
export function isPrinter(setting: PackageAlternate): boolean {
  return (
    setting.interfaceClass === PRINTER.class &&
    setting.interfaceSubclass === PRINTER.subclass &&
    PRINTER.protocols.includes(setting.interfaceProtocol) &&
    findPipe(setting, 'out') !== undefined
  )
}

/**
 * The pipes of a printer, by direction and type: their numbers differ from printer to printer. Undefined when the
 * interface is not a printer's.
 */
export function findPipes(
  configuration: PackageConfiguration,
  interfaceNumber: number,
): Pipes | undefined {
  const own = configuration.interfaces.find((each) => each.interfaceNumber === interfaceNumber)
  const settings = (own?.alternates ?? []).filter(isPrinter)
  const [best] = settings.sort((a, b) => b.interfaceProtocol - a.interfaceProtocol)
  const out = best && findPipe(best, 'out')
  if (best === undefined || out === undefined) return undefined
  const back = findPipe(best, 'in')
  return {
    alternate: best.alternateSetting,
    isChoice: (own?.alternates.length ?? 0) > 1,
    out: out.endpointNumber,
    in: back?.endpointNumber,
    outPacketBytes: out.packetSize,
    inPacketBytes: back?.packetSize ?? 0,
  }
}

function findPipe(setting: PackageAlternate, direction: 'in' | 'out') {
  return setting.endpoints.find((each) => each.type === 'bulk' && each.direction === direction)
}
