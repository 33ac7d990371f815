import {
  type ActionResult,
  type CarrierEntry,
  type CarrierOrder,
  type EngineParts,
  findCarrier as findHttpCarrier,
  CARRIERS as HTTP_CARRIERS,
  type Performer,
} from '#carriers'

/** A carrier whose books are in the journal's database. */
export interface OwnCarrier extends Performer {
  /** Sells a shipment; nothing is written yet. */
  sell(order: CarrierOrder): Promise<Sale>
}

/** A sale that is to be written in one transaction with its answer. */
export interface Sale {
  readonly result: ActionResult<'SubmitShipment'>
  /**
   * Writes the sale into the carrier's books.
   * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN
   */
  write(): void
}

/** The parts for opening a carrier. */
export interface CarrierParts extends EngineParts {
  /** The carrier that this print server itself is. */
  readonly local: Performer
}

/** A carrier that a call can name. */
export interface ShippingCarrier extends Omit<CarrierEntry, 'load' | 'open'> {
  open(parts: CarrierParts): Promise<Performer>
}

const LOCAL: ShippingCarrier = {
  name: 'local',
  aliases: [],
  title: 'Local carrier',
  tested: 'proven',
  open: ({ local }) => Promise.resolve(local),
}

/** Every carrier that a call can name. */
export const CARRIERS: readonly ShippingCarrier[] = [LOCAL, ...HTTP_CARRIERS]

/** Finds the carrier that a call names; case does not matter. */
export function findCarrier(name: string): ShippingCarrier | undefined {
  return name.toLowerCase() === LOCAL.name ? LOCAL : findHttpCarrier(name)
}
