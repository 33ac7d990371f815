import { byId, el } from '../widgets/element.js'
import { createPoll } from './poll.js'
import { t } from './texts.js'

const LOOK_MS = 30_000

/**
 * A dot on the tabs where something is wrong: a printer that needs a person, no default printer, a source that cannot be
 * reached.
 * @param {object} parts
 * @param {import('./store.js').Store} parts.store
 * @param {import('./api.js').Api} parts.api
 */
export function createTabDots({ store, api }) {
  store.onPrinters((printers) => {
    const isLost = printers.length > 0 && !printers.some((printer) => printer.default)
    byId('no-default').hidden = !isLost
    mark(
      'to-printers',
      isLost || printers.some(({ state, paused }) => state === 'stopped' && !paused),
    )
  })

  async function lookAtSources() {
    if (store.isLocked()) return mark('to-sources', false)
    const sources = await api.call('GET', '/sources').catch(() => [])
    mark(
      'to-sources',
      sources.some((/** @type {{ state: string }} */ { state }) => state === 'failing'),
    )
  }

  void createPoll(lookAtSources, LOOK_MS).start()
}

/** @param {string} id @param {boolean} isWrong */
function mark(id, isWrong) {
  const tab = byId(id)
  const marks = tab.querySelectorAll('.dot, .unseen')
  if (!isWrong) for (const one of marks) one.remove()
  else if (marks.length === 0) {
    tab.append(
      el('span', { class: 'dot' }),
      el('span', { class: 'unseen' }, `, ${t('somethingWrong')}`),
    )
  }
}
