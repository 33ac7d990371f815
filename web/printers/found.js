/** @import { Found } from '../shell/shapes.js' */

import { createPoll } from '../shell/poll.js'
import { t, tell } from '../shell/texts.js'
import { createCards } from '../widgets/cards.js'
import { el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'

const LOOK_MS = 5_000

/**
 * Shows the printers that are seen and not in use yet, and the search in the network.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createFound({ api, admin, store, notice }) {
  const list = el('ol', { class: 'cards', 'aria-label': t('seen') })
  const told = el('p', { class: 'help', role: 'status' })
  const button = el('button', { type: 'button', onclick: search }, icon('search'), t('search'))
  const element = el(
    'section',
    { class: 'panel found' },
    el('h2', {}, t('findPrinter')),
    el('p', { class: 'help' }, t('searchHelp')),
    button,
    told,
    list,
  )
  const cards = createCards(list, {
    keyOf: (/** @type {Found} */ found) => found.uri,
    draw: (found) => drawFound(found, () => add({ uri: found.uri }).catch(notice.fault)),
  })
  const poll = createPoll(look, LOOK_MS)
  let isSearching = false

  async function look() {
    const answer = await api.call('GET', '/printers/found').catch(() => undefined)
    if (answer !== undefined) cards.update(answer.found)
  }

  async function search() {
    if (isSearching) return
    isSearching = true
    notice.clear()
    told.textContent = t('searching')
    const before = store.printers.size
    const answer = await api
      .call('POST', '/printers/discover')
      .catch(notice.fault)
      .finally(() => {
        isSearching = false
        told.textContent = ''
      })
    if (answer === undefined) return
    cards.update(answer.found)
    if (answer.found.length === 0 && store.printers.size === before) {
      told.textContent = t('nothingFound')
    }
  }

  /**
   * @param {{ uri: string, name?: string, language?: string, dpi?: number }} printer
   * @returns {Promise<boolean>} false when the person did not log in
   * @throws CallError
   */
  async function add(printer) {
    const answer = await admin.call('POST', '/printers', printer)
    if (answer === undefined) return false
    await Promise.all([store.refresh().catch(() => undefined), look()])
    const { name, language } = answer.printer
    const hint = language === null ? t('sayLanguage') : t('testNow')
    notice.tell(
      t('added', { name }),
      [hint, tell(answer.texts?.message, answer.Message)].filter((text) => text).join(' '),
    )
    return true
  }

  return {
    element,
    look,
    add,
    watch: () => void poll.start(),
    rest: () => poll.stop(),
  }
}

/**
 * @param {Found} found
 * @param {() => void} add
 */
function drawFound(found, add) {
  const name = found.name || t('unknownDevice')
  const facts = [
    found.make_and_model === name ? '' : found.make_and_model,
    found.language?.toUpperCase() ?? '',
  ]
  return [
    el('div', { class: 'card-head' }, el('h3', {}, name)),
    found.guess && el('p', {}, t('perhapsPrinter')),
    found.other && el('p', {}, t('otherPrinterKind')),
    found.hint !== '' && el('p', { class: 'todo' }, tell(found.texts?.hint, found.hint)),
    el('p', { class: 'facts' }, facts.filter((fact) => fact !== '').join(' · ')),
    el('p', { class: 'facts code' }, found.uri),
    el(
      'div',
      { class: 'card-buttons' },
      el(
        'button',
        {
          type: 'button',
          class: found.guess || found.other ? undefined : 'primary',
          'data-action': 'add',
          'aria-label': t('addOf', { name }),
          onclick: add,
        },
        t('addIt'),
      ),
    ),
  ]
}
