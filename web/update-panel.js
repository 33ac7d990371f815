import { CallError } from './api.js'
import { el } from './element.js'
import { timeWords } from './words.js'

/**
 * `GET /update`.
 * @typedef {object} Update
 * @property {string} version
 * @property {boolean} possible
 * @property {string} why_not
 * @property {{ result: string, message: string, hint: string, at: string }} last
 */

/**
 * The version, what became of the last update, and the button for one.
 * @param {object} parts
 * @param {import('./api.js').Api} parts.api
 * @param {import('./notice.js').Notice} parts.notice
 * @returns {Promise<HTMLElement | undefined>} undefined where nothing is known of updates
 */
export async function drawUpdate({ api, notice }) {
  try {
    return draw(await api.call('GET', '/update'), ask)
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return undefined
  }

  async function ask() {
    notice.clear()
    await api.call('POST', '/update').then(({ Message }) => notice.tell(Message), notice.fault)
  }
}

/**
 * @param {Update} update
 * @param {() => void} ask
 */
function draw({ version, possible, why_not, last }, ask) {
  const when = last.at === '' ? '' : `${timeWords(new Date(last.at), new Date())}: `
  return el(
    'section',
    { class: 'panel update' },
    el('h2', {}, 'Version'),
    el('p', {}, `platen ${version}`),
    last.message !== '' && el('p', { class: 'facts' }, `Last update, ${when}${last.message}`),
    last.hint !== '' && el('p', { class: 'todo' }, last.hint),
    possible
      ? el('button', { type: 'button', onclick: ask }, 'Update now')
      : el('p', { class: 'help' }, why_not),
  )
}
