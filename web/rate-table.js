import { el } from './element.js'

/**
 * The prices of the local carrier, as the table that they are; loaded when somebody opens it.
 * @param {object} parts
 * @param {import('./admin.js').Admin} parts.admin
 * @param {import('./notice.js').Notice} parts.notice
 */
export function createRateTable({ admin, notice }) {
  const table = el('textarea', { name: 'rates', rows: 10, spellcheck: 'false', class: 'code' })
  const form = el(
    'form',
    {},
    el('label', { class: 'field' }, 'Prices, a line each', table),
    el('button', { type: 'submit' }, 'Save prices'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    save().catch(notice.fault)
  })

  async function load() {
    const answer = await admin.call('GET', '/shipping/local/rates')
    if (answer !== undefined) table.value = answer.table
  }

  async function save() {
    notice.clear()
    const saved = await admin.call('PUT', '/shipping/local/rates', { table: table.value })
    if (saved !== undefined) notice.tell('The prices are saved.')
  }

  const help =
    'Each line says what a service costs from one beginning of a ZIP code to another, up to a weight. * stands for everywhere.'
  const element = el(
    'details',
    {},
    el('summary', {}, el('h2', {}, 'Prices of the local carrier')),
    el('p', { class: 'help' }, help),
    form,
  )
  element.addEventListener('toggle', () => {
    if (element.open) load().catch(notice.fault)
  })
  return { element }
}
