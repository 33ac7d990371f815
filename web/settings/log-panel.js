import { language, t, tell } from '../shell/texts.js'
import { el } from '../widgets/element.js'

/** The titles of the lines, by the server's name for the event. @type {Record<string, string>} */
const EVENTS = {
  printed: t('logPrinted'),
  held: t('logHeld'),
  canceled: t('logCanceled'),
  aborted: t('logAborted'),
  'printer stopped': t('logPrinterStopped'),
  'spool is filling': t('logFills'),
  'spool has room again': t('logRoom'),
  spool: t('logSpool'),
  source: t('logSource'),
  'source reached': t('logSourceReached'),
  'source failing': t('logSourceFails'),
  'source fault': t('logSourceFault'),
  'message set aside': t('logAside'),
  'results not delivered': t('logResults'),
  'results are delivered again': t('logResultsAgain'),
  'door open': t('logDoorOpen'),
  'door closed': t('logDoorClosed'),
  configuration: t('logConfig'),
  certificate: t('logCertificate'),
  'request failed': t('logRequest'),
  fault: t('logFault'),
  started: t('logStart'),
  stopped: t('logStop'),
}

/** The number of lines shown of those that the server keeps. */
const LINES = 100

/**
 * The last lines of the log, asked for when somebody opens it.
 * @param {object} parts
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/notice.js').Notice} parts.notice
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

/** @param {{ at: string, line: string, texts?: import('../shell/shapes.js').SaidTexts }} entry */
function drawLine({ at, line, texts }) {
  const time = new Date(at).toLocaleTimeString(language, { hourCycle: 'h23' })
  const { level = 'info', words, rest } = readLine(line, texts)
  return el(
    'li',
    { class: `log-${level}` },
    el('time', { datetime: at }, time),
    ' ',
    el('strong', {}, words),
    ` ${rest}`,
  )
}

/** @param {unknown} value */
function factOf(value) {
  const isPlain = Array.isArray(value) && value.every((one) => typeof one === 'string')
  if (isPlain) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * A line as people read it: what happened, and the values beside it.
 * @param {string} line JSON of the server
 * @param {import('../shell/shapes.js').SaidTexts} [said] its sentences for other languages
 * @returns {{ level?: string, words: string, rest: string }}
 */
function readLine(line, said) {
  try {
    const { level, time: _, msg, message = '', why = '', hint = '', ...values } = JSON.parse(line)
    const sentences = [tell(said?.message, message || why), tell(said?.hint, hint)]
    const facts = Object.entries(values).map(([name, value]) => `${name}: ${factOf(value)}`)
    const rest = [...sentences, facts.join(', ')].filter((part) => part !== '').join(' ')
    return { level, words: EVENTS[msg] ?? String(msg), rest }
  } catch {
    return { words: line, rest: '' }
  }
}
