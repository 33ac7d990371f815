import { t, tell } from '../shell/texts.js'
import { el } from '../widgets/element.js'

/**
 * Draws the panel with the restart, so that settings that take effect at a start need nobody to pull the plug.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function drawRestart({ api, notice }) {
  return el(
    'section',
    { class: 'panel restart' },
    el('h2', {}, t('restart')),
    el('p', { class: 'help' }, t('restartHelp')),
    el('button', { type: 'button', onclick: restart }, t('restartNow')),
  )

  async function restart() {
    notice.clear()
    const { token } = await api.loadSession()
    await api
      .call('GET', '/shutdown', undefined, { 'X-Platen-Token': token })
      .then(({ Message, texts }) => notice.tell(tell(texts?.message, Message)), notice.fault)
  }
}
