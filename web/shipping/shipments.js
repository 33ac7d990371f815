import { numberWords, timeWords } from '../labels/words.js'
import { UNDO_MS } from '../shell/notice.js'
import { t } from '../shell/texts.js'
import { cardButton, createCards } from '../widgets/cards.js'
import { el } from '../widgets/element.js'

/**
 * @typedef {object} Shipment
 * @property {string} request_id
 * @property {'sent' | 'unknown' | 'done'} state
 * @property {string} carrier
 * @property {string} key name of the key that bought it
 * @property {string} shipment_id
 * @property {string} tracking_number
 * @property {string} service_code
 * @property {number} charges
 * @property {string} currency
 * @property {boolean} test
 * @property {boolean} void
 * @property {string[]} jobs
 * @property {number} at
 */

/**
 * The last shipments that were bought.
 * @param {object} parts
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {(action: string, params: Record<string, unknown>) => Promise<any>} parts.ship
 */
export function createShipments({ notice, ship }) {
  const list = el('ol', { class: 'cards', 'aria-label': t('shipments') })
  const none = el('p', { class: 'empty' }, t('noShipments'))
  const cards = createCards(list, {
    keyOf: (/** @type {Shipment} */ shipment) => shipment.request_id,
    draw: (shipment) =>
      drawShipment(shipment, { giveBack, isLeaving: leaving.has(shipment.shipment_id) }),
  })

  /** @param {Shipment[]} shipments */
  function draw(shipments) {
    shown = shipments
    none.hidden = shipments.length > 0
    cards.update(shipments)
  }

  /** The timers of shipments that will be voided unless the person takes that back, by id. @type {Map<string, ReturnType<typeof setTimeout>>} */
  const leaving = new Map()
  /** @type {Shipment[]} */
  let shown = []

  /** A carrier takes no label back twice, so the person has a while to do so. @param {Shipment} shipment */
  function giveBack(shipment) {
    const { shipment_id } = shipment
    leaving.set(
      shipment_id,
      setTimeout(() => void voidNow(shipment_id), UNDO_MS),
    )
    draw(shown)
    notice.offer(t('willBeVoid', { number: numberOf(shipment) }), t('undo'), () => {
      clearTimeout(leaving.get(shipment_id))
      leaving.delete(shipment_id)
      draw(shown)
    })
  }

  /** @param {string} shipment_id */
  async function voidNow(shipment_id) {
    clearTimeout(leaving.get(shipment_id))
    leaving.delete(shipment_id)
    const data = await ship('VoidShipment', { shipment_id }).catch(notice.fault)
    draw(shown)
    if (data === undefined) return
    notice.tell(t('voided'), t('voidedHint'))
  }

  // Whoever leaves the page has not taken it back.
  addEventListener('pagehide', () => {
    for (const shipment_id of Array.from(leaving.keys())) void voidNow(shipment_id)
  })

  return { element: el('section', {}, el('h2', {}, t('lastShipments')), none, list), draw }
}

/**
 * @param {Shipment} shipment
 * @param {{ giveBack: (shipment: Shipment) => void, isLeaving: boolean }} how
 */
function drawShipment(shipment, { giveBack, isLeaving }) {
  const { carrier, charges, currency, jobs, key, state } = shipment
  const number = numberOf(shipment)
  const facts = [
    `${carrier} ${shipment.service_code}`.trim(),
    state === 'done' && `${numberWords(charges, 2)} ${currency}`,
    jobs.length === 0 ? t('notPrintedHere') : t('sentToPrinter', { n: jobs.length }),
    shipment.test && t('aTest'),
    t('by', { name: key }),
    timeWords(new Date(shipment.at), new Date()),
  ]
  return [
    el(
      'div',
      { class: 'card-head' },
      el('h3', {}, number),
      shipment.void && el('span', { class: 'badge' }, t('isVoid')),
    ),
    state !== 'done' && el('p', { class: 'why' }, t('boughtUnknown')),
    el('p', { class: 'facts' }, facts.filter((fact) => typeof fact === 'string').join(' · ')),
    carrier === 'local' &&
      state === 'done' &&
      !shipment.void &&
      !isLeaving &&
      cardButton(t('void'), t('voidOf', { number }), () => giveBack(shipment), 'plain danger'),
  ]
}

/** @param {Shipment} shipment */
function numberOf({ tracking_number, request_id }) {
  return tracking_number || request_id
}
