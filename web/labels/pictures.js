const SVG = 'http://www.w3.org/2000/svg'

/** A label printer with a label coming out, drawn with lines. */
const PRINTER =
  'M20 62h80a8 8 0 0 1 8 8v34a8 8 0 0 1-8 8H20a8 8 0 0 1-8-8V70a8 8 0 0 1 8-8zM24 62c0-16 8-26 20-26h32c12 0 20 10 20 26M34 92h52M94 76h.1M40 92v46h40V92M48 104h24M48 112h16M48 124v8m5-8v8m4-8v8m6-8v8m5-8v8'

/** In place of labels or printers that are not there yet; decorative. */
export function drawPrinterPicture() {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '4 28 112 118')
  svg.setAttribute('class', 'drawn')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', PRINTER)
  svg.append(path)
  return svg
}
