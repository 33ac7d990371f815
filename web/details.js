import { el } from './element.js'
import { t } from './texts.js'

/**
 * Technical words about what is said above, folded away: they come in English.
 * @param {string | undefined} detail
 * @returns {HTMLElement | false} false where there are none
 */
export function drawDetails(detail) {
  if (!detail) return false
  return el(
    'details',
    { class: 'more-details' },
    el('summary', {}, t('details')),
    el('p', { class: 'facts' }, detail),
  )
}
