import { readCents, type Shipment } from '#carriers'

/** A line of the rate table. */
export interface RateRow {
  readonly service: string
  readonly description: string
  /** Prefixes of postal codes, with a country before a colon where needed: `9`, `CA:V6`; `*` = all, `HOME` = the sender's country. */
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** Pounds. */
  readonly upTo: number
  readonly cents: number
  /** Surcharge on the price. */
  readonly fuelPercent: number
  readonly days: number
}

/** The price of a service for a shipment. */
export interface RateOffer {
  readonly service: string
  readonly description: string
  readonly cents: number
  readonly fuelCents: number
  readonly days: number
}

const COLUMNS = [
  'service_code',
  'description',
  'from',
  'to',
  'up_to_lb',
  'price',
  'fuel_percent',
  'days',
]

/** The initial rate table of a new box, for the owner to edit. */
export const FIRST_RATES = `${COLUMNS.join(',')}
PICKUP,Customer picks it up,*,home,150,0.00,0,0
BIKE,Bike courier,*,home,10,8.50,0,0
VAN,Own van,*,home,5,6.90,4.5,1
VAN,Own van,*,home,20,9.90,4.5,1
VAN,Own van,*,home,70,18.40,4.5,1
`

/** The initial table of earlier versions: its own van drove to every country. A box whose owner never edited it gets the new one. */
export const OLD_FIRST_RATES = FIRST_RATES.replaceAll(',home,', ',*,')

/** A zone: the country that the parcel is sent from. */
const HOME = 'HOME'

const ROWS_MOST = 5_000
/** Most characters of a table. */
const TABLE_MOST = 256 * 1024

/** Parses the table; returns a sentence that names line and column if something is wrong. */
export function parseRates(text: string): readonly RateRow[] | string {
  if (text.length > TABLE_MOST) return `The rate table has more than ${TABLE_MOST} characters.`
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  const [head = '', ...rest] = lines
  const names = splitCsv(head).map((name) => name.trim().toLowerCase())
  const missing = COLUMNS.find((name) => !names.includes(name))
  if (missing !== undefined) return `Line 1 of the rate table has no column ${missing}.`
  const rows: RateRow[] = []
  for (const [index, line] of rest.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const values = splitCsv(line)
    const row = readRow((name) => (values[names.indexOf(name)] ?? '').trim())
    if (typeof row === 'string') return `Line ${index + 2} of the rate table: ${row}`
    rows.push(row)
  }
  if (rows.length > ROWS_MOST) return `The rate table has more than ${ROWS_MOST} lines.`
  return rows
}

/** Splits a line into fields; a quoted field may hold commas, and quotes twice (RFC 4180). */
function splitCsv(line: string): readonly string[] {
  // A comma is put in front: an empty first field would be no match of its own, and the next one lost.
  return [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  )
}

function readRow(value: (name: string) => string): RateRow | string {
  const service = value('service_code')
  if (!/^[\w./-]{1,40}$/.test(service)) {
    return `service_code: got ${show(service)}, wanted letters, digits and dashes.`
  }
  const cents = readCents(value('price'))
  if (cents === undefined || cents < 0)
    return wanted('price', value('price'), 'an amount such as 8.50')
  const upTo = readNumber(value('up_to_lb'))
  if (upTo === undefined || upTo <= 0) return wanted('up_to_lb', value('up_to_lb'), 'pounds')
  const fuelPercent = readNumber(value('fuel_percent') || '0')
  if (fuelPercent === undefined)
    return wanted('fuel_percent', value('fuel_percent'), 'a percentage')
  const days = readNumber(value('days') || '0')
  if (days === undefined || !Number.isInteger(days))
    return wanted('days', value('days'), 'whole days')
  const description = value('description') || service
  const from = readZone(value('from'))
  const to = readZone(value('to'))
  return { service, description, from, to, upTo, cents, fuelPercent, days }
}

function wanted(name: string, seen: string, what: string): string {
  return `${name}: got ${show(seen)}, wanted ${what}.`
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 40))
}

function readNumber(text: string): number | undefined {
  const number = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}

function readZone(text: string): readonly string[] {
  const parts = text
    .toUpperCase()
    .split(/\s+/)
    .filter((part) => part !== '')
  return parts.length === 0 ? ['*'] : parts
}

/**
 * Lists the price of each service, cheapest first: of its lines that serve the route and the weight, the one with the longest prefixes,
 * then the smallest weight.
 */
export function offer(rows: readonly RateRow[], shipment: Shipment): readonly RateOffer[] {
  const pounds = poundsOf(shipment)
  const best = new Map<string, { readonly row: RateRow; readonly fit: number }>()
  for (const row of rows) {
    const { country: home } = shipment.from
    const from = fitOf(row.from, shipment.from, home)
    const to = fitOf(row.to, shipment.to, home)
    if (from < 0 || to < 0 || pounds > row.upTo) continue
    const fit = from + to
    const known = best.get(row.service)
    if (
      known === undefined ||
      fit > known.fit ||
      (fit === known.fit && row.upTo < known.row.upTo)
    ) {
      best.set(row.service, { row, fit })
    }
  }
  return [...best.values()].map(({ row }) => toOffer(row)).sort((a, b) => a.cents - b.cents)
}

const POUNDS_PER_KILOGRAM = 2.20462

/**
 * Weight of all parcels together, rounded to millionths of a pound: a sum of floats may be slightly above the limit that it fits (0.2 + 4.4
 * + 0.4).
 */
function poundsOf({ parcels, weightUnit }: Pick<Shipment, 'parcels' | 'weightUnit'>): number {
  const weight = parcels.reduce((sum, parcel) => sum + parcel.weight, 0)
  const pounds = weightUnit === 'KG' ? weight * POUNDS_PER_KILOGRAM : weight
  return Math.round(pounds * 1_000_000) / 1_000_000
}

/** Rates a zone: ten for each character of the longest matching prefix, and one for its country; -1 = no match. */
function fitOf(
  zone: readonly string[],
  at: { readonly code: string; readonly country: string },
  home: string,
): number {
  const code = at.code.toUpperCase().replace(/\s/g, '')
  const fits = zone.map((part) => {
    const [start = '', country = ''] = part.split(':', 2).reverse()
    const isHere = start === HOME ? at.country === home : country === '' || country === at.country
    const begin = start === '*' || start === HOME ? '' : start
    if (!isHere || !code.startsWith(begin)) return -1
    return 10 * begin.length + Math.sign(country.length)
  })
  return Math.max(...fits)
}

function toOffer({ service, description, cents, fuelPercent, days }: RateRow): RateOffer {
  const fuelCents = Math.round((cents * Math.round(fuelPercent * 1_000)) / 100_000)
  return { service, description, cents: cents + fuelCents, fuelCents, days }
}
