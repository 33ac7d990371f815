/** @import { Source } from '../shell/shapes.js' */

import { drawPrinterPicture } from '../labels/pictures.js'
import { CallError } from '../shell/api.js'
import { createLoginForm } from '../shell/login-form.js'
import { createPoll } from '../shell/poll.js'
import { loadStyles } from '../shell/styles.js'
import { t, tell } from '../shell/texts.js'
import { createCards } from '../widgets/cards.js'
import { el } from '../widgets/element.js'
import { createDoorList } from './doors.js'
import { drawSource } from './source-card.js'

/** @typedef {Source & { key: string, goesTo: string }} Listed */

const LOOK_MS = 3_000

/**
 * The view of the sources: where labels come from besides programs that send them, and how each does.
 * @param {object} parts
 * @param {HTMLElement} parts.root
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export async function createSourcesView({ root, api, admin, store, notice }) {
  await Promise.all([loadStyles('cards.css'), loadStyles('forms.css')])
  const list = el('ol', { class: 'cards', 'aria-label': t('sources') })
  const none = el(
    'div',
    { class: 'empty' },
    drawPrinterPicture(),
    el('strong', {}, t('noSources')),
    el('span', {}, t('noSourcesHint')),
  )
  none.hidden = true
  const login = el('div')
  const cards = createCards(list, {
    keyOf: (/** @type {Listed} */ source) => source.key,
    draw: (source) => drawSource(source, { test }),
  })
  const doors = createDoorList(api, notice)
  const poll = createPoll(look, LOOK_MS)
  /** @type {string | undefined} */
  let testing
  root.replaceChildren(
    el('h2', {}, t('sourcesTitle')),
    el('p', { class: 'help' }, t('sourcesHelp')),
    login,
    none,
    list,
    el('p', {}, el('a', { href: '#settings/sources' }, t('sourcesChange'))),
    doors.element,
  )

  function drawLogin() {
    return createLoginForm({ api, title: t('loginSources'), onLogin: look }).element
  }

  const defaultPrinter = () =>
    [...store.printers.values()].find((printer) => printer.default)?.name ?? ''

  async function look() {
    const sources = await api.call('GET', '/sources').catch((error) => {
      const isLocked = error instanceof CallError && error.code === 'LOGIN_NEEDED'
      if (isLocked && !login.hasChildNodes()) login.append(drawLogin())
      return undefined
    })
    await doors.look()
    if (sources === undefined) return
    login.replaceChildren()
    none.hidden = sources.length > 0
    cards.update(
      sources.map((/** @type {Source} */ source, /** @type {number} */ i) => ({
        ...source,
        key: `${i} ${source.type}`,
        goesTo: source.printer || defaultPrinter(),
      })),
    )
  }

  /** @param {Listed} source */
  async function test(source) {
    if (testing !== undefined) return
    testing = source.key
    notice.clear()
    notice.say(t('testing'))
    await ask(source).catch(notice.fault)
    testing = undefined
    await look()
  }

  /** @param {Listed} source */
  async function ask(source) {
    const config = await admin.call('GET', '/config')
    if (config === undefined) return
    const { heart_beat_url } = config
    const what =
      source.type === 'heartbeat' ? { heart_beat_url } : { index: parseInt(source.key, 10) }
    const answer = await admin.call('POST', '/sources/test', what)
    if (answer !== undefined) notice.tell(tell(answer.texts?.message, answer.Message))
  }

  return {
    open: () => poll.start(),
    close: () => poll.stop(),
  }
}
