import type { Carrier } from './carrier.ts'
import type { Performer } from './performer.ts'
import type { EngineParts } from './wire.ts'

/** A carrier; its code is loaded when somebody opens it. */
export interface CarrierEntry {
  readonly name: string
  /** Other names of the same; case does not count in any of them. */
  readonly aliases: readonly string[]
  /** For people. */
  readonly title: string
  /**
   * `proven`: run with the real carrier. `contract-tested`: against the carrier's own description and recorded answers; nobody
   * with an account has run it.
   */
  readonly tested: 'proven' | 'contract-tested'
  /** `params.key` is an access token: the next one is of the same account. */
  readonly keyIsToken?: true
  load(): Promise<Carrier>
  open(parts: EngineParts): Promise<Performer>
}

/** The carriers that are reached by HTTP. Adding one is its folder, its test and one line here. */
export const CARRIERS: readonly CarrierEntry[] = [
  byToken('UPS-REST', ['UPS'], 'UPS', async () => (await import('./ups/index.ts')).ups),
  byToken('FedEx-REST', ['FedEx'], 'FedEx', async () => (await import('./fedex/index.ts')).fedex),
  byToken('USPS-REST', ['USPS'], 'USPS', async () => (await import('./usps/index.ts')).usps),
  byHttp('DHL', ['DHL-Express'], 'DHL Express', async () => (await import('./dhl/index.ts')).dhl),
  byHttp('EasyPost', [], 'EasyPost', async () => (await import('./easypost/index.ts')).easypost),
  byHttp('Shippo', [], 'Shippo', async () => (await import('./shippo/index.ts')).shippo),
  byHttp(
    'ShipEngine',
    [],
    'ShipEngine',
    async () => (await import('./shipengine/index.ts')).shipengine,
  ),
  byHttp(
    'ShipStation',
    [],
    'ShipStation',
    async () => (await import('./shipengine/index.ts')).shipstation,
  ),
  byHttp('karrio', [], 'karrio', async () => (await import('./karrio/index.ts')).karrio),
]

function byHttp(
  name: string,
  aliases: readonly string[],
  title: string,
  load: () => Promise<Carrier>,
): CarrierEntry {
  return {
    name,
    aliases,
    title,
    tested: 'contract-tested',
    load,
    open: async (parts) => new (await import('./engine.ts')).Engine(await load(), parts),
  }
}

/** Lists a carrier whose callers may bring an access token of their own. */
function byToken(...entry: Parameters<typeof byHttp>): CarrierEntry {
  return { ...byHttp(...entry), keyIsToken: true }
}

/** The carrier of this name, or of another name of it. */
export function findCarrier(name: string): CarrierEntry | undefined {
  const wanted = name.toLowerCase()
  return CARRIERS.find((one) =>
    [one.name, ...one.aliases].some((known) => known.toLowerCase() === wanted),
  )
}
