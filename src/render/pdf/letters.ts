/** PDFium's functions about the text of a page (fpdf_text.h, fpdf_edit.h). */
export interface PdfiumText {
  /** Another object whenever memory grows. */
  readonly HEAPU8: Uint8Array
  readonly wasmExports: { malloc(bytes: number): number; free(at: number): void }
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(text: number): void
  _FPDFText_CountChars(text: number): number
  _FPDFText_GetUnicode(text: number, index: number): number
  _FPDFText_HasUnicodeMapError(text: number, index: number): number
  _FPDFText_GetTextObject(text: number, index: number): number
  _FPDFText_GetCharBox(
    text: number,
    index: number,
    ...leftRightBottomTop: [number, number, number, number]
  ): number
  _FPDFTextObj_GetFont(object: number): number
  _FPDFTextObj_GetTextRenderMode(object: number): number
  _FPDFFont_GetIsEmbedded(font: number): number
}

const INVISIBLE = 3 // FPDF_TEXTRENDERMODE_INVISIBLE
const DOUBLES = 4
/** The thinnest real one, an em dash of a light font, is some 4 % as high as it is wide. */
const FLAT = 0.01
const INK = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u
/** As many letters are named; a page of Chinese would fill the note. */
const NAMED = 12

/**
 * Letters of a page that come out missing or wrong because the PDF does not bring their font: PDFium has the 14 standard
 * fonts in Western letters only, draws nothing for others and does not say so. At most 12, each once; '' for letters
 * whose meaning the PDF does not tell.
 */
export function listMissingLetters(module: PdfiumText, page: number): readonly string[] {
  const text = module._FPDFText_LoadPage(page)
  if (text === 0) return []
  const box = module.wasmExports.malloc(DOUBLES * Float64Array.BYTES_PER_ELEMENT)
  try {
    const missing = new Set<string>()
    const count = module._FPDFText_CountChars(text)
    for (let n = 0; n < count && missing.size < NAMED; n++) {
      const letter = String.fromCodePoint(module._FPDFText_GetUnicode(text, n))
      if (!isSeen(module, text, n)) continue
      if (module._FPDFText_HasUnicodeMapError(text, n) === 1) missing.add('')
      else if (INK.test(letter) && isFlat(module, text, n, box)) missing.add(letter)
    }
    return [...missing]
  } finally {
    module.wasmExports.free(box)
    module._FPDFText_ClosePage(text)
  }
}

/** Of a font that the PDF does not bring; PDFium's own line ends and spaces belong to no object. */
function isSeen(module: PdfiumText, text: number, index: number): boolean {
  const object = module._FPDFText_GetTextObject(text, index)
  if (object === 0 || module._FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) return false
  const font = module._FPDFTextObj_GetFont(object)
  return font !== 0 && module._FPDFFont_GetIsEmbedded(font) === 0
}

/** A glyph that PDFium does not have is as wide as the font says, but has no height; turned text swaps the two. */
function isFlat(module: PdfiumText, text: number, index: number, box: number): boolean {
  const places = [box, box + 8, box + 16, box + 24] as const
  if (module._FPDFText_GetCharBox(text, index, ...places) === 0) return false
  const sides = new Float64Array(module.HEAPU8.buffer, box, DOUBLES)
  const [left = 0, right = 0, bottom = 0, top = 0] = sides
  const [width, height] = [Math.abs(right - left), Math.abs(top - bottom)]
  return Math.min(width, height) <= Math.max(width, height) * FLAT
}
