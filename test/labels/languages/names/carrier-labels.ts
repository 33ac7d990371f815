import {
  checkFedEx,
  checkS10,
  checkThrees,
  checkUps,
} from '../../../../src/labels/languages/names/tracking.ts'

/** A label as a carrier writes it, and what a person would call it. */
export interface CarrierLabel {
  readonly kind: string
  readonly label: string
  readonly name: string
}

/** Numbers that are the same at every run. */
function makeRandom(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

type Random = ReturnType<typeof makeRandom>

function digits(random: Random, count: number): string {
  return Array.from({ length: count }, () => random(10)).join('')
}

/** The number with the check digit that makes it good. */
function complete(make: (check: number) => string, isGood: (number: string) => boolean): string {
  for (let check = 0; check < 10; check += 1) if (isGood(make(check))) return make(check)
  throw new Error(`no check digit for ${make(0)}`)
}

function spaced(number: string, ...groups: readonly number[]): string {
  const starts = groups.map((_, n) => groups.slice(0, n).reduce((sum, size) => sum + size, 0))
  return groups.map((size, n) => number.slice(starts[n] ?? 0, (starts[n] ?? 0) + size)).join(' ')
}

const PEOPLE = [
  'ANA RIVERA',
  'JOHN SMITH',
  'LUC JANSSENS',
  'MARIE DUPONT',
  'Jürgen Groß',
  'SIOBHAN O_27NEIL',
  'RIVERA BOOKS AND MAPS',
  'ACME LOGISTICS',
  'Zoë Kravitz',
  'J.C. PENNEY',
]

// The layouts are those of labels that the carriers' programs made (positions, order and words); names and numbers are not.
function ups(random: Random, person: string): CarrierLabel {
  const account = `${digits(random, 2)}X${random(10)}A${random(10)}`
  const head = `${account}0${random(4)}${digits(random, 7)}`
  const number = complete(
    (check) => `1Z${head}${check}`,
    (one) => checkUps(one.slice(2)),
  )
  const told = spaced(number, 2, 3, 3, 2, 4, 4)
  const label = `^XA^LH0,0^XZ^XA^FO284,524^BCN,103,N,N,N,A^FD42097205${digits(random, 4)}^FS
^FO66,792^BY3^BCN,202,N,N,N,A^FD${number}^FS
^FO20,431^BD2^FH^FD003840787010000[)>_1E01_1D961Z${number.slice(-8)}_1DUPSN_1D${account}_1D325_1D_1D1/1_1D12_1DN_1D_1E_04^FS
^FT15,7^A0N,20,24^FDNORTHWIND PAPER GOODS^FS^FT15,27^A0N,20,24^FD5035550142^FS
^FT15,142^A0N,28,32^FDSHIP TO: ^FS^FT61,166^A0N,28,32^FH^FD${person}^FS^FT61,194^A0N,28,32^FD5125550147^FS
^FT61,251^A0N,28,32^FD7421 EXAMPLE DRIVE, SUITE 4^FS^FT61,279^A0N,45,44^FDAUSTIN TX 78701-4107^FS
^FT446,9^A0N,30,34^FD12 LBS^FS^FT508,51^A0N,20,24^FDSHP#: X99A 01K4 9QT^FS
^FT9,670^A0N,56,58^FDUPS GROUND^FS^FT9,731^A0N,26,30^FDTRACKING #: ${told}^FS
^FT10,1163^A0N,22,26^FDReference No.1: ${digits(random, 12)}^FS^XZ`
  return { kind: 'UPS', label, name: number }
}

function usps(random: Random, person: string): CarrierLabel {
  const zip = digits(random, 5)
  const head = `94${digits(random, 19)}`
  const number = complete((check) => `${head}${check}`, checkThrees)
  const told = spaced(number, 4, 4, 4, 4, 4, 2)
  const label = `^XA^MCY^CI0^FT450,65^A0N,30,30^FDU.S. POSTAGE PAID^FS^FT50,30^A0N,99,99^FDP^FS
^FT0,220^A0N,60,60^FB800,1,0,C^FDPRIORITY MAIL^FS^FT30,300^A0N,25,25^FDTEST MERCHANT^FS
^FT30,390^A0N,25,25^FDMISSOURI CITY TX 77489-1334^FS^FT134,640^A0N,35,35^FH^FD${person}^FS
^FT134,720^A0N,35,35^FDKENMORE WA ${zip}^FS^FT0,777^A0N,35,35^FB800,1,0,C^FDUSPS TRACKING #  eVS^FS
^FT0,1033^A0N,35,35^FB800,1,0,C^FD${told}^FS
^FO55,832^BY3^BCN,150,N,N,N,D^FD>;>8420${zip}>8${number}^FS
^FO27,600^BXN,4,200^FH^FD_1420${zip}_1${number}^FS^XZ`
  return { kind: 'USPS', label, name: number }
}

function fedEx(random: Random, person: string): CarrierLabel {
  const head = `7${digits(random, 10)}`
  const number = complete((check) => `${head}${check}`, checkFedEx)
  const told = spaced(number, 4, 4, 4)
  const label = `^XA^CF,0,0,0^PR12^MD30^PW800^PON^CI13^LH0,20
^FO28,747^A0N,24,24^FDTRK#^FS^FO32,10^A0N,18,18^FDORIGIN ID:HKAA ^FS^FO224,10^A0N,18,18^FD(901) 555-1234^FS
^FO32,28^A0N,18,18^FDTEST SENDER^FS^FO478,46^A0N,18,18^FDCAD: ${digits(random, 7)}/WSXI3600^FS
^FO15,151^A0N,21,21^FDTO^FS^FO60,149^A0N,38,38^FH^FD${person}^FS^FO60,233^A0N,38,38^FD100 MARKET STREET^FS
^FO60,317^A0N,43,40^FDSAN FRANCISCO CA 94105^FS^FO35,359^A0N,21,21^FD(415) 555-9876^FS
^FO652,449^A0N,43,58^FDFedEx^FS^FO21,449^BY2,2^B7N,10,5,14^FH^FD[)>_1E01_1D0294105_1D840_1D20_1D${number}0201_1DFDE_1D740561073_1E06_1D10ZGH002_1E_04^FS
^FO95,751^A0N,53,40^FD${told}^FS^FO790,523^A0R,13,18^FDJ${digits(random, 12)}uv^FS
^FO328,364^A0N,21,21^FDREF: ${digits(random, 12)}^FS^FO38,378^A0N,21,21^FDINV: ${digits(random, 10)}^FS
^FO75,993^BY3,2^BCN,200,N,N,N,N^FD>;1195${digits(random, 18)}${number}^FS^XZ`
  return { kind: 'FedEx', label, name: number }
}

function dhl(random: Random, person: string): CarrierLabel {
  const head = digits(random, 9)
  const number = `${head}${Number(head) % 7}`
  const label = `^XA^CI28^FO20,20^A0N,40,40^FDEXPRESS WORLDWIDE^FS^FO20,80^A0N,20,20^FDFrom :^FS
^FO90,80^A0N,20,20^FDTEST SENDER GmbH^FS^FO20,220^A0N,24,24^FDTo :^FS^FO90,220^A0N,28,28^FH^FD${person}^FS
^FO90,250^A0N,28,28^FDHauptstrasse 12^FS^FO20,900^A0N,30,30^FDWAYBILL ${spaced(number, 2, 4, 4)}^FS
^FO60,740^BY3^BCN,150,N,N,N,A^FD${number}^FS^FO60,1100^BY3^BCN,100,N,N,N,A^FDJD0146000${digits(random, 11)}^FS
^FO500,900^A0N,20,20^FDRef: ${digits(random, 10)}^FS^XZ`
  return { kind: 'DHL', label, name: number }
}

function post(random: Random, person: string): CarrierLabel {
  const head = digits(random, 8)
  const number = complete((check) => `RX${head}${check}DE`, checkS10)
  const label = `^XA^CI27^FO30,30^A0N,40,40^FDDeutsche Post^FS^FO30,100^A0N,20,20^FDAbsender: Test GmbH^FS
^FO30,255^A0N,24,24^FDDELIVER TO:^FS^FO30,280^A0N,34,34^FH^FD${person.replace(/[^ -~]/g, '_E9')}^FS
^FO30,650^A0N,30,30^FD${spaced(number, 2, 3, 3, 3, 2)}^FS^FO30,700^BY3^B3N,N,120,N,N^FD${number}^FS^XZ`
  return { kind: 'S10', label, name: number }
}

/** Its number is not one that is known here. */
function other(random: Random, person: string): CarrierLabel {
  const label = `^XA^CI28^FO30,100^A0N,20,20^FDNADAWCA / SENDER:^FS^FO30,130^A0N,24,24^FDSklep Internetowy Sp.z.o.o^FS
^FO30,160^A0N,24,24^FDul. Piotrkowska 100^FS^FO30,260^A0N,20,20^FDODBIORCA / RECIPIENT:^FS
^FO30,290^A0N,34,34^FH^FD${person}^FS^FO30,330^A0N,30,30^FDul. Marszalkowska 50^FS^FO30,400^A0N,30,30^FD00-950 Warszawa^FS
^FO30,710^BY2^BCN,140,Y,N^FD${digits(random, 26)}^FS^FO30,930^A0N,20,20^FDREF: INP-${digits(random, 12)}^FS^XZ`
  return { kind: 'recipient', label, name: person.replace('_27', "'") }
}

/** Sixty labels: six carriers, ten people. */
export function carrierLabels(): readonly CarrierLabel[] {
  const random = makeRandom(17)
  const carriers = [ups, usps, fedEx, dhl, post, other]
  return carriers.flatMap((carrier) => PEOPLE.map((person) => carrier(random, person)))
}
