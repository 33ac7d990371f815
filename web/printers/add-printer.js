import { CallError } from '../shell/api.js'
import { t, tell } from '../shell/texts.js'
import { drawDetails, el } from '../widgets/element.js'

/**
 * Calls at an address before a printer there is saved. Whoever saves the same address again means it.
 * @param {import('../shell/admin.js').Admin} admin
 */
export function createAddressCheck(admin) {
  let warned = ''

  /**
   * @param {unknown} uri undefined: it stays as it is
   * @param {{ button: HTMLElement, fault: HTMLElement }} form the button that saves, and where it says why not yet
   * @returns {Promise<boolean>} true to go on
   */
  return async (uri, { button, fault }) => {
    const words = button.dataset['words'] ?? button.textContent ?? ''
    button.dataset['words'] = words
    button.textContent = words
    if (typeof uri !== 'string' || uri === warned) return true
    button.textContent = t('askingPrinter')
    // What is wrong with the entry itself is said when it is saved.
    const answer = await admin
      .call('POST', '/printers/check', { uri })
      .catch(() => ({ answers: null }))
    button.textContent = words
    if (answer === undefined || answer.answers !== false) return answer !== undefined
    warned = uri
    const { texts, Message, hint } = answer
    fault.textContent = `${tell(texts?.message, Message)} ${tell(texts?.hint, hint)}`
    button.textContent = t('allTheSame', { what: words })
    return false
  }
}

/** Raw port of network label printers (JetDirect). */
const RAW_PORT = 9100

/**
 * "Add a printer by its address": two questions, and two that may stay unanswered.
 * @param {object} parts
 * @param {import('../shell/shapes.js').Language[]} parts.languages those a printer may speak
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {(printer: { uri: string, name?: string, language?: string, dpi?: number }) => Promise<boolean>} parts.add
 *   false when the person did not log in
 */
export function createAddPrinter({ languages, admin, add }) {
  const fault = el('p', { class: 'fault', role: 'alert' })
  const check = createAddressCheck(admin)
  const button = el('button', { class: 'primary wide' }, t('addPrinter'))
  const form = el('form', { class: 'add-form' }, ...drawQuestions(languages), fault, button)
  const element = el(
    'details',
    { class: 'panel add-printer' },
    el('summary', {}, el('h2', {}, t('addByAddress'))),
    form,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fault.textContent = ''
    try {
      const printer = readPrinter(form)
      if (!(await check(printer.uri, { button, fault })) || !(await add(printer))) return
      form.reset()
      element.open = false
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      const words = `${error.faults.at(-1)?.message ?? error.message} ${error.hint}`
      fault.replaceChildren(words, drawDetails(error.detail) || '')
    }
  })
  return {
    element,
    open() {
      element.open = true
      form.querySelector('input')?.focus()
    },
  }
}

/** @param {import('../shell/shapes.js').Language[]} languages */
function drawQuestions(languages) {
  const text = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  return [
    question(
      t('name'),
      t('nameHelp'),
      el('input', {
        name: 'name',
        maxlength: 100,
        required: true,
        placeholder: 'Bench 1',
        ...text,
      }),
    ),
    question(
      t('address'),
      t('addressHelp'),
      el('input', { name: 'address', required: true, placeholder: '192.168.1.50', ...text }),
    ),
    question(
      t('language'),
      t('languageHelp'),
      select('language', [
        ...languages.map(({ name, title, makers }) => [name, `${title} – ${makers}`]),
        ['', t('languageUnknown')],
      ]),
    ),
    question(
      t('dotsPerInch'),
      t('dpiHelp'),
      select('dpi', [
        ['', t('dpiSaid')],
        ['203', '203'],
        ['300', '300'],
        ['600', '600'],
      ]),
    ),
  ]
}

/** @param {HTMLFormElement} form */
function readPrinter(form) {
  const data = new FormData(form)
  const text = (/** @type {string} */ name) => String(data.get(name) ?? '').trim()
  return {
    name: text('name'),
    uri: toUri(text('address')),
    ...(text('language') === '' ? {} : { language: text('language') }),
    ...(text('dpi') === '' ? {} : { dpi: Number(text('dpi')) }),
  }
}

/**
 * A device URI from what people write: `192.168.1.50`, `printer.lan:6101`, `COM3`, `/dev/ttyUSB0`, or a whole URI.
 * @param {string} address
 */
export function toUri(address) {
  if (/^[a-z]+:(?!\d)/i.test(address)) return address
  if (/^(COM\d+$|\/dev\/)/i.test(address)) return `serial:${address}`
  const isBareV6 = /^[0-9a-f:]+$/i.test(address) && address.split(':').length > 2
  const host = isBareV6 ? `[${address}]` : address
  return /:\d+$/.test(host) && !isBareV6 ? `socket://${host}` : `socket://${host}:${RAW_PORT}`
}

/**
 * @param {string} title
 * @param {string} help
 * @param {HTMLElement} input
 */
function question(title, help, input) {
  return el('label', { class: 'field' }, title, el('span', { class: 'help' }, help), input)
}

/**
 * @param {string} name
 * @param {string[][]} choices
 */
function select(name, choices) {
  return el(
    'select',
    { name },
    ...choices.map(([value, words]) => el('option', { value }, words ?? '')),
  )
}
