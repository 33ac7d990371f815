/** A text for whoever looks. */
export interface Warning {
  readonly key: import('../shell/texts.js').TextKey
  readonly values: Readonly<Record<string, string | number>>
}

/** What `draw.js` gives to tests, which are TypeScript. */
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
): Promise<{ paper: import('./paper.js').Paper; warnings: Warning[] }>
