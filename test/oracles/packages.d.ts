// Oracles of the tests that come without types, as far as they are used.

declare module 'pngjs' {
  const pngjs: {
    readonly PNG: {
      readonly sync: {
        /** Four bytes a pixel: red, green, blue, alpha. */
        read(file: Buffer): {
          readonly width: number
          readonly height: number
          readonly data: Buffer
        }
      }
    }
  }
  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS package is seen.
  export default pngjs
}

declare module 'omggif' {
  interface GifReader {
    readonly width: number
    readonly height: number
    /** Draws a frame over what is there; four bytes a pixel of the screen: red, green, blue, alpha. */
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void
  }
  const omggif: { readonly GifReader: new (file: Uint8Array) => GifReader }
  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS package is seen.
  export default omggif
}
