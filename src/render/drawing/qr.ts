/** A QR code as runs of black modules, so that it can be drawn with boxes. */
export interface QrCode {
  /** Modules on each side, without the quiet zone. */
  readonly size: number
  /** Modules of white that readers need around it (ISO/IEC 18004, 9.1). */
  readonly quiet: number
  readonly runs: readonly { readonly x: number; readonly y: number; readonly length: number }[]
}

const QUIET = 4

/** Plans the symbol of a text, error correction M. Loads bwip-js, 2 MB, only when a code is drawn. */
export async function drawQr(text: string): Promise<QrCode> {
  const { default: bwip } = await import('bwip-js')
  const [symbol] = bwip.raw('qrcode', text, 'eclevel=M')
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('bwip-js drew no QR code')
  const { pixs, pixx: size } = symbol
  const rows = Array.from({ length: size }, (_, y) => pixs.slice(y * size, (y + 1) * size))
  return { size, quiet: QUIET, runs: rows.flatMap(findRuns) }
}

function findRuns(row: readonly number[], y: number): QrCode['runs'] {
  return [...row.join('').matchAll(/1+/g)].map(({ index, 0: ones }) => ({
    x: index,
    y,
    length: ones.length,
  }))
}
