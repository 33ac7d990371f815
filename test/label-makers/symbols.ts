import bwip from 'bwip-js'
import { fillBox, type Gray } from './gray.ts'

/** A Code 128 of whole modules. */
export function drawBars(
  gray: Gray,
  at: { x: number; y: number; module: number; height: number },
  text: string,
): void {
  const [symbol] = bwip.raw('code128', text)
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('bwip-js drew no bars')
  let x = at.x
  for (const [index, width] of symbol.sbs.entries()) {
    if (index % 2 === 0) fillBox(gray, x, at.y, width * at.module, at.height)
    x += width * at.module
  }
}

/** A matrix or stacked symbol of whole modules; the rows of a PDF417 are `tall` modules high. */
export function drawMatrix(
  gray: Gray,
  at: { x: number; y: number; module: number; tall?: number },
  kind: 'pdf417' | 'datamatrix' | 'qrcode',
  text: string,
  options: Readonly<Record<string, number | string>> = {},
): void {
  const [symbol] = bwip.raw(kind, text, options)
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('bwip-js drew no modules')
  for (const [index, dark] of symbol.pixs.entries()) {
    if (dark !== 1) continue
    const column = index % symbol.pixx
    const row = Math.floor(index / symbol.pixx)
    const height = at.module * (at.tall ?? 1)
    fillBox(gray, at.x + column * at.module, at.y + row * height, at.module, height)
  }
}
