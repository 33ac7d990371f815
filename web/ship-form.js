import { cardButton } from './cards.js'
import { el } from './element.js'

/** @typedef {readonly [name: string, words: string, value: string]} Field */

/** @type {readonly Field[]} */
const FROM = [
  ['shipper', 'Name', 'My shop'],
  ['ship_addr1', 'Street', '1 Dock Road'],
  ['ship_city', 'City', 'Reno'],
  ['ship_state', 'State', 'NV'],
  ['ship_code', 'ZIP code', '89501'],
]

/** @type {readonly Field[]} */
const TO = [
  ['to_name', 'Name', 'Ann Buyer'],
  ['to_addr1', 'Street', '2 Elm Street'],
  ['to_city', 'City', 'Ames'],
  ['to_state', 'State', 'IA'],
  ['to_code', 'ZIP code', '50010'],
]

/** @type {Field} */
const WEIGHT = ['weight', 'Weight (pounds)', '3']

/** @param {Field} field */
function drawField([name, words, value]) {
  return el('label', { class: 'field' }, words, el('input', { name, value, required: true }))
}

/**
 * @param {string} title
 * @param {readonly Field[]} fields
 */
function drawAddress(title, fields) {
  return el('fieldset', {}, el('legend', {}, title), ...fields.map(drawField))
}

/**
 * A form that asks for prices and buys a label of the local carrier, which prints on the default printer.
 * @param {object} parts
 * @param {import('./notice.js').Notice} parts.notice
 * @param {(action: string, params: Record<string, unknown>) => Promise<any>} parts.ship
 * @param {() => Promise<void>} parts.onBought
 */
export function createShipForm({ notice, ship, onBought }) {
  const offers = el('ol', { class: 'cards', 'aria-label': 'Prices' })
  const form = el(
    'form',
    {},
    el('div', { class: 'addresses' }, drawAddress('From', FROM), drawAddress('To', TO)),
    drawField(WEIGHT),
    el('button', { type: 'submit', class: 'primary' }, 'Show prices'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    showOffers().catch(notice.fault)
  })
  form.addEventListener('input', () => offers.replaceChildren())

  function params() {
    return Object.fromEntries(new FormData(form))
  }

  async function showOffers() {
    notice.clear()
    const data = await ship('GetAllRates', params())
    offers.replaceChildren(...(data?.rates ?? []).map(drawOffer))
    offers.querySelector('button')?.focus()
  }

  /** @param {{ desc: string, rate: number, currency: string, service_code: string, delivery_days: number }} rate */
  function drawOffer({ desc, rate, currency, service_code: service, delivery_days: days }) {
    const when = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
    return el(
      'li',
      { class: 'card' },
      el('div', { class: 'card-head' }, el('h3', {}, desc)),
      el('p', { class: 'facts' }, `${rate.toFixed(2)} ${currency} · ${when}`),
      cardButton('Buy and print', `Buy and print: ${desc}`, () => buy(service).catch(notice.fault)),
    )
  }

  /** @param {string} service */
  async function buy(service) {
    // Bought once, however often the button is pressed.
    offers.replaceChildren()
    const data = await ship('SubmitShipment', { ...params(), service, print: true })
    if (data === undefined) return
    notice.tell(`The label ${data.tracking_number} is bought.`, 'It prints on the default printer.')
    await onBought()
  }

  return el(
    'details',
    {},
    el('summary', {}, el('h2', {}, 'Buy a label to try it')),
    el(
      'p',
      { class: 'help' },
      'The local carrier is your own van or courier. The prices are yours, nobody is charged, and the label carries no postage.',
    ),
    form,
    offers,
  )
}
