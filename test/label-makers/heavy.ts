import { carrierLabel } from './carrier.ts'
import { fillBox, type Gray } from './gray.ts'
import { write } from './lettering.ts'
import { drawMatrix } from './symbols.ts'

/** Small print, as carriers put terms and references on what room there is. */
const TERMS = [
  'Shipper agrees to the terms of carriage. Goods are carried under the conditions in force on',
  'the day of shipping. Liability is limited to 100 USD unless a higher value is declared above.',
  'Export of these items from the country of shipping was in accordance with its regulations.',
  'Diversion contrary to law is prohibited. Not delivered. Return to sender at sender expense.',
]

/**
 * A label as heavy as the one that the targets for bytes were measured with (93 KB as run lengths without repeated rows,
 * 40 KB with them, 12.5 KB in Z64 by the prototype): the ordinary one, and on it small print, a dense symbol and a grey logo.
 */
export function heavyLabel(): Gray {
  const gray = carrierLabel()
  for (const [n, line] of TERMS.entries()) {
    write(gray, 130, 382 + n * 11, line.slice(0, 20), 1)
    write(gray, 20, 516 + n * 10, line, 1)
    write(gray, 430, 56 + n * 22, line.slice(0, 30), 1)
  }
  fillBox(gray, 590, 366, 200, 180, 255)
  drawMatrix(
    gray,
    { x: 600, y: 372, module: 2 },
    'datamatrix',
    `${TERMS.join(' ')} ${TERMS.join(' ')}`,
  )
  drawShades(gray, 590, 1118, 190, 74)
  return gray
}

/** Shades from black to white and waves between, through an 8x8 pattern. */
function drawShades(gray: Gray, left: number, top: number, width: number, height: number): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const shade = 128 + 70 * Math.sin(x / 17) + 60 * Math.cos((y + x / 3) / 9)
      const limit = (((x * 37 + y * 59) & 63) * 255) / 64
      gray.luma[(top + y) * gray.width + left + x] = shade < limit ? 0 : 255
    }
  }
}
