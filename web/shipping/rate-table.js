import { t } from '../shell/texts.js'
import { el } from '../widgets/element.js'

/**
 * The prices of the local carrier, as the table that they are; loaded when somebody opens it.
 * @param {object} parts
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createRateTable({ admin, notice }) {
  /** The text as it was loaded or saved: text typed since then stays. */
  let before = ''
  const table = el('textarea', { name: 'rates', rows: 10, spellcheck: 'false', class: 'code' })
  const form = el(
    'form',
    {},
    el('label', { class: 'field' }, t('pricesField'), table),
    el('button', { type: 'submit' }, t('savePrices')),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    save().catch(notice.fault)
  })

  async function load() {
    const answer = await admin.call('GET', '/shipping/local/rates')
    if (answer === undefined || table.value !== before) return
    table.value = answer.table
    before = table.value
  }

  async function save() {
    notice.clear()
    const { value } = table
    const saved = await admin.call('PUT', '/shipping/local/rates', { table: value })
    if (saved === undefined) return
    before = value
    notice.tell(t('pricesSaved'))
  }

  const element = el(
    'details',
    {},
    el('summary', {}, el('h2', {}, t('localPrices'))),
    el('p', { class: 'help' }, t('localPricesHelp')),
    form,
  )
  element.addEventListener('toggle', () => {
    if (element.open) load().catch(notice.fault)
  })
  return { element }
}
