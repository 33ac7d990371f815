import { SESSION_CHANGED } from './login-form.js'
import { createPoll } from './poll.js'
import { t } from './texts.js'

const LOOK_MS = 300_000
const SEEN = 'platen.guesses'

/**
 * Tells whoever is logged in of wrong passwords, once for each address and hour.
 * @param {object} parts
 * @param {import('./api.js').Api} parts.api
 * @param {import('./notice.js').Notice} parts.notice
 */
export function followGuesses({ api, notice }) {
  let isFirst = true

  async function ask() {
    if (!isFirst) api.forgetSession()
    isFirst = false
    await look()
  }

  async function look() {
    const session = await api.loadSession().catch(() => undefined)
    const seen = recall()
    const fresh = (session?.guesses ?? []).filter(({ id }) => !seen.includes(id))
    if (session === undefined || fresh.length === 0) return
    remember(session.guesses.map(({ id }) => id))
    const count = fresh.reduce((sum, one) => sum + one.count, 0)
    const from =
      fresh.length === 1 ? (fresh[0]?.address ?? '') : t('addresses', { n: fresh.length })
    notice.warn(t('wrongPasswords', { n: count, from }), t('wrongPasswordsHint'))
  }

  void createPoll(ask, LOOK_MS).start()
  document.addEventListener(SESSION_CHANGED, look)
}

/** @returns {string[]} the notices that this tab has shown */
function recall() {
  return (sessionStorage.getItem(SEEN) ?? '').split(' ')
}

/** @param {string[]} ids */
function remember(ids) {
  sessionStorage.setItem(SEEN, ids.join(' '))
}
