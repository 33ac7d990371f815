/**
 * Zone in which goods move without customs papers: the customs union and, as carriers want an invoice at its borders too, the tax territory.
 * Two places with a zone in common need none.
 */
type Zone = string

/** Parts of an address that decide its zone. */
interface ZoneAddress {
  readonly country: string
  readonly state: string
  readonly code: string
}

// The European Union, with Monaco, whose customs and taxes are those of France. Greece is EL to its tax offices.
const UNION: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK'.split(' '),
)

/**
 * Parts of members that are not of the customs union (Ceuta, Heligoland …) or not of its tax territory (the Canary Islands, Åland …),
 * by their postal codes: Council Directive 2006/112/EC, articles 6 and 7, and Regulation (EU) No 952/2013, article 4. The overseas
 * departments of France have countries of their own, too.
 */
const APART: readonly (readonly [country: string, codes: RegExp, zone: Zone])[] = [
  ['ES', /^(?:35|38)/, 'IC'],
  ['ES', /^51/, 'ES-CE'],
  ['ES', /^52/, 'ES-ML'],
  ['FI', /^22/, 'AX'],
  ['DE', /^27498$/, 'DE-27498'],
  // Of the customs union of Switzerland.
  ['DE', /^78266$/, 'CH'],
  ['IT', /^(?:23041|23030)$/, 'IT-23041'],
  ['IT', /^22061$/, 'IT-22061'],
  ['IT', /^4789/, 'SM'],
  ['IT', /^00120$/, 'VA'],
  ['GR', /^6308[67]$/, 'GR-69'],
  ['FR', /^971/, 'GP'],
  ['FR', /^972/, 'MQ'],
  ['FR', /^973/, 'GF'],
  ['FR', /^974/, 'RE'],
  ['FR', /^975/, 'PM'],
  ['FR', /^976/, 'YT'],
  ['FR', /^977/, 'BL'],
  ['FR', /^978/, 'MF'],
  ['FR', /^986/, 'WF'],
  ['FR', /^987/, 'PF'],
  ['FR', /^988/, 'NC'],
  ['DK', /^39\d\d$/, 'GL'],
  ['DK', /^\d{3}$/, 'FO'],
  ['GB', /^JE/, 'JE'],
  ['GB', /^GY/, 'GG'],
]

// Of the customs territory of the United States, or without papers of the sender to it: Puerto Rico, the Virgin Islands, Guam,
// American Samoa, the Northern Mariana Islands and the small islands.
const STATES: ReadonlySet<string> = new Set('US PR VI GU AS MP UM'.split(' '))

/** Territories that the posts of the United States count as states, and the other carriers as countries. */
const TERRITORIES: ReadonlySet<string> = new Set('AS FM GU MH MP PR PW VI'.split(' '))

/** The address with a territory of the United States as its country, where it is given as a state. */
export function toCountry<T extends ZoneAddress>(address: T): T {
  const state = address.state.toUpperCase()
  const isTerritory = address.country === 'US' && TERRITORIES.has(state)
  return isTerritory ? { ...address, country: state, state: '' } : address
}

function zonesOf(address: ZoneAddress): readonly Zone[] {
  const { country, code: said } = toCountry(address)
  const whole = said.toUpperCase().replace(/[\s-]/g, '')
  // Shops write the country in front: D-27498, FIN-22100.
  const code = country === 'GB' ? whole : whole.replace(/^[A-Z]+/, '')
  const apart = APART.find(([of, codes]) => of === country && codes.test(code))
  if (apart !== undefined) return [apart[2]]
  if (UNION.has(country)) return ['EU']
  if (STATES.has(country)) return ['US']
  // Northern Ireland is of both: Windsor Framework; XI is its country to tax offices.
  if (country === 'XI' || (country === 'GB' && code.startsWith('BT'))) return ['GB', 'EU']
  if (country === 'IM') return ['GB']
  return [country === 'LI' ? 'CH' : country]
}

/** Tells whether goods cross from one zone to another. */
export function isBetweenZones(from: ZoneAddress, to: ZoneAddress): boolean {
  const zones = zonesOf(to)
  return !zonesOf(from).some((zone) => zones.includes(zone))
}
