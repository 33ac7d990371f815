import { makeKey } from '../labels/label-file.js'
import { numberWords } from '../labels/words.js'
import { t } from '../shell/texts.js'
import { cardButton } from '../widgets/cards.js'
import { el } from '../widgets/element.js'

/** @typedef {readonly [name: string, words: string, value: string]} Field */

/** @type {readonly Field[]} */
const FROM = [
  ['shipper', t('name'), 'My shop'],
  ['ship_addr1', t('street'), '1 Dock Road'],
  ['ship_city', t('city'), 'Reno'],
  ['ship_state', t('region'), 'NV'],
  ['ship_code', t('zip'), '89501'],
]

/** @type {readonly Field[]} */
const TO = [
  ['to_name', t('name'), 'Ann Buyer'],
  ['to_addr1', t('street'), '2 Elm Street'],
  ['to_city', t('city'), 'Ames'],
  ['to_state', t('region'), 'IA'],
  ['to_code', t('zip'), '50010'],
]

/** @type {Field} */
const WEIGHT = ['weight', t('weight'), '3']

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
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {(action: string, params: Record<string, unknown>, id?: string) => Promise<any>} parts.ship
 * @param {() => Promise<void>} parts.onBought
 */
export function createShipForm({ notice, ship, onBought }) {
  /** By what was asked for, until it is known to be bought: after a lost answer nothing is bought twice. @type {Map<string, string>} */
  const ids = new Map()
  const offers = el('ol', { class: 'cards', 'aria-label': t('prices') })
  const form = el(
    'form',
    {},
    el(
      'div',
      { class: 'addresses' },
      drawAddress(t('sender'), FROM),
      drawAddress(t('recipient'), TO),
    ),
    drawField(WEIGHT),
    el('button', { type: 'submit', class: 'primary' }, t('showPrices')),
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
    const when = days === 0 ? t('today') : days === 1 ? t('tomorrow') : t('inDays', { n: days })
    return el(
      'li',
      { class: 'card' },
      el('div', { class: 'card-head' }, el('h3', {}, desc)),
      el('p', { class: 'facts' }, `${numberWords(rate, 2)} ${currency} · ${when}`),
      cardButton(t('buy'), t('buyOf', { name: desc }), () => buy(service).catch(notice.fault)),
    )
  }

  /** @param {string} service */
  async function buy(service) {
    // Bought once, however often the button is pressed.
    offers.replaceChildren()
    const wanted = { ...params(), service, print: true }
    const text = JSON.stringify(wanted)
    const id = ids.get(text) ?? makeKey()
    ids.set(text, id)
    const data = await ship('SubmitShipment', wanted, id)
    if (data === undefined) return
    ids.delete(text)
    notice.tell(t('bought', { number: data.tracking_number }), t('boughtHint'))
    await onBought()
  }

  return el(
    'details',
    {},
    el('summary', {}, el('h2', {}, t('tryLabel'))),
    el('p', { class: 'help' }, t('tryHelp')),
    form,
    offers,
  )
}
