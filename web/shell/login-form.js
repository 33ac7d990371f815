import { el } from '../widgets/element.js'
import { CallError } from './api.js'
import { t } from './texts.js'

/** The event of the document after a login or logout: what the page may show has changed. */
export const SESSION_CHANGED = 'platen-session'

/**
 * Asks for the user name and the password of the print server.
 * @param {object} parts
 * @param {import('./api.js').Api} parts.api
 * @param {() => void} parts.onLogin
 * @param {() => void} [parts.onLeave] its link leads to another view
 * @param {string} [parts.title]
 */
export function createLoginForm({
  api,
  onLogin,
  onLeave = () => undefined,
  title = t('loginTitle'),
}) {
  const fault = el('p', { class: 'fault', role: 'alert' })
  const username = el('input', {
    name: 'username',
    required: true,
    autocomplete: 'username',
    autocapitalize: 'off',
    spellcheck: 'false',
  })
  const password = el('input', {
    name: 'password',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
  })
  const pin = el(
    'p',
    { class: 'help', hidden: true },
    `${t('pinHint')} `,
    el('a', { href: '#printers', onclick: onLeave }, t('printStartAgain')),
  )
  api.loadSession().then(
    ({ startLabel }) => {
      pin.hidden = !startLabel
    },
    () => undefined,
  )
  const form = el(
    'form',
    { class: 'panel login' },
    el('h2', {}, title),
    el('p', { class: 'help' }, t('loginNotNeeded')),
    el('label', { class: 'field' }, t('userName'), username),
    el('label', { class: 'field' }, t('password'), password),
    fault,
    el('button', { class: 'primary wide' }, t('logIn')),
    pin,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fault.textContent = ''
    try {
      await api.call('POST', '/login', { username: username.value, password: password.value })
      api.forgetSession()
      onLogin()
      document.dispatchEvent(new Event(SESSION_CHANGED))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      fault.textContent = `${error.message} ${error.hint}`
      password.value = ''
      password.focus()
    }
  })
  return { element: form, focus: () => username.focus() }
}
