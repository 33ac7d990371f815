import { isBetweenZones } from './zones.ts'

/** An address as `params` give it: `ship_…` of who sends, `to_…` of who receives. Blank texts where nothing was given. */
export interface PostalAddress {
  readonly name: string
  readonly company: string
  readonly addr1: string
  readonly addr2: string
  readonly addr3: string
  readonly city: string
  readonly state: string
  readonly code: string
  /** ISO 3166-1, two letters; `US` when left out. */
  readonly country: string
  readonly phone: string
  readonly email: string
  /** `residential` of the recipient; undefined when not said. */
  readonly isResidential: boolean | undefined
  readonly taxId: TaxId | undefined
}

/** A number that customs and tax offices know a party by. */
export interface TaxId {
  readonly number: string
  readonly type: 'EORI' | 'VAT' | 'IOSS' | 'EIN' | 'GST'
  /** The country of issue: ISO 3166-1, two letters. */
  readonly country: string
}

/** A telephone number in so many characters: the extension goes first, then what stands between the digits. */
export function shortPhone(phone: string, most: number): string {
  if (phone.length <= most) return phone
  const main = phone.trim().replace(/ {0,3}(?:x|ext\.?|extension|#) {0,3}\d{1,10}$/i, '')
  return main.length <= most ? main : main.replace(/[^\d+]/g, '').slice(0, most)
}

/** Weight in pounds or kilograms, sizes in inches or centimeters, as the shipment's units say; 0 = not given. */
export interface Parcel {
  readonly weight: number
  readonly length: number
  readonly width: number
  readonly height: number
  readonly packagingType: string
  /** Whole cents of `insuredCurrency`; 0 = none. */
  readonly insuredCents: number
  readonly insuredCurrency: string
  readonly signature: SignatureService
}

export type SignatureService = '' | 'DIRECT' | 'NO_SIGNATURE_REQUIRED' | 'ADULT'

const STRICTEST_FIRST = ['ADULT', 'DIRECT', 'NO_SIGNATURE_REQUIRED'] as const

/** The strictest signature of the parcels, for carriers that take one for all of them. */
export function signatureOf({ parcels }: Shipment): SignatureService {
  const asked = new Set(parcels.map(({ signature }) => signature))
  return STRICTEST_FIRST.find((one) => asked.has(one)) ?? ''
}

/** A line of a customs declaration: all of it was said, but for the tariff number. */
export interface CustomsLine {
  readonly description: string
  /** Pieces, a whole number. */
  readonly quantity: number
  /** Value of one piece, in whole cents of the shipment's currency; above 0. */
  readonly cents: number
  /** Weight of one piece, in the unit of the parcels; above 0. */
  readonly weight: number
  /** Harmonized System number; blank = not given. */
  readonly tariffCode: string
  /** ISO 3166-1, two letters. */
  readonly origin: string
}

/** A shipment as `params` ask for it, in units that every carrier's file can read; checked before a carrier sees it. */
export interface Shipment {
  /** The shop, which pays. */
  readonly from: PostalAddress
  readonly to: PostalAddress
  /** The parcel comes back: `to` sends it, `from` gets it and pays. */
  readonly isReturn: boolean
  readonly parcels: readonly Parcel[]
  /** Ounces and grams of `params` are converted to LB and KG. */
  readonly weightUnit: 'LB' | 'KG'
  readonly lengthUnit: 'IN' | 'CM'
  /** The carrier's own code, verbatim; blank = not given. */
  readonly service: string
  readonly packagingType: string
  readonly pickupType: string
  readonly customerClassification: string
  readonly currency: string
  readonly customs: readonly CustomsLine[]
  /** Purpose of the goods. */
  readonly contents: 'MERCHANDISE' | 'GIFT' | 'SAMPLE' | 'RETURN'
  /** The term on the invoice; `DDP`: the sender pays duties, else the recipient. */
  readonly incoterm: string
  /** Blank = not given. */
  readonly invoiceNumber: string
  /** `reference1`, `reference2` … in their order. */
  readonly references: readonly string[]
  readonly trackingNumber: string
  readonly shipmentId: string
  /** An aggregator's price to buy exactly; blank = by service. */
  readonly rateId: string
  /** An aggregator's filter: the carrier underneath; blank = all. */
  readonly carrierName: string
  /** An aggregator's accounts; empty = all. */
  readonly carrierAccounts: readonly string[]
}

/** Describes the contents of the parcels for carriers that print it: what is declared, or that they hold goods. */
export function describeContents({ customs }: Pick<Shipment, 'customs'>): string {
  return customs.map(({ description }) => description).join(', ') || 'Goods'
}

/** Returns a shipment in the direction that the parcel travels: for a return, from the recipient to the shop. */
export function travelOf(shipment: Shipment): Shipment {
  const { from, to, isReturn } = shipment
  if (!isReturn) return shipment
  return { ...shipment, from: { ...to, isResidential: undefined }, to: from }
}

/** Tells whether it crosses a border. */
export function isAbroad({ from, to }: Pick<Shipment, 'from' | 'to'>): boolean {
  return from.country !== to.country
}

/** Tells whether it needs customs papers: within the European Union, and to the territories of the United States, there are none. */
export function isDutiable({ from, to }: Pick<Shipment, 'from' | 'to'>): boolean {
  return isBetweenZones(from, to)
}

/** Sums up what the parcels are insured for together; undefined = nothing. All are in one currency (params.ts). */
export function insuranceOf({
  parcels,
}: Shipment): { readonly cents: number; readonly currency: string } | undefined {
  const cents = parcels.reduce((sum, one) => sum + one.insuredCents, 0)
  const insured = parcels.find((one) => one.insuredCents > 0)
  return insured && { cents, currency: insured.insuredCurrency }
}

/** Tells whether all three sizes were given. */
export function hasSize({ length, width, height }: Parcel): boolean {
  return length > 0 && width > 0 && height > 0
}

const POUNDS = { LB: 1, KG: 2.204_622_621_8 } as const

/** A weight of the shipment in pounds. */
export function toPounds(weight: number, { weightUnit }: Pick<Shipment, 'weightUnit'>): number {
  return weight * POUNDS[weightUnit]
}

/** A size of the shipment in inches. */
export function toInches(size: number, { lengthUnit }: Pick<Shipment, 'lengthUnit'>): number {
  return lengthUnit === 'CM' ? size / 2.54 : size
}

/** Rounded to hundredths, never down: a parcel that weighs more than was paid for costs a fine. */
export function upToHundredths(value: number): number {
  return Math.max(0.01, Math.ceil(Math.round(value * 10_000) / 100) / 100)
}

/**
 * Whole cents of a decimal text, rounded half away from zero: floats are never summed (`0.1 + 0.2`). A JSON number is read
 * by the text that JSON has for it. Undefined for what is not an amount.
 */
export function readCents(amount: unknown): number | undefined {
  const text = typeof amount === 'number' ? String(amount) : amount
  if (typeof text !== 'string') return undefined
  const match = /^\s*(-?)(\d{1,12})(?:\.(\d*))?\s*$/.exec(text)
  if (match === null) return undefined
  const [, sign, units = '', decimals = ''] = match
  const cents = Number(units) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0'))
  const rounded = cents + (Number(decimals[2] ?? '0') >= 5 ? 1 : 0)
  return sign === '-' && rounded !== 0 ? -rounded : rounded
}

/** Cents as the number on the wire: at most two decimals. */
export function toAmount(cents: number): number {
  return cents / 100
}

/** Cents as a carrier's decimal text, two decimals always. */
export function toDecimal(cents: number): string {
  return (cents / 100).toFixed(2)
}
