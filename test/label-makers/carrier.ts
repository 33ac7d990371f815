import { createGray, fillBox, type Gray, place, turn } from './gray.ts'
import { write } from './lettering.ts'
import { drawBars, drawMatrix } from './symbols.ts'

/** The symbols on a carrier label, by the reader's names of the formats. */
export const CARRIER_SYMBOLS: Readonly<Record<string, string>> = {
  Code128: '1ZX99A010399457281',
  PDF417: [
    '[)>01020378701840019794657000417FDEG012345678912/1100LBN7421 EXAMPLE DRIVE',
    'AUSTIN TX RIVERA BOOKS AND MAPS 06 10ZGD008 11ZRIVERA BOOKS 12Z5125550147 14ZSUITE 4',
    '15Z118734290 31Z9612019012345671234500794657000417 34Z02 KORDER 10042 26Z1891 9KSHELF B-17',
    'FROM NORTHWIND PAPER GOODS 18 QUARRY LANE PORTLAND OR 97205 WEIGHT 12.5 LB BOX 1 OF 1',
  ].join(' '),
  DataMatrix: '420787019405511899223197428490 EXAMPLE 0042',
  QRCode: 'HTTPS://LABELS.EXAMPLE/R/9F3K2-77Q1',
}

/** Dots at 812x1218; everything on the label is scaled from these. */
const BASE = { width: 812, height: 1218 }

/**
 * A carrier-like label in portrait: sender, receiver, boxes, a logo, large type, and a Code 128, a PDF417, a Data
 * Matrix and a QR code of the sizes that carriers print (modules of 10 to 25 mil at 203 dpi). Black and white only.
 * All names and numbers are made up.
 */
export function carrierLabel(size: { width: number; height: number } = BASE): Gray {
  const scale = Math.min(size.width / BASE.width, size.height / BASE.height)
  const gray = createGray(size.width, size.height)
  const dots = (value: number) => Math.round(value * scale)
  const line = (x: number, y: number, width: number, height: number) =>
    fillBox(gray, dots(x), dots(y), dots(width), dots(height))
  const text = (x: number, y: number, words: string, dot: number) =>
    write(gray, dots(x), dots(y), words, dots(dot))

  drawLogo(gray, dots(640), dots(24), dots(130))
  text(30, 30, 'Northwind Paper Goods', 2)
  text(30, 54, '18 Quarry Lane', 2)
  text(30, 78, 'Portland OR 97205', 2)
  text(400, 30, '12.5 lb  1 of 1', 2)
  line(12, 160, 788, 3)
  text(30, 176, 'Ship to:', 2)
  text(60, 206, 'Rivera Books and Maps', 4)
  text(60, 244, '7421 Example Drive, Suite 4', 4)
  text(60, 282, 'Austin TX 78701', 5)
  line(12, 350, 788, 3)
  drawMatrix(gray, { x: dots(44), y: dots(376), module: dots(5) }, 'qrcode', SYMBOLS.QRCode)
  text(250, 380, 'TX 787 9-04', 7)
  text(250, 450, 'Example Ground', 4)
  text(250, 492, 'Tracking #: 1Z X99 A01 03 9945 7281', 2)
  line(12, 556, 788, 12)
  drawBars(
    gray,
    { x: dots(100), y: dots(600), module: dots(3), height: dots(210) },
    SYMBOLS.Code128,
  )
  line(12, 846, 788, 12)
  const stacked = { x: dots(30), y: dots(880), module: dots(2), tall: 3 }
  drawMatrix(gray, stacked, 'pdf417', SYMBOLS.PDF417, { columns: 12, eclevel: 5 })
  drawMatrix(
    gray,
    { x: dots(640), y: dots(886), module: dots(5) },
    'datamatrix',
    SYMBOLS.DataMatrix,
  )
  line(12, 1112, 788, 3)
  text(30, 1130, 'Ref 1: order 10042   Ref 2: shelf B-17', 2)
  text(30, 1156, 'Example carrier 26.11  no signature', 2)
  line(12, 1194, 788, 3)
  line(12, 160, 3, 1037)
  line(797, 160, 3, 1037)
  return gray
}

/** UPS geometry: 7x4 inches at 200 dpi, the 4x6 label turned on its side with an inch of blank paper after it. */
export function sidewaysLabel(degrees: 90 | 270 = 270): Gray {
  const upright = carrierLabel({ width: 800, height: 1200 })
  const page = createGray(1400, 800)
  return place(page, turn(upright, degrees), degrees === 90 ? 200 : 0, 0)
}

/** A letter page at 203 dpi with the label at its top left, as carriers send it to office printers. */
export function letterPage(): Gray {
  return place(createGray(1726, 2233), carrierLabel(), 60, 60)
}

const SYMBOLS = {
  Code128: CARRIER_SYMBOLS['Code128'] ?? '',
  PDF417: CARRIER_SYMBOLS['PDF417'] ?? '',
  DataMatrix: CARRIER_SYMBOLS['DataMatrix'] ?? '',
  QRCode: CARRIER_SYMBOLS['QRCode'] ?? '',
}

/** A solid disc with a mountain in it. */
function drawLogo(gray: Gray, x: number, y: number, size: number): void {
  const radius = size / 2
  for (let row = 0; row < size; row++) {
    const half = Math.sqrt(Math.max(0, radius ** 2 - (row - radius) ** 2))
    fillBox(gray, Math.round(x + radius - half), y + row, Math.round(half * 2), 1)
    const slope = Math.round((row - size * 0.3) * 0.6)
    if (slope > 0 && row < size * 0.75) {
      fillBox(gray, Math.round(x + radius) - slope, y + row, slope * 2, 1, 255)
    }
  }
}
