import { CallError } from '../shell/api.js'
import { createLoginForm } from '../shell/login-form.js'
import { createPoll } from '../shell/poll.js'
import { loadStyles } from '../shell/styles.js'
import { t } from '../shell/texts.js'
import { el } from '../widgets/element.js'
import { createAccounts } from './accounts.js'
import { createApiKeys } from './api-keys.js'
import { createRateTable } from './rate-table.js'
import { createShipForm } from './ship-form.js'
import { createShipments } from './shipments.js'

const LOOK_MS = 5_000

/**
 * The view of the shipping API: what was bought, a form that buys a label of the local carrier, its prices, and the
 * keys of programs.
 * @param {object} parts
 * @param {HTMLElement} parts.root
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export async function createShippingView({ root, api, admin, notice }) {
  await Promise.all(['cards.css', 'forms.css', 'shipping.css'].map(loadStyles))

  /**
   * A call of the shipping API; what the carrier refuses is a fault.
   * @param {string} action
   * @param {Record<string, unknown>} params
   * @param {string} [request_id]
   */
  async function ship(action, params, request_id) {
    const call = { carrier: 'local', action, params, request_id }
    const answer = await admin.call('POST', '/shipping/calls', call)
    if (answer === undefined) return undefined
    const [error] = answer.data.errors ?? []
    if (error === undefined) return answer.data
    notice.warn(error.description, t('tryAgain'))
    return undefined
  }

  const shipments = createShipments({ notice, ship })
  const keys = createApiKeys({ admin, notice })
  const form = createShipForm({ notice, ship, onBought: look })
  const rates = createRateTable({ admin, notice })
  const accounts = createAccounts({ api, admin, notice })
  const poll = createPoll(look, LOOK_MS)
  const locked = el('div')
  const all = el(
    'div',
    { class: 'shipping-parts' },
    form,
    shipments.element,
    rates.element,
    accounts.element,
    keys.element,
  )
  all.hidden = true
  root.replaceChildren(
    el('h2', {}, t('shipping')),
    el('p', { class: 'help' }, t('shippingHelp')),
    locked,
    all,
  )

  /** Fetches quietly what only the admin may see: a dialog that comes back every few seconds helps nobody. */
  async function look() {
    const seen = await Promise.all([
      api.call('GET', '/shipping/shipments'),
      api.call('GET', '/shipping/keys'),
    ]).catch(explain)
    if (seen === undefined) return
    const [bought, known] = seen
    locked.replaceChildren()
    all.hidden = false
    shipments.draw(bought)
    keys.draw(known)
  }

  /** @param {unknown} error */
  function explain(error) {
    if (!(error instanceof CallError) || error.status === 0) return
    all.hidden = true
    const isLogin = error.code === 'LOGIN_NEEDED'
    // What is being typed there stays.
    if (isLogin && locked.querySelector('form') !== null) return
    locked.replaceChildren(
      isLogin
        ? createLoginForm({ api, title: t('loginShipping'), onLogin: look }).element
        : el('p', { class: 'why' }, `${error.message} ${error.hint}`),
    )
  }

  return {
    open: () => poll.start(),
    close: () => poll.stop(),
  }
}
