/** @import { Door, Words } from '../shell/shapes.js' */

import { timeWords } from '../labels/words.js'
import { t, tell } from '../shell/texts.js'
import { createCards } from '../widgets/cards.js'
import { el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'

/** @type {Record<Door['state'], Omit<Words, 'why' | 'todo'>>} */
const STATES = {
  off: { tone: 'quiet', icon: 'stop', words: t('doorOff') },
  starting: { tone: 'wait', icon: 'wait', words: t('doorOpening') },
  open: { tone: 'good', icon: 'check', words: t('doorOpen') },
  failing: { tone: 'bad', icon: 'warn', words: t('doorNotOpen') },
}

/**
 * The ways in that speak another product's protocol: how each is, and what to change on the other side.
 * @param {import('../shell/api.js').Api} api
 * @param {import('../shell/notice.js').Notice} notice
 */
export function createDoorList(api, notice) {
  const list = el('ol', { class: 'cards', 'aria-label': t('doors') })
  const cards = createCards(list, { keyOf: (/** @type {Door} */ { name }) => name, draw })
  const incoming = el('span')
  const clear = el('button', { type: 'button' }, t('cancelIncoming'))
  const waiting = el('p', { class: 'facts', hidden: true }, incoming, ' ', clear)
  clear.addEventListener('click', () => {
    api.call('POST', '/dialogs/cancel').then(lookAtDialogs).catch(notice.fault)
  })

  async function lookAtDialogs() {
    const dialogs = await api.call('GET', '/dialogs').catch(() => undefined)
    const n = dialogs?.waiting ?? 0
    waiting.hidden = n === 0
    incoming.textContent = t('jobsIncoming', { n })
  }

  const element = el(
    'div',
    { class: 'doors', hidden: true },
    el('h2', {}, t('doorsTitle')),
    el('p', { class: 'help' }, t('doorsHelp')),
    list,
    waiting,
    el('p', {}, el('a', { href: '/can-print' }, t('doorsCanPrint'))),
  )

  return {
    element,
    async look() {
      const doors = await api.call('GET', '/doors').catch(() => undefined)
      element.hidden = doors === undefined
      if (doors !== undefined) cards.update(doors)
      await lookAtDialogs()
    },
  }
}

/** @param {Door} door */
function draw({ title, state, message, texts, places, contact, lines }) {
  const { tone, words, icon: sign } = STATES[state]
  const last =
    contact === null
      ? t('nobodyYet')
      : t('lastUse', { time: timeWords(new Date(contact), new Date()) })
  return [
    el('div', { class: 'card-head' }, el('h3', {}, title)),
    el('p', { class: `state tone-${tone}` }, icon(sign), words),
    message !== '' && el('p', { class: 'why' }, tell(texts?.message, message)),
    state === 'off' &&
      el('p', { class: 'facts' }, el('a', { href: '#settings/doors' }, t('switchOn'))),
    places.length > 0 && el('p', { class: 'facts' }, [...places, last].join(' · ')),
    ...lines.map(({ where, line, texts }) =>
      el('p', { class: 'facts' }, `${tell(texts?.message, where)} `, el('code', {}, line)),
    ),
  ]
}
