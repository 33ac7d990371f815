import { renderZpl } from '../interpreters/zpl.ts'
import { fromRaster, type Gray } from './gray.ts'
import { RAW_SYMBOLS } from './raw.ts'

const MAXICODE =
  '002840787010000[)>_1E01_1D961ZX9900000_1DUPSN_1DX99A01_1D325_1D_1D1/1_1D12_1DN_1D7421 EXAMPLE DR_1DAUSTIN_1DTX_1E_04'

/** Terms as carriers print them at the foot, in letters of 12 dots. */
const TERMS = [
  "SEE NOTICE ON REVERSE regarding the carrier's terms, and notice of limitation of liability. Where allowed by law, shipper",
  'authorizes the carrier to act as forwarding agent for export control and customs purposes. If exported from the US, shipper',
  'certifies that the commodities, technology or software were exported from the US in accordance with the Export',
  'Administration Regulations. Diversion contrary to law is prohibited.',
]

/**
 * All that stands on a UPS label of 4x6 inches, where and as large as its ZPL at 203 dpi puts it: sender, weight and count,
 * receiver, MaxiCode, routing code with the postal Code 128, service with its icon, tracking number with its Code 128 of an
 * inch, billing, contents, references, terms, the program's line. Laid out from the description of such labels before the
 * bytes that it makes were ever measured; names and numbers are made up.
 */
const UPS_ZPL = `^XA^PW812^LL1218^LH0,0^CI28
^FO12,12^A0N,20,24^FDNORTHWIND PAPER GOODS^FS
^FO12,32^A0N,20,24^FD5035550142^FS
^FO12,52^A0N,20,24^FDNORTHWIND PAPER GOODS LLC^FS
^FO12,72^A0N,20,24^FD18 QUARRY LANE^FS
^FO12,92^A0N,20,24^FDPORTLAND OR 97205^FS
^FO400,12^A0N,30,34^FD12.5 LBS^FS
^FO640,12^A0N,28,32^FD1 OF 1^FS
^FO400,52^A0N,20,24^FDSHP#: X99A 01K4 9QT^FS
^FO400,72^A0N,20,24^FDSHP WT: 12.5 LBS^FS
^FO400,92^A0N,20,24^FDDATE: 21 NOV 2026^FS
^FO12,142^A0N,28,32^FDSHIP TO:^FS
^FO60,172^A0N,28,32^FDANA RIVERA^FS
^FO60,200^A0N,28,32^FD5125550147^FS
^FO60,228^A0N,28,32^FDRIVERA BOOKS AND MAPS^FS
^FO60,256^A0N,28,32^FD7421 EXAMPLE DRIVE, SUITE 4^FS
^FO60,286^A0N,45,44^FDAUSTIN TX 78701-4107^FS
^FO0,340^GB806,4,4^FS
^FO262,340^GB4,228,4^FS
^FO14,352^BD2^FH^FD${MAXICODE}^FS
^FO290,362^A0N,80,70^FDTX 787 9-04^FS
^FO300,452^BY3^BCN,103,N,N,N,A^FD420787014107^FS
^FO0,566^GB806,14,14^FS
^FO12,592^A0N,56,58^FDEXAMPLE GROUND^FS
^FO12,654^A0N,26,30^FDTRACKING #: 1Z X99 A01 03 9945 7281^FS
^FO680,580^GB126,104,104^FS
^FO716,592^A0N,90,80^FR^FDG^FS
^FO0,684^GB806,4,4^FS
^FO110,706^BY3^BCN,202,N,N,N,A^FD${RAW_SYMBOLS.ups}^FS
^FO0,926^GB806,14,14^FS
^FO12,950^A0N,22,26^FDBILLING: P/P^FS
^FO12,974^A0N,22,26^FDDESC: BOOKS AND PAPER GOODS^FS
^FO12,998^A0N,22,26^FDSIGNATURE REQUIRED^FS
^FO12,1060^A0N,22,26^FDREF 1: ORDER 10042^FS
^FO12,1084^A0N,22,26^FDREF 2: SHELF B-17^FS
^FO600,950^GFA,1152,1152,12,
${mountain()}
^FS
^FO240,1112^A0N,14,20^FDXOL 26.11.05     NV45 72.0A 11/2026*^FS
${TERMS.map((line, n) => `^FO12,${1134 + n * 14}^A0N,12,13^FD${line}^FS`).join('\n')}
^XZ`

/** Makes a UPS label, drawn by an independent renderer of ZPL: 812x1218, black and white. */
export async function upsLabel(): Promise<Gray> {
  return fromRaster(await renderZpl(UPS_ZPL, { width: 812, height: 1218, dpi: 203 }))
}

/** A shield of 96x96 dots with a mountain left white in it. */
function mountain(): string {
  const rows = Array.from({ length: 96 }, (_, y) => {
    const half = y < 48 ? 48 : Math.round(Math.sqrt(48 ** 2 - (y - 48) ** 2))
    const slope = y > 24 && y < 72 ? y - 24 : 0
    const dots = Array.from({ length: 96 }, (_, x) => {
      const fromMiddle = Math.abs(x - 47.5)
      return fromMiddle < half && fromMiddle >= slope ? '1' : '0'
    }).join('')
    return (dots.match(/.{4}/g) ?? []).map((four) => Number.parseInt(four, 2).toString(16)).join('')
  })
  return rows.join('\n').toUpperCase()
}
