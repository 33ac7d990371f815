import { timeWords } from '../labels/words.js'
import { CallError } from '../shell/api.js'
import { createPoll } from '../shell/poll.js'
import { language, t, tell } from '../shell/texts.js'
import { drawDetails, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'

const LOOK_MS = 3_000
const LOOKS_MOST = 600 // half an hour: so long an update waits for labels that are being printed
const LOOKS_TO_BEGIN = 60 // three minutes: so long systemd waits for the network before one begins

/**
 * `GET /update`.
 * @typedef {object} Update
 * @property {string} version
 * @property {boolean} possible
 * @property {string} why_not
 * @property {import('../shell/shapes.js').SaidTexts} [texts] that for other languages
 * @property {{ result: string, message: string, hint: string, at: string }} last
 */

/**
 * The version, what became of the last update, and the button for one; once it is pressed, how far it is.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @returns {Promise<HTMLElement | undefined>} undefined where nothing is known of updates
 */
export async function drawUpdate({ api, notice }) {
  const section = el('section', { class: 'panel update', 'aria-live': 'polite' })
  const poll = createPoll(look, LOOK_MS)
  let shown = ''
  let before = ''
  let left = 0
  try {
    show(await api.call('GET', '/update'))
    return section
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return undefined
  }

  /** @param {Update} update */
  function show(update) {
    section.replaceChildren(...describe(update, ask))
    shown = update.last.at
  }

  async function ask() {
    notice.clear()
    const answer = await api.call('POST', '/update').catch(notice.fault)
    if (answer === undefined) return
    notice.tell(tell(answer.texts?.message, answer.Message))
    before = shown
    left = LOOKS_MOST
    await poll.start()
  }

  /** @param {boolean} hasEnded */
  function awaitBegin(hasEnded) {
    if (!hasEnded && left > LOOKS_MOST - LOOKS_TO_BEGIN) return
    poll.stop()
    if (hasEnded) return
    notice.warn(t('noUpdate'), t('noUpdateHint'))
  }

  /** The server starts again in between, and forgets who had logged in. */
  async function look() {
    left -= 1
    if (!section.isConnected || left < 0) return poll.stop()
    try {
      const update = await api.call('GET', '/update')
      show(update)
      if (update.last.result !== 'running') awaitBegin(update.last.at !== before)
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'LOGIN_NEEDED') return
      poll.stop()
      section.replaceChildren(
        el('h2', {}, t('version')),
        el('p', {}, t('startedAnew')),
        el('p', { class: 'todo' }, t('startedHint')),
        el('button', { type: 'button', onclick: () => location.reload() }, t('logIn')),
      )
    }
  }
}

/** @type {Record<string, string>} */
const RESULTS = {
  running: t('updateRuns'),
  updated: t('updateDone'),
  current: t('updateCurrent'),
  undone: t('updateUndone'),
  busy: t('updateBusy'),
  unreachable: t('updateUnreachable'),
  refused: t('updateNothing'),
  stale: t('updateNothing'),
  clock: t('updateNothing'),
  skipped: t('updateNothing'),
  unavailable: t('updateNothing'),
}

/**
 * Returns the outcome of an update; the update script writes English.
 * @param {Update['last']} last
 */
function plainOf({ result, message }) {
  // After a failure, going back may have failed too.
  return language === 'en' ? message : (RESULTS[result] ?? t('updateFailed'))
}

/**
 * @param {Update} update
 * @param {() => void} ask
 */
function describe({ version, possible, why_not, texts, last }, ask) {
  const isRunning = last.result === 'running'
  const time = last.at === '' ? '' : timeWords(new Date(last.at), new Date())
  const parts = [
    el('h2', {}, t('version')),
    el('p', {}, `platen ${version}`),
    isRunning && el('p', { class: 'state tone-busy' }, icon('wait'), t('updating')),
    last.message !== '' &&
      el(
        'p',
        { class: 'facts' },
        isRunning ? plainOf(last) : t('lastUpdate', { time, message: plainOf(last) }),
      ),
    language === 'en' && last.hint !== '' && el('p', { class: 'todo' }, last.hint),
    language !== 'en' && drawDetails(`${last.message} ${last.hint}`.trim()),
    !isRunning && possible && el('button', { type: 'button', onclick: ask }, t('updateNow')),
    !possible && el('p', { class: 'help' }, tell(texts?.message, why_not)),
  ]
  return parts.filter((part) => part !== false)
}
