import { CallError } from './api.js'
import { el } from './element.js'

/** Raw port of network label printers (JetDirect). */
const RAW_PORT = 9100

/**
 * "Add a network printer": three questions, because it is the first thing that a new user does.
 * @param {object} parts
 * @param {(printer: { name: string, uri: string, language: string, dpi: number }) => Promise<void>} parts.save
 * @param {boolean} parts.isOpen
 */
export function createAddPrinter({ save, isOpen }) {
  const fault = el('p', { class: 'fault', role: 'alert' })
  const form = el(
    'form',
    { class: 'add-form' },
    question(
      'Name',
      'What people and programs call it.',
      el('input', {
        name: 'name',
        required: true,
        maxlength: 100,
        placeholder: 'Bench 1',
        autocomplete: 'off',
      }),
    ),
    question(
      'Address',
      'The printer prints it on its network or configuration label.',
      el('input', {
        name: 'address',
        required: true,
        placeholder: '192.168.1.50',
        autocomplete: 'off',
        autocapitalize: 'off',
        spellcheck: 'false',
      }),
    ),
    question(
      'Language',
      'It stands in the manual. Most label printers speak ZPL.',
      select('language', [
        ['zpl', 'ZPL – Zebra and most others'],
        ['epl', 'EPL – older Zebra and Eltron, LP 2844'],
        ['tspl', 'TSPL – TSC, Rollo, Xprinter, Munbyn'],
      ]),
    ),
    question(
      'Dots per inch',
      'Of its print head. 203 is the usual one.',
      select('dpi', [
        ['203', '203'],
        ['300', '300'],
        ['600', '600'],
      ]),
    ),
    fault,
    el('button', { class: 'primary wide' }, 'Add printer'),
  )
  const element = el(
    'details',
    { class: 'panel add-printer', open: isOpen },
    el('summary', {}, el('h2', {}, 'Add a network printer')),
    form,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const data = new FormData(form)
    const text = (/** @type {string} */ name) => String(data.get(name) ?? '').trim()
    fault.textContent = ''
    try {
      await save({
        name: text('name'),
        uri: toUri(text('address')),
        language: text('language'),
        dpi: Number(text('dpi')),
      })
      form.reset()
      element.open = false
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      fault.textContent = `${error.faults.at(-1)?.message ?? error.message} ${error.hint}`
    }
  })
  return { element, focus: () => form.querySelector('input')?.focus() }
}

/**
 * A device URI from what people write: `192.168.1.50`, `printer.lan:6101`, or a whole URI.
 * @param {string} address
 */
export function toUri(address) {
  if (/^[a-z]+:(?!\d)/i.test(address)) return address
  const isBareV6 = /^[0-9a-f:]*:[0-9a-f]*:[0-9a-f:]*$/i.test(address)
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
