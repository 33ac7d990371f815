import fc from 'fast-check'
import t from 'tap'
import { isBetweenZones, toCountry } from '../../src/carriers/zones.ts'

/** A place as `CC`, `CC code` or `CC code STATE`. */
function place(text: string) {
  const [country = '', code = '', state = ''] = text.split(' ')
  return { country, code, state }
}

function isDutiable(from: string, to: string): boolean {
  return isBetweenZones(place(from), place(to))
}

/** Routes that need no papers. */
const FREE: readonly (readonly [string, string])[] = [
  ['US 89501 NV', 'US 50010 IA'],
  ['DE 10117', 'FR 75001'],
  ['DE 10117', 'MC 98000'],
  ['FR 75001', 'FR 98000'], // Monaco as many write it
  ['IE', 'GB BT1-5GS'], // Northern Ireland
  ['GB BT15GS', 'PT'],
  ['GB SW1A1AA', 'GB BT15GS'],
  ['GB SW1A1AA', 'IM IM11AA'],
  ['CH 8001', 'LI 9490'],
  ['CH 8001', 'DE 78266'], // Büsingen
  ['PT 1000-001', 'PT 9000-001'], // Madeira
  ['ES 35001', 'ES 38001'],
  ['ES 28001', 'ES 07001'], // Mallorca
  ['FI 22100', 'AX 22100'],
  ['GP 97110', 'FR 97110'],
  ['US 89501 NV', 'PR 00907'],
  ['US 89501 NV', 'US 00907 PR'],
  ['US 89501 NV', 'VI 00802'],
  ['US 89501 NV', 'GU 96910'],
  ['US 89501 NV', 'AS 96799'],
  ['US 89501 NV', 'MP 96950'],
  ['PR 00907', 'GU 96910'],
  ['XI', 'DE'],
  ['BG', 'HR'],
]

/** Routes that need papers. */
const DUTIABLE: readonly (readonly [string, string])[] = [
  ['US 89501 NV', 'DE 10117'],
  ['US 89501 NV', 'CA V6B1A1 BC'],
  ['US 89501 NV', 'FM 96941'],
  ['US 89501 NV', 'US 96960 MH'],
  ['DE 10117', 'CH 8001'],
  ['DE 10117', 'NO 0150'],
  ['DE 10117', 'GB SW1A1AA'],
  ['DE 10117', 'AD AD500'],
  ['DE 10117', 'SM 47890'],
  ['IT 00184', 'IT 47890'],
  ['IT 00184', 'VA 00120'],
  ['IT 00184', 'IT 00120'],
  ['IT 00184', 'IT 23041'],
  ['IT 00184', 'IT 22061'],
  ['DE 10117', 'DE 27498'],
  ['DE 10117', 'DE D-78266'],
  ['ES 28001', 'ES 35001'],
  ['ES 28001', 'ES 38001'],
  ['ES 28001', 'ES 51001'],
  ['ES 51001', 'ES 52001'],
  ['DE 10117', 'ES 35001'],
  ['FI 00100', 'FI 22100'],
  ['FI 00100', 'FI FIN-22100'],
  ['FI 00100', 'AX'],
  ['FR 75001', 'FR 97110'],
  ['FR 75001', 'RE 97400'],
  ['FR 75001', 'GF'],
  ['FR 97110', 'FR 97200'],
  ['GR 10431', 'GR 63086'],
  ['DK 1050', 'FO 100'],
  ['DK 1050', 'DK 100'],
  ['DK 1050', 'GL 3900'],
  ['DK 1050', 'DK 3900'],
  ['GB SW1A1AA', 'JE JE23AB'],
  ['GB SW1A1AA', 'GB JE23AB'],
  ['GB SW1A1AA', 'GG GY11AA'],
  ['DE 10117', 'JE JE23AB'],
  ['DE 10117', 'IM IM11AA'],
  ['CN 100000', 'HK'],
  ['NL 1012AB', 'AW'],
]

t.test('papers are wanted between customs and tax territories, and nowhere else', (t) => {
  for (const [from, to] of FREE) {
    t.notOk(isDutiable(from, to), `${from} to ${to}`)
    t.notOk(isDutiable(to, from), `${to} to ${from}`)
  }
  for (const [from, to] of DUTIABLE) {
    t.ok(isDutiable(from, to), `${from} to ${to}`)
    t.ok(isDutiable(to, from), `${to} to ${from}`)
  }
  t.end()
})

t.test('there and back are the same, and there is none at one place', (t) => {
  const places = [...FREE, ...DUTIABLE].flat()
  const any = fc.constantFrom(...places)
  fc.assert(
    fc.property(any, any, (from, to) => {
      return isDutiable(from, to) === isDutiable(to, from) && !isDutiable(from, from)
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('a territory that is given as a state is a country', (t) => {
  for (const state of ['PR', 'vi', 'GU', 'AS', 'MP', 'FM', 'MH', 'PW']) {
    const found = toCountry({ country: 'US', state, code: '00907' })
    t.same(found, { country: state.toUpperCase(), state: '', code: '00907' })
  }
  const texas = { country: 'US', state: 'TX', code: '73301' }
  t.equal(toCountry(texas), texas)
  const mexican = { country: 'MX', state: 'AS', code: '20000' }
  t.equal(toCountry(mexican), mexican)
  t.end()
})
