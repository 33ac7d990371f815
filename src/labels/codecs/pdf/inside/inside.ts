import { ContentWalk, type DrawingFault, type FaultKind, type PageDrawing } from './content.ts'
import { PdfFile, type PdfPage } from './file.ts'
import { type FontFacts, readFont } from './fonts.ts'
import { wasReadAsText } from './mangled.ts'
import { Ref, Stream } from './syntax.ts'

/** Facts about a page that are known without drawing it. */
export interface PageInside {
  readonly faults: readonly DrawingFault[]
  /** Fonts that its letters are shown in. */
  readonly fonts: readonly FontFacts[]
  /** Pictures and forms that it shows by itself; undefined = not known. */
  readonly shown: number | undefined
}

const NOTHING: PageInside = { faults: [], fonts: [], shown: undefined }
/** Some of what is there is lost. */
const LOST: ReadonlySet<FaultKind> = new Set(['damaged', 'cut', 'missing', 'unknown'] as const)

/** A second look at a PDF beside PDFium, which leaves out what it cannot read and does not say so. */
export class PdfInside {
  readonly #file: PdfFile
  readonly #walk: ContentWalk
  readonly #pages: readonly PdfPage[]
  /** Every page that the file names is there. */
  readonly isWhole: boolean

  constructor(pdf: Uint8Array) {
    this.#file = new PdfFile(pdf)
    this.#walk = new ContentWalk(this.#file)
    const { pages, isWhole } = this.#file.pages()
    this.#pages = pages
    this.isWhole = isWhole
  }

  /** From 1. */
  page(number: number): PageInside {
    const page = this.#pages[number - 1]
    if (page === undefined || this.#isLocked) return NOTHING
    const { faults, fonts, shown }: PageDrawing = this.#walk.page(page)
    return { faults, fonts: [...fonts].map((font) => readFont(this.#file, font)), shown }
  }

  /** Points that a unit of a page has (PDF 1.7, 14.11.2): its own alone counts, and only where it is above 0. */
  unit(number: number): number {
    const unit = this.#file.number(this.#pages[number - 1]?.dict.get('UserUnit')) ?? 1
    return unit > 0 && Number.isFinite(unit) ? unit : 1
  }

  /** Tells whether these faults come from a program that took the file for text. */
  wasReadAsText(faults: readonly DrawingFault[]): boolean {
    const broken = faults.flatMap(({ number }) => {
      const object = this.#file.get(new Ref(number))
      return object instanceof Stream ? [object] : []
    })
    return wasReadAsText(this.#file.bytes, broken)
  }

  get #isLocked(): boolean {
    return this.#file.trailer.has('Encrypt') && this.#file.key === undefined
  }
}

export function isLost({ kind }: DrawingFault): boolean {
  return LOST.has(kind)
}
