/** Outlines on a 24 x 24 grid: each state has a shape of its own, so that color is never the only sign. */
const OUTLINES = {
  check: 'M20 6 9 17l-5-5',
  sent: 'M12 19V5m-6 6 6-6 6 6',
  printer: 'M6 9V3h12v6M6 18H3v-8h18v8h-3M7 14h10v7H7z',
  wait: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 4v5l3 2',
  ask: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4m0 3.5v.1M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19z',
  warn: 'M12 3 2 20.5h20zm0 6.5v5m0 3v.1',
  cross: 'M6 6l12 12M18 6 6 18',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm5 11.5L21 21',
  share: 'M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h2v2h-2zm4 4h2v2h-2z',
  plug: 'M9 3v5m6-5v5M6 8h12v3a6 6 0 0 1-12 0zm6 9v4',
  stop: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.6 5.6l12.8 12.8',
}

/** @typedef {keyof typeof OUTLINES} Icon */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * A decorative icon; the words beside it say the same.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('class', 'icon')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', OUTLINES[/** @type {Icon} */ (name)] ?? '')
  svg.append(path)
  return svg
}
