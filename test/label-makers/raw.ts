/** Labels in the languages of the printers, as carriers' systems write them; all names and numbers are made up. */

const MAXICODE_ZPL =
  '002840787010000[)>_1E01_1D961ZX9900000_1DUPSN_1DX99A01_1D325_1D_1D1/1_1D12_1DN_1D7421 EXAMPLE DR_1DAUSTIN_1DTX_1E_04'

const PDF417_TEXT =
  '[)>01020378701840019794657000417FDEG012345678912/1100LBN7421 EXAMPLE DRIVEAUSTIN TX 06 10ZGD008 11ZRIVERA BOOKS 12Z5125550147'

/** The symbols of `upsLikeZpl` and `fedexLikeZpl`. */
export const RAW_SYMBOLS = {
  ups: '1ZX99A010399457281',
  fedex: '9622001900005124711300794657000417',
  pdf417: PDF417_TEXT,
} as const

/** 4x6 inches at 203 dpi, printed upside down, with a MaxiCode and settings that stay in the printer afterwards. */
export const upsLikeZpl: Uint8Array = Buffer.from(`^XA
^LRN^MNY^MFN,N^LH10,12^MCY^POI^PW812^LL1218^CI28
^FO15,20^A0N,20,24^FVNORTHWIND PAPER GOODS^FS
^FO15,42^A0N,20,24^FV18 QUARRY LANE^FS
^FO15,64^A0N,20,24^FVPORTLAND OR 97205^FS
^FO440,20^A0N,30,34^FV12.5 LBS^FS
^FO640,20^A0N,26,28^FV1 OF 1^FS
^FO15,160^A0N,24,26^FVSHIP TO:^FS
^FO60,190^A0N,30,34^FVANA RIVERA^FS
^FO60,224^A0N,30,34^FVRIVERA BOOKS & MAPS^FS
^FO60,258^A0N,30,34^FV7421 EXAMPLE DRIVE, SUITE 4^FS
^FO60,292^A0N,40,44^FVAUSTIN TX 78701^FS
^FO0,340^GB790,4,4^FS
^FO25,360^CVY^BD2^FH^FD${MAXICODE_ZPL}^FS
^FO290,380^A0N,70,76^FVTX 787 9-04^FS
^FO290,470^BY3^BCN,70,N,N,N,A^FD42078701^FS
^FO0,570^GB790,10,10^FS
^FO15,590^A0N,50,54^FVEXAMPLE GROUND^FS
^FO15,650^A0N,26,30^FVTRACKING #: 1Z X99 A01 03 9945 7281^FS
^FO0,690^GB790,4,4^FS
^FO110,720^BY3^BCN,200,N,N,N,A^FD${RAW_SYMBOLS.ups}^FS
^FO0,950^GB790,10,10^FS
^FO15,975^A0N,22,26^FH^FDBILLING: P/P  CAF_C3_A9^FS
^FO15,1090^A0N,22,26^FVREF 1: ORDER 10042   REF 2: SHELF B-17^FS
^PQ1
^XZ
`)

/** 4x6 inches at 203 dpi, with a PDF417 and a logo as ^GFA. */
export const fedexLikeZpl: Uint8Array = Buffer.from(`^XA^CF0,0,0^PR12^PW812^LH0,0^CI28
^FO12,139^GB775,3,2^FS
^FO30,20^A0N,21,21^FDORIGIN ID:PDXA  (503) 555-0142^FS
^FO30,42^A0N,21,21^FDNORTHWIND PAPER GOODS^FS
^FO30,64^A0N,21,21^FD18 QUARRY LANE^FS
^FO30,86^A0N,21,21^FDPORTLAND OR 97205 US^FS
^FO480,20^A0N,21,21^FDSHIP DATE: 21NOV26^FS
^FO480,42^A0N,21,21^FDACTWGT: 12.5 LB^FS
^FO700,60^GFA,256,256,8,
${mountain()}
^FS
^FO30,160^A0N,38,38^FDANA RIVERA^FS
^FO30,200^A0N,38,38^FDRIVERA BOOKS AND MAPS^FS
^FO30,240^A0N,38,38^FD7421 EXAMPLE DRIVE^FS
^FO30,290^A0N,43,40^FDAUSTIN TX 78701^FS
^FO30,340^A0N,21,21^FD(512) 555-0147   REF: 10042^FS
^FO12,370^GB775,3,2^FS
^FO40,395^BY2,3^B7N,10,5,12^FH^FD${PDF417_TEXT}^FS
^FO12,620^GB775,3,2^FS
^FO30,640^A0N,40,40^FDTRK# 7946 5700 0417^FS
^FO470,640^A0N,50,46^FDEXAMPLE 2DAY^FS
^FO30,720^A0N,110,110^FDXA AUSA^FS
^FO60,880^BY2,3^BCN,220,N,N,N,N^FD>;${RAW_SYMBOLS.fedex}^FS
^PQ1,0,1,Y
^XZ
`)

/** 4x6 inches at 203 dpi, with settings as old shipping programs send them, and a logo as GW. */
export const eplLabel: Uint8Array = Buffer.concat([
  Buffer.from(
    [
      'EPL2',
      'q795',
      'N',
      'Q1218,24',
      'S4',
      'D12',
      'ZT',
      'A20,20,0,3,1,1,N,"NORTHWIND PAPER GOODS"',
      'A20,44,0,3,1,1,N,"18 QUARRY LANE"',
      'A20,68,0,3,1,1,N,"PORTLAND OR 97205"',
      'GW700,20,4,32,',
    ].join('\r\n'),
    'latin1',
  ),
  Buffer.from(
    Array.from({ length: 32 }, (_, row) => [0xff, 0xff << Math.min(8, row / 4), row, 0x0a]).flat(),
  ),
  Buffer.from(
    [
      '',
      'LO0,120,795,4',
      'A20,140,0,3,1,1,N,"SHIP TO:"',
      'A60,170,0,4,1,1,N,"RIVERA BOOKS \\"MAPS\\""',
      'A60,200,0,4,1,1,N,"7421 EXAMPLE DRIVE"',
      'A60,240,0,4,2,2,N,"AUSTIN TX 78701"',
      'LO0,310,795,4',
      `b30,340,P,700,200,s4,c0,x2,y6,r60,l12,"${PDF417_TEXT}"`,
      'LO0,560,795,12',
      'A20,590,0,4,1,1,N,"TRACKING #: 1Z X99 A01 03 9945 7281"',
      `B110,650,0,1,3,9,200,N,"${RAW_SYMBOLS.ups}"`,
      'X10,900,4,780,1000',
      'P1',
      '',
    ].join('\r\n'),
    'latin1',
  ),
])

/** 4x6 inches at 203 dpi, as label programs for the clones write it. */
export const tsplLabel: Uint8Array = Buffer.from(
  [
    'SIZE 101.6 mm,152.4 mm',
    'GAP 3 mm,0 mm',
    'DIRECTION 1,0',
    'REFERENCE 0,0',
    'DENSITY 8',
    'SPEED 4',
    'CLS',
    'TEXT 30,30,"3",0,1,1,"NORTHWIND PAPER GOODS"',
    'TEXT 30,60,"3",0,1,1,"PORTLAND OR 97205"',
    'BAR 0,120,812,4',
    'TEXT 60,160,"4",0,1,1,"RIVERA BOOKS AND MAPS"',
    'TEXT 60,200,"4",0,1,1,"AUSTIN TX 78701"',
    'BOX 10,300,800,560,4',
    'QRCODE 40,330,M,5,A,0,"HTTPS://LABELS.EXAMPLE/R/9F3K2-77Q1"',
    `BARCODE 110,650,"128",200,1,0,3,9,"${RAW_SYMBOLS.ups}"`,
    'PRINT 1,1',
    '',
  ].join('\r\n'),
  'latin1',
)

/** 64x32 dots in lower-case hexadecimal with line breaks, as drivers write it: a mountain. */
function mountain(): string {
  const rows = Array.from({ length: 32 }, (_, row) => {
    const dots = (2n ** BigInt(row * 2) - 1n) << BigInt(32 - row)
    return (dots & 0xffffffffffffffffn).toString(16).padStart(16, '0')
  })
  return rows.join('\n')
}
