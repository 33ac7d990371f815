import { PDFiumLibrary } from '@hyzyla/pdfium'
import { LabelFault, reason } from '../../fault.ts'
import { latin1 } from '../../languages/bytes.ts'
import type { Box, Plane, Size } from '../../plane.ts'
import { PdfInside } from './inside/inside.ts'
import { wasReadAsText } from './inside/mangled.ts'
import {
  eachField,
  HIDDEN,
  listMissingLetters,
  NO_VIEW,
  type PdfiumText,
  PRINT,
} from './letters.ts'

/** Functions of the module that the package keeps private: PDFium's C functions (fpdfview.h, fpdf_edit.h). */
interface Pdfium extends PdfiumText {
  _FPDF_LoadMemDocument(bytes: number, length: number, password: number): number
  _FPDF_GetLastError(): number
  _FPDF_GetPageCount(document: number): number
  _FPDF_LoadPage(document: number, index: number): number
  _FPDF_GetPageWidthF(page: number): number
  _FPDF_GetPageHeightF(page: number): number
  _FPDF_ClosePage(page: number): void
  _FPDF_CloseDocument(document: number): void
  _FPDFBitmap_CreateEx(w: number, h: number, format: number, at: number, stride: number): number
  _FPDFBitmap_FillRect(map: number, x: number, y: number, w: number, h: number, c: number): void
  _FPDFBitmap_Destroy(map: number): void
  _FPDF_RenderPageBitmap(
    map: number,
    page: number,
    ...placeAndFlags: [number, number, number, number, number, number]
  ): void
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number
  _FPDFDOC_ExitFormFillEnvironment(form: number): void
  _FORM_OnBeforeClosePage(page: number, form: number): void
  _FPDF_FFLDraw(form: number, ...page: Parameters<Pdfium['_FPDF_RenderPageBitmap']>): void
  _FPDFAnnot_GetAP(annotation: number, mode: number, to: number, bytes: number): number
  _FPDFAnnot_SetFlags(annotation: number, flags: number): number
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDF_GetPageBoundingBox(page: number, leftTopRightBottom: number): number
  _FPDFImageObj_GetBitmap(image: number): number
  _FPDFImageObj_GetImageFilterCount(image: number): number
  _FPDFImageObj_GetImageFilter(image: number, n: number, to: number, bytes: number): number
  _FPDFFont_GetBaseFontName(font: number, to: number, bytes: number): number
  _FPDFPath_GetDrawMode(path: number, fill: number, stroke: number): number
  _FPDFPageObj_GetFillColor(object: number, r: number, g: number, b: number, a: number): number
  _FPDFPageObj_GetBounds(object: number, l: number, b: number, r: number, t: number): number
  _FPDFPageObj_Transform(
    object: number,
    ...matrix: [number, number, number, number, number, number]
  ): void
  _FPDFFormObj_CountObjects(form: number): number
  _FPDFFormObj_GetObject(form: number, index: number): number
}

/** A page at a glance. */
export interface PageSummary {
  /** Pictures and forms that PDFium draws for the page itself. */
  readonly shown: number
  /** Nothing is drawn at all. */
  readonly isBlank: boolean
  /** Fonts whose letters PDFium takes from others, by the names that the file gives them. */
  readonly standIns: readonly string[]
  /** Pictures that PDFium cannot read; of a page with ink only those in the rarer ways of packing are tried. */
  readonly unread: number
  /** Dark letters stand on it, be they drawn or not. */
  readonly hasDarkText: boolean
}

const POINTS_PER_INCH = 72
const GRAY = 1 // FPDFBitmap_Gray
const WHITE = 0xffffffff
const AS_PRINTED = 0x01 | 0x08 | 0x800 // FPDF_ANNOT, FPDF_GRAYSCALE, FPDF_PRINTING: the layers that are to print
const PATH = 2 // FPDF_PAGEOBJ_PATH
const TEXT = 1 // FPDF_PAGEOBJ_TEXT
const IMAGE = 3 // FPDF_PAGEOBJ_IMAGE
const FORM = 5 // FPDF_PAGEOBJ_FORM
const FORMS_DEEP = 8
const SHEAR = 1e-5
const BOX_FLOATS = 4
const TICKED = [2, 3] // FPDF_FORMFIELD_CHECKBOX, _RADIOBUTTON
const NORMAL = 0 // FPDF_ANNOT_APPEARANCEMODE_NORMAL
const NO_TEXT_BYTES = 2 // the zero that ends it
const FORM_INFO_BYTES = 256 // FPDF_FORMFILLINFO (fpdf_formfill.h): its version, and callbacks that nobody needs here
const LOCKED = 4 // FPDF_ERR_PASSWORD
const SECURITY = 5 // FPDF_ERR_SECURITY
/** Dots per inch at which a page is looked at for any ink at all. */
const GLANCE_DPI = 50
/** Along the longer side at least: a page may be small because its unit is another than it says. */
const GLANCE_DOTS = 40
/** White, and what a scan or a JPEG makes of it. */
const WHITISH = 245
const INVISIBLE = 3 // FPDF_TEXTRENDERMODE_INVISIBLE
/** For the name of a filter. */
const FILTER_BYTES = 32
/** A box that is surely seen is so many points large, so dark, and not transparent. */
const [SEEN, DARK, OPAQUE] = [0.5, 128, 255]
/** Larger pages are refused by their size. */
const GLANCE_INCHES = 50

/** Something that a page shows, as PDFium knows it. */
interface ShownObject {
  readonly object: number
  readonly type: number
}

/** PDFium, ready to read documents; takes 40 ms, and 65 MB with a label, so it has a process of its own. */
export async function loadPdfium(wasm: Uint8Array): Promise<PdfReader> {
  const library = await PDFiumLibrary.init({ wasmBinary: new Uint8Array(wasm).buffer })
  return new PdfReader((library as unknown as { readonly module: Pdfium }).module)
}

/** Reads one document at a time. */
export class PdfReader {
  readonly #module: Pdfium
  #document = 0
  #bytes = 0
  #form = 0
  #pdf: Uint8Array = new Uint8Array()
  #inside: PdfInside | undefined
  readonly #sizes = new Map<number, Size>()

  constructor(module: Pdfium) {
    this.#module = module
  }

  /** @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED (a password), PICTURE_MEMORY */
  open(pdf: Uint8Array): void {
    this.close()
    this.#pdf = pdf
    if (isCut(pdf)) throw explainFailure(0, pdf)
    const module = this.#module
    this.#bytes = this.#take(FORM_INFO_BYTES + pdf.length)
    const at = this.#bytes + FORM_INFO_BYTES
    module.HEAPU8.set(pdf, at)
    this.#document = module._FPDF_LoadMemDocument(at, pdf.length, 0)
    if (this.#document === 0) throw explainFailure(module._FPDF_GetLastError(), pdf)
    module.HEAPU8.fill(0, this.#bytes, at)[this.#bytes] = 1
    this.#form = module._FPDFDOC_InitFormFillEnvironment(this.#document, this.#bytes)
  }

  close(): void {
    if (this.#form !== 0) this.#module._FPDFDOC_ExitFormFillEnvironment(this.#form)
    if (this.#document !== 0) this.#module._FPDF_CloseDocument(this.#document)
    if (this.#bytes !== 0) this.#module.wasmExports.free(this.#bytes)
    this.#document = 0
    this.#bytes = 0
    this.#form = 0
    this.#pdf = new Uint8Array()
    this.#inside = undefined
    this.#sizes.clear()
  }

  /** The document, read by our own parser beside PDFium. */
  get inside(): PdfInside {
    this.#inside ??= new PdfInside(this.#pdf)
    return this.#inside
  }

  get pages(): number {
    return this.#module._FPDF_GetPageCount(this.#document)
  }

  /**
   * Size of a page in inches, its crop box and rotation obeyed; pages count from 1.
   * @throws LabelFault PICTURE_BROKEN
   */
  size(number: number): Size {
    const known = this.#sizes.get(number)
    return known ?? this.#withPage(number, (page) => this.#noteSize(number, page))
  }

  /**
   * A part of a page in gray: `dpi` of the whole page, the box in dots of it.
   * @throws LabelFault PICTURE_BROKEN, PICTURE_MEMORY
   */
  draw(number: number, dpi: number, box?: Box): Plane {
    return this.#withPage(number, (page) => {
      const size = this.#sizeOf(page, number)
      const [width, height] = [Math.round(size.width * dpi), Math.round(size.height * dpi)]
      this.#loosen(page, POINTS_PER_INCH / dpi / this.inside.unit(number))
      return this.#paint(page, { width, height }, box ?? { x: 0, y: 0, width, height })
    })
  }

  /**
   * Summarizes a page as PDFium reads it.
   * @throws LabelFault PICTURE_BROKEN, PICTURE_MEMORY
   */
  glance(number: number): PageSummary {
    return this.#withPage(number, (page) => {
      const { width, height } = this.#noteSize(number, page)
      const { shown, hasInk } = this.#lookAtObjects(page)
      const dpi = Math.max(GLANCE_DPI, GLANCE_DOTS / Math.max(width, height))
      const size = {
        width: Math.max(1, Math.round(width * dpi)),
        height: Math.max(1, Math.round(height * dpi)),
      }
      const isLarge = Math.max(width, height) > GLANCE_INCHES
      const isBlank = !hasInk && !isLarge && this.#isWhite(page, size)
      const objects = this.#listObjects(page)
      return {
        shown,
        isBlank,
        standIns: this.#listStandIns(objects),
        unread: this.#countUnread(objects, isBlank),
        hasDarkText: isBlank && this.#hasDarkText(page, objects),
      }
    })
  }

  #isWhite(page: number, size: Size): boolean {
    const { luma } = this.#paint(page, size, { x: 0, y: 0, ...size })
    return luma.every((one) => one >= WHITISH)
  }

  /** Drawing is needed only for pages without a dark box on them. */
  #lookAtObjects(page: number): { readonly shown: number; readonly hasInk: boolean } {
    const module = this.#module
    const at = this.#take(2 * BOX_FLOATS * Float32Array.BYTES_PER_ELEMENT)
    try {
      let [shown, hasInk] = [0, false]
      for (let n = module._FPDFPage_CountObjects(page) - 1; n >= 0; n--) {
        const object = module._FPDFPage_GetObject(page, n)
        const type = module._FPDFPageObj_GetType(object)
        if (type === IMAGE || type === FORM) shown++
        else if (!hasInk && type === PATH) hasInk = this.#isDarkBox(page, object, at)
      }
      return { shown, hasInk }
    } finally {
      module.wasmExports.free(at)
    }
  }

  /** Texts and pictures, those in forms too. */
  #listObjects(page: number): readonly ShownObject[] {
    const module = this.#module
    const found: ShownObject[] = []
    const add = (object: number, depth: number): void => {
      const type = module._FPDFPageObj_GetType(object)
      if (type === TEXT || type === IMAGE) found.push({ object, type })
      if (type !== FORM || depth >= FORMS_DEEP) return
      for (let n = module._FPDFFormObj_CountObjects(object) - 1; n >= 0; n--) {
        add(module._FPDFFormObj_GetObject(object, n), depth + 1)
      }
    }
    for (let n = module._FPDFPage_CountObjects(page) - 1; n >= 0; n--) {
      add(module._FPDFPage_GetObject(page, n), 0)
    }
    return found
  }

  #listStandIns(objects: readonly ShownObject[]): readonly string[] {
    const module = this.#module
    const texts = objects.filter(({ type }) => type === TEXT)
    const fonts = new Set(texts.map(({ object }) => module._FPDFTextObj_GetFont(object)))
    return [...fonts]
      .filter((font) => font !== 0 && module._FPDFFont_GetIsEmbedded(font) === 0)
      .map((font) => this.#nameOf(font))
  }

  #countUnread(objects: readonly ShownObject[], isBlank: boolean): number {
    const module = this.#module
    const pictures = objects.filter(({ type }) => type === IMAGE)
    const tried = isBlank ? pictures : pictures.filter(({ object }) => this.#isRare(object))
    return tried.filter(({ object }) => {
      const map = module._FPDFImageObj_GetBitmap(object)
      if (map !== 0) module._FPDFBitmap_Destroy(map)
      return map === 0
    }).length
  }

  #isRare(image: number): boolean {
    const module = this.#module
    const count = module._FPDFImageObj_GetImageFilterCount(image)
    const at = this.#take(FILTER_BYTES)
    const names = Array.from({ length: count }, (_, n) => {
      const bytes = module._FPDFImageObj_GetImageFilter(image, n, at, FILTER_BYTES)
      return latin1(module.HEAPU8, at, Math.min(bytes, FILTER_BYTES))
    })
    module.wasmExports.free(at)
    return names.some((name) => /JBIG2|JPX/.test(name))
  }

  #hasDarkText(page: number, objects: readonly ShownObject[]): boolean {
    const module = this.#module
    const at = this.#take(2 * BOX_FLOATS * Float32Array.BYTES_PER_ELEMENT)
    const isFound = objects.some(({ object, type }) => {
      if (type !== TEXT || module._FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) return false
      return this.#isDark(object, at) && this.#isOnPage(page, object, at)
    })
    module.wasmExports.free(at)
    return isFound
  }

  #nameOf(font: number): string {
    const module = this.#module
    const bytes = module._FPDFFont_GetBaseFontName(font, 0, 0)
    const at = this.#take(bytes)
    module._FPDFFont_GetBaseFontName(font, at, bytes)
    const name = latin1(module.HEAPU8, at, Math.max(0, bytes - 1))
    module.wasmExports.free(at)
    return name
  }

  #isDarkBox(page: number, path: number, at: number): boolean {
    const module = this.#module
    if (module._FPDFPath_GetDrawMode(path, at, at + 4) === 0) return false
    const [fill = 0] = new Uint32Array(module.HEAPU8.buffer, at, 1)
    return fill !== 0 && this.#isDark(path, at) && this.#isOnPage(page, path, at)
  }

  #isDark(object: number, at: number): boolean {
    const module = this.#module
    module._FPDFPageObj_GetFillColor(object, at, at + 4, at + 8, at + 12)
    const color = new Uint32Array(module.HEAPU8.buffer, at, BOX_FLOATS)
    const [red = 255, green = 255, blue = 255, alpha = 0] = color
    return Math.max(red, green, blue) < DARK && alpha >= OPAQUE
  }

  #isOnPage(page: number, object: number, at: number): boolean {
    const module = this.#module
    const box = at + BOX_FLOATS * Float32Array.BYTES_PER_ELEMENT
    module._FPDF_GetPageBoundingBox(page, at)
    module._FPDFPageObj_GetBounds(object, box, box + 4, box + 8, box + 12)
    const sides = new Float32Array(module.HEAPU8.buffer, at, 2 * BOX_FLOATS)
    const [left = 0, top = 0, right = 0, bottom = 0, from = 0, low = 0, to = 0, high = 0] = sides
    const width = Math.min(right, to) - Math.max(left, from)
    const height = Math.min(top, high) - Math.max(bottom, low)
    return width >= SEEN && height >= SEEN
  }

  /**
   * Letters of a page that print wrong or not at all; see listMissingLetters.
   * @throws LabelFault PICTURE_BROKEN
   */
  missingLetters(number: number): readonly string[] {
    return this.#withPage(number, (page) => listMissingLetters(this.#module, page, this.#form))
  }

  #paint(page: number, whole: Size, { x, y, width, height }: Box): Plane {
    const module = this.#module
    const stride = (width + 3) & ~3
    const at = this.#take(stride * height)
    const map = module._FPDFBitmap_CreateEx(width, height, GRAY, at, stride)
    try {
      module._FPDFBitmap_FillRect(map, 0, 0, width, height, WHITE)
      const place = [-x, -y, whole.width, whole.height, 0, AS_PRINTED] as const
      module._FPDF_RenderPageBitmap(map, page, ...place)
      this.#showFields(page)
      module._FPDF_FFLDraw(this.#form, map, page, ...place) // what was filled in
      const luma = new Uint8Array(width * height)
      for (let row = 0; row < height; row++) {
        const from = at + row * stride
        luma.set(module.HEAPU8.subarray(from, from + width), row * width)
      }
      return { width, height, luma }
    } finally {
      module._FPDFBitmap_Destroy(map)
      module.wasmExports.free(at)
    }
  }

  /** PDFium draws fields as for the screen, whatever it is asked; buttons to send a form are mostly for that alone. */
  #showFields(page: number): void {
    const module = this.#module
    module._FORM_OnAfterLoadPage(page, this.#form)
    eachField(module, page, (field, flags) => {
      const isPrinted = (flags & PRINT) !== 0 && !this.#isUnticked(field)
      module._FPDFAnnot_SetFlags(field, isPrinted ? flags & ~NO_VIEW : flags | HIDDEN)
    })
  }

  /** Around a box without a look for how it is, as most have none for off, PDFium draws a frame of its own. */
  #isUnticked(field: number): boolean {
    const type = this.#module._FPDFAnnot_GetFormFieldType(this.#form, field)
    if (!TICKED.includes(type)) return false
    return this.#module._FPDFAnnot_GetAP(field, NORMAL, 0, 0) <= NO_TEXT_BYTES
  }

  /**
   * PDFium fills a rectangle along the axes with whole dots, so that bars grow by half a dot; sheared by a hair it counts
   * what is covered (343 instead of 322 of 360 symbols read at 203 dpi). What is thinner than a dot would vanish.
   */
  #loosen(page: number, thinnest: number): void {
    const module = this.#module
    const count = module._FPDFPage_CountObjects(page)
    const bounds = this.#take(BOX_FLOATS * Float32Array.BYTES_PER_ELEMENT)
    for (let n = 0; n < count; n++) {
      this.#shear(module._FPDFPage_GetObject(page, n), { bounds, thinnest, depth: 0 })
    }
    module.wasmExports.free(bounds)
  }

  #shear(
    object: number,
    at: { readonly bounds: number; readonly thinnest: number; readonly depth: number },
  ): void {
    const module = this.#module
    const type = module._FPDFPageObj_GetType(object)
    if (type === PATH && this.#isThick(object, at.bounds, at.thinnest)) {
      module._FPDFPageObj_Transform(object, 1, SHEAR, SHEAR, 1, 0, 0)
    }
    if (type !== FORM || at.depth >= FORMS_DEEP) return
    const count = module._FPDFFormObj_CountObjects(object)
    for (let n = 0; n < count; n++) {
      this.#shear(module._FPDFFormObj_GetObject(object, n), { ...at, depth: at.depth + 1 })
    }
  }

  #isThick(object: number, box: number, thinnest: number): boolean {
    const module = this.#module
    if (module._FPDFPageObj_GetBounds(object, box, box + 4, box + 8, box + 12) === 0) return false
    const sides = new Float32Array(module.HEAPU8.buffer, box, BOX_FLOATS)
    const [left = 0, bottom = 0, right = 0, top = 0] = sides
    return right - left >= thinnest && top - bottom >= thinnest
  }

  #noteSize(number: number, page: number): Size {
    const size = this.#sizeOf(page, number)
    this.#sizes.set(number, size)
    return size
  }

  /** PDFium does not know that a page may count in units of its own. */
  #sizeOf(page: number, number: number): Size {
    const units = this.inside.unit(number) / POINTS_PER_INCH
    return {
      width: this.#module._FPDF_GetPageWidthF(page) * units,
      height: this.#module._FPDF_GetPageHeightF(page) * units,
    }
  }

  #withPage<T>(number: number, use: (page: number) => T): T {
    const page = this.#module._FPDF_LoadPage(this.#document, number - 1)
    if (page === 0) {
      throw new LabelFault('PICTURE_BROKEN', reason('pdfDamaged', { page: number }), {
        advice: reason('newPdf'),
        detail: 'The page cannot be read.',
      })
    }
    try {
      return use(page)
    } finally {
      this.#module._FORM_OnBeforeClosePage(page, this.#form)
      this.#module._FPDF_ClosePage(page)
    }
  }

  #take(bytes: number): number {
    const at = this.#module.wasmExports.malloc(bytes)
    if (at === 0)
      throw new LabelFault('PICTURE_MEMORY', 'The PDF needs more memory than a label may take.')
    return at
  }
}

/** A file for slow networks says its length first (PDF 1.7, F.2) and is opened without its end; any other is not. */
function isCut(pdf: Uint8Array): boolean {
  const length = /\/Linearized\b[^>]*?\/L\s+(\d+)/.exec(latin1(pdf, 0, 1024))?.[1] ?? 0
  return Number(length) > pdf.length && !latin1(pdf.subarray(-1024), 0, 1024).includes('%%EOF')
}

function explainFailure(code: number, pdf: Uint8Array): LabelFault {
  if (code === LOCKED || code === SECURITY) {
    return new LabelFault('PICTURE_UNSUPPORTED', reason('lockedPdf'), {
      advice: reason('unlockPdf'),
    })
  }
  const detail = `PDFium's error is ${code}.`
  return wasReadAsText(pdf, [])
    ? new LabelFault('PICTURE_BROKEN', reason('pdfAsText'), {
        advice: reason('sendAsBytes'),
        detail,
      })
    : new LabelFault('PICTURE_BROKEN', reason('pdfBroken'), { advice: reason('newPdf'), detail })
}
