/** The thread of the page that draws raw labels: a label in, a picture out. Whoever started it ends it when it takes too long. */
import * as bwipp from '../bwipp.js'
import { drawRaw } from './draw.js'
import { toPng } from './png.js'

/** Named one by one, so that the build leaves the others out. */
const encoders = {
  bwipp_encode: bwipp.bwipp_encode,
  bwipp_azteccode: bwipp.bwipp_azteccode,
  bwipp_code11: bwipp.bwipp_code11,
  bwipp_code39: bwipp.bwipp_code39,
  bwipp_code93: bwipp.bwipp_code93,
  bwipp_datamatrix: bwipp.bwipp_datamatrix,
  bwipp_ean13: bwipp.bwipp_ean13,
  bwipp_ean8: bwipp.bwipp_ean8,
  bwipp_industrial2of5: bwipp.bwipp_industrial2of5,
  bwipp_interleaved2of5: bwipp.bwipp_interleaved2of5,
  bwipp_maxicode: bwipp.bwipp_maxicode,
  bwipp_micropdf417: bwipp.bwipp_micropdf417,
  bwipp_msi: bwipp.bwipp_msi,
  bwipp_pdf417: bwipp.bwipp_pdf417,
  bwipp_pdf417compact: bwipp.bwipp_pdf417compact,
  bwipp_qrcode: bwipp.bwipp_qrcode,
  bwipp_rationalizedCodabar: bwipp.bwipp_rationalizedCodabar,
  bwipp_upca: bwipp.bwipp_upca,
  bwipp_upce: bwipp.bwipp_upce,
}

/** @typedef {{ id: number, bytes: Uint8Array, size: { format: string, width_in: number | null, height_in: number | null, dpi: number } }} Order */

self.addEventListener('message', async (/** @type {MessageEvent<Order>} */ { data }) => {
  const { id, bytes, size } = data
  try {
    const drawn = await drawRaw(bytes, { ...size, encoders })
    if (drawn === undefined) return self.postMessage({ id, isUnknown: true })
    const png = await toPng(drawn.paper)
    self.postMessage({ id, png, warnings: drawn.warnings })
  } catch (error) {
    self.postMessage({ id, fault: String(error) })
  }
})

self.postMessage({ id: 0, ready: true })
