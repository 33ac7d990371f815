import { el } from './element.js'
import { language, t } from './view-texts.js'

/** Of those that the server keeps. */
const LINES = 100

/**
 * The last lines of the log, asked for when somebody opens it.
 * @param {object} parts
 * @param {import('./admin.js').Admin} parts.admin
 * @param {import('./notice.js').Notice} parts.notice
 */
export function drawLog({ admin, notice }) {
  const list = el('ol', { class: 'log', tabindex: 0, 'aria-label': t('log') })
  const again = el('button', { type: 'button', onclick: look }, t('refresh'))
  const panel = el(
    'details',
    { class: 'panel', id: 'log' },
    el('summary', {}, el('h2', {}, t('log'))),
    el('p', { class: 'help' }, t('logHelp')),
    list,
    again,
  )
  panel.addEventListener('toggle', () => panel.open && look())
  return panel

  async function look() {
    const answer = await admin.call('GET', '/log').catch(notice.fault)
    if (answer === undefined) return
    list.replaceChildren(...answer.lines.slice(-LINES).toReversed().map(drawLine))
  }
}

/** @param {{ at: string, line: string }} entry */
function drawLine({ at, line }) {
  const time = new Date(at).toLocaleTimeString(language, { hourCycle: 'h23' })
  const { level = 'info', words, rest } = readLine(line)
  return el(
    'li',
    { class: `log-${level}` },
    el('time', { datetime: at }, time),
    ' ',
    el('strong', {}, words),
    ` ${rest}`,
  )
}

/**
 * A line as people read it: what happened, and the values beside it.
 * @param {string} line JSON of the server
 * @returns {{ level?: string, words: string, rest: string }}
 */
function readLine(line) {
  try {
    const { level, time: _, msg, ...values } = JSON.parse(line)
    const texts = Object.entries(values).map(([name, value]) => {
      return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
    })
    return { level, words: String(msg), rest: texts.join(', ') }
  } catch {
    return { words: line, rest: '' }
  }
}
