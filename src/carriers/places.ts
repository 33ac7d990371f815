// ISO 3166-1, the officially assigned codes, and XK, which carriers and customs use for Kosovo.
const COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF ' +
    'CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH ' +
    'GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW ' +
    'KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG ' +
    'NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN ' +
    'SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE ' +
    'YT ZA ZM ZW'
  ).split(' '),
)

export function isCountry(code: string): boolean {
  return COUNTRIES.has(code)
}

/** Names that people write for a country in the place of its code. */
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['GBR', 'GB'],
  ['EL', 'GR'],
  ['USA', 'US'],
  ['CAN', 'CA'],
  ['MEX', 'MX'],
  ['DEU', 'DE'],
  ['GER', 'DE'],
  ['FRA', 'FR'],
  ['ITA', 'IT'],
  ['ESP', 'ES'],
  ['AUS', 'AU'],
  ['AUT', 'AT'],
  ['CHE', 'CH'],
  ['NLD', 'NL'],
  ['POL', 'PL'],
  ['CHN', 'CN'],
  ['JPN', 'JP'],
])

/** The code that was meant; undefined = nobody can tell. */
export function rightCountry(said: string): string | undefined {
  return SPOKEN.get(said)
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** A currency of ISO 4217. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}

// The states' own posts. Blanks, dashes and the letters of the country in front do not count, see postalFormOf.
const DIGITS: readonly (readonly [countries: string, counts: readonly number[]])[] = [
  ['US PR VI GU AS MP', [5, 9]],
  ['AT AU BE BG CH CY DK HU LI LU LV NO NZ PH SI ZA', [4]],
  ['CZ DE EE ES FI FR GR HR IT KR LT MC MX MY PL SE SK SM TH TR UA VA', [5]],
  ['CN IN RO SG', [6]],
  ['JP', [7]],
  ['PT', [7, 4]],
  ['BR', [8]],
]

/** The form of a country's postal codes, as far as it is known here. */
interface PostalForm {
  /** For people, e.g. `5 digits`. */
  readonly wanted: string
  isGood(code: string): boolean
}

/** Undefined: any code will do. */
export function postalFormOf(country: string): PostalForm | undefined {
  // Canada Post, addressing guidelines: letter digit letter, digit letter digit.
  if (country === 'CA') return toForm('the form A1A 1A1', /^[ABCEGHJ-NPRSTVXY]\d[A-Z]\d[A-Z]\d$/)
  if (country === 'GB') {
    return toForm('the form SW1A 1AA', /^(?:[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}|GIR0AA|BFPO\d{1,4})$/)
  }
  if (country === 'NL') return toForm('the form 1012 AB', /^(?:NL)?\d{4}(?:[A-Z]{2})?$/)
  const counts = DIGITS.find(([countries]) => countries.split(' ').includes(country))?.[1]
  if (counts === undefined) return undefined
  const sizes = counts.map((count) => `\\d{${count}}`).join('|')
  const [first] = counts
  // A-1010, D-10117, F-75001, L-1234, CH-8001, LV-1010.
  const letters = `(?:${country}|${country.charAt(0)})?`
  return toForm(`${first} digits`, new RegExp(`^${letters}(?:${sizes})$`))
}

function toForm(wanted: string, pattern: RegExp): PostalForm {
  return { wanted, isGood: (code) => pattern.test(code.toUpperCase().replace(/[\s-]/g, '')) }
}
