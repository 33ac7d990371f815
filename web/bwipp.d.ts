/** bwip-js's encoders without its drawing, which has no types of its own; `locateLibrary` knows where it lies. */
type Encoder = () => void
export function bwipp_encode(
  graphics: object,
  encoder: unknown,
  text: string,
  options: object,
  isDry: true,
): Map<string, unknown>[]
export const bwipp_azteccode: Encoder
export const bwipp_code11: Encoder
export const bwipp_code39: Encoder
export const bwipp_code93: Encoder
export const bwipp_datamatrix: Encoder
export const bwipp_ean13: Encoder
export const bwipp_ean8: Encoder
export const bwipp_industrial2of5: Encoder
export const bwipp_interleaved2of5: Encoder
export const bwipp_maxicode: Encoder
export const bwipp_micropdf417: Encoder
export const bwipp_msi: Encoder
export const bwipp_pdf417: Encoder
export const bwipp_pdf417compact: Encoder
export const bwipp_qrcode: Encoder
export const bwipp_rationalizedCodabar: Encoder
export const bwipp_upca: Encoder
export const bwipp_upce: Encoder
