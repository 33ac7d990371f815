/** @import { Filling } from './shapes.js' */
import { el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { t, tell } from './texts.js'

/**
 * Shows what is nearly full, on top of every view, until it no longer is.
 * @param {HTMLElement} box
 */
export function createFilling(box) {
  return {
    /** @param {{ warnings: readonly Filling[] }} now */
    draw({ warnings }) {
      box.hidden = warnings.length === 0
      box.replaceChildren(...warnings.map(drawOne))
    },
  }
}

/** @param {Filling} warning */
function drawOne({ message, hint, texts }) {
  return el(
    'p',
    {},
    icon('warn'),
    el('span', {}, el('strong', {}, tell(texts?.message, message)), ` ${tell(texts?.hint, hint)}`),
    el('a', { href: '#printers', class: 'button' }, t('showPrinters')),
  )
}
