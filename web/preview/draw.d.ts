/** A text for whoever looks. */
export interface Warning {
  readonly key: import('../shell/texts.js').TextKey
  readonly values: Readonly<Record<string, string | number>>
}

/** The first label with something on it, and how many there are. */
export interface Drawing {
  readonly paper: import('./paper.js').Paper
  readonly labels: number
  readonly faults: Set<string>
}

/** Size in dots. */
interface Dots {
  readonly width: number
  readonly height: number
}

/** Draws the labels of a language. Texts have a character a byte. */
export interface Drawer {
  draw(
    text: string,
    given: Dots & { readonly dpi: number; readonly encoders: import('./symbols.js').Encoders },
  ): Drawing | Promise<Drawing>
  /** The stock that a label asks for. */
  sizeOf(text: string, dpi: number): Partial<Dots>
}

/** Draws a label with `draw.js`, for tests, which are TypeScript; undefined for a language that is not drawn. */
export function drawRaw(
  bytes: Uint8Array,
  given: {
    readonly format: string
    readonly width_in: number | null
    readonly height_in: number | null
    readonly dpi: number
    /** bwip-js's `bwipp.mjs`. */
    readonly encoders: import('./symbols.js').Encoders
  },
): Promise<{ paper: import('./paper.js').Paper; warnings: Warning[] } | undefined>
