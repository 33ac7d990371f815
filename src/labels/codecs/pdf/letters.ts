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
  _FORM_OnAfterLoadPage(page: number, form: number): void
  _FPDFPage_GetAnnotCount(page: number): number
  _FPDFPage_GetAnnot(page: number, index: number): number
  _FPDFPage_CloseAnnot(annotation: number): void
  _FPDFAnnot_GetSubtype(annotation: number): number
  _FPDFAnnot_GetFlags(annotation: number): number
  _FPDFAnnot_GetObjectCount(annotation: number): number
  _FPDFAnnot_GetObject(annotation: number, index: number): number
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number
  _FPDFAnnot_GetFormFieldValue(form: number, field: number, to: number, bytes: number): number
  _FPDFPageObj_GetType(object: number): number
}

const INVISIBLE = 3 // FPDF_TEXTRENDERMODE_INVISIBLE
const DOUBLES = 4
/** The thinnest real one, an em dash of a light font, is some 4 % as high as it is wide. */
const FLAT = 0.01
const INK = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u
/** Most characters that are named; a page of Chinese would fill the note. */
const NAMED = 12
const FIELD = 20 // FPDF_ANNOT_WIDGET
// Of an annotation (PDF 1.7, 12.5.3).
export const [HIDDEN, PRINT, NO_VIEW] = [2, 4, 32]
const TEXT = 1 // FPDF_PAGEOBJ_TEXT
const WITH_TEXT = [4, 5, 6] // FPDF_FORMFIELD_COMBOBOX, _LISTBOX, _TEXTFIELD
/** Characters that PDFium draws in a field of any letter, sign and digit. */
const DRAWN = /[\0-\u00ffŁłŒœŠšŸŽžƒ\ufb01\ufb02]|[^\p{L}\p{M}\p{N}]/u

/**
 * Letters of a page that come out missing or wrong because the PDF does not bring their font: PDFium has the 14 standard
 * fonts in Western letters only, draws nothing for others and does not say so. At most 12, each once; '' for letters
 * whose meaning the PDF does not tell.
 */
export function listMissingLetters(
  module: PdfiumText,
  page: number,
  form: number,
): readonly string[] {
  const missing = new Set<string>()
  addFromText(module, page, missing)
  // Fields that their maker did not draw are drawn now.
  module._FORM_OnAfterLoadPage(page, form)
  eachField(module, page, (field, flags) => {
    if ((flags & (PRINT | HIDDEN)) !== PRINT || hasOwnFont(module, field)) return
    if (!WITH_TEXT.includes(module._FPDFAnnot_GetFormFieldType(form, field))) return
    for (const letter of readValue(module, form, field)) {
      if (missing.size < NAMED && !DRAWN.test(letter)) missing.add(letter)
    }
  })
  return [...missing]
}

/** The fields of forms on a page, and whether they are for the screen or for paper. */
export function eachField(
  module: PdfiumText,
  page: number,
  use: (field: number, flags: number) => void,
): void {
  const count = module._FPDFPage_GetAnnotCount(page)
  for (let n = 0; n < count; n++) {
    const field = module._FPDFPage_GetAnnot(page, n)
    if (field === 0) continue
    if (module._FPDFAnnot_GetSubtype(field) === FIELD) {
      use(field, module._FPDFAnnot_GetFlags(field))
    }
    module._FPDFPage_CloseAnnot(field)
  }
}

function hasOwnFont(module: PdfiumText, field: number): boolean {
  const count = module._FPDFAnnot_GetObjectCount(field)
  for (let n = 0; n < count; n++) {
    const object = module._FPDFAnnot_GetObject(field, n)
    if (module._FPDFPageObj_GetType(object) !== TEXT) continue
    if (module._FPDFFont_GetIsEmbedded(module._FPDFTextObj_GetFont(object)) === 1) return true
  }
  return false
}

function readValue(module: PdfiumText, form: number, field: number): string {
  const bytes = module._FPDFAnnot_GetFormFieldValue(form, field, 0, 0)
  const at = module.wasmExports.malloc(bytes)
  if (at === 0) return ''
  module._FPDFAnnot_GetFormFieldValue(form, field, at, bytes)
  const text = new TextDecoder('utf-16le').decode(module.HEAPU8.slice(at, at + bytes))
  module.wasmExports.free(at)
  return text
}

function addFromText(module: PdfiumText, page: number, missing: Set<string>): void {
  const text = module._FPDFText_LoadPage(page)
  if (text === 0) return
  const box = module.wasmExports.malloc(DOUBLES * Float64Array.BYTES_PER_ELEMENT)
  try {
    const count = module._FPDFText_CountChars(text)
    for (let n = 0; n < count && missing.size < NAMED; n++) {
      const letter = String.fromCodePoint(module._FPDFText_GetUnicode(text, n))
      if (!isSeen(module, text, n)) continue
      if (module._FPDFText_HasUnicodeMapError(text, n) === 1) missing.add('')
      else if (INK.test(letter) && isFlat(module, text, n, box)) missing.add(letter)
    }
  } finally {
    module.wasmExports.free(box)
    module._FPDFText_ClosePage(text)
  }
}

/** Tells whether an object shows a character of a font that the PDF does not bring; PDFium's own line ends and spaces belong to no object. */
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
