/** @import { Said, Source, Words } from '../shell/shapes.js' */

import { timeWords } from '../labels/words.js'
import { t, tell } from '../shell/texts.js'
import { cardButton } from '../widgets/cards.js'
import { drawDetails, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'

/** The names of the types of sources. */
const TYPES = /** @type {Record<string, string>} */ ({
  sqs: t('sqsQueue'),
  beanstalkd: t('beanstalkdQueue'),
  mqtt: t('mqttTopic'),
  heartbeat: t('heartbeatSource'),
})

/** @type {Record<Source['state'], Omit<Words, 'why' | 'todo'>>} */
const STATES = {
  starting: { tone: 'wait', icon: 'wait', words: t('notReached') },
  running: { tone: 'good', icon: 'check', words: t('connected') },
  waiting: { tone: 'warn', icon: 'wait', words: t('waits') },
  failing: { tone: 'bad', icon: 'warn', words: t('notConnectedShort') },
}

/**
 * A source as it is now.
 * @template {Source & { goesTo: string }} T `goesTo`: the printer of its labels now, '' = none
 * @param {T} source
 * @param {object} more
 * @param {(source: T) => void} more.test
 */
export function drawSource(source, { test }) {
  const { tone, words, icon: sign } = STATES[source.state]
  const name = TYPES[source.type] ?? source.type
  return [
    el('div', { class: 'card-head' }, el('h3', {}, name)),
    el('p', { class: `state tone-${tone}` }, icon(sign), words),
    source.message !== '' &&
      el('p', { class: 'why' }, tellPlain(source.texts?.message, source.message, t('sourceOdd'))),
    drawDetails(
      isTechnical(source.texts?.message, source.message)
        ? `${source.message} ${source.detail ?? ''}`.trim()
        : source.detail,
    ),
    source.state === 'failing' && el('p', { class: 'todo' }, t('triedAgain')),
    el('p', { class: 'facts code' }, source.where),
    el('p', { class: 'facts' }, facts(source).join(' · ')),
    ...notes(source).flatMap(([what, when, text, said, plain]) => [
      el(
        'p',
        { class: 'facts' },
        `${[what, timeOf(when)].join(' ').trim()}: `,
        tellPlain(said, text, plain),
      ),
      isTechnical(said, text) && drawDetails(text),
    ]),
    cardButton(t('test'), t('testOf', { name: `${name} ${source.where}` }), () => test(source)),
  ]
}

/**
 * @param {string} printer as it is set up; '' = the default one
 * @param {string} now the printer that this is; '' = none
 */
function goesToWords(printer, now) {
  if (printer !== '') return t('toPrinter', { printer })
  return now === '' ? t('toNone') : t('toDefault', { printer: now })
}

/** @param {Source & { goesTo: string }} source */
function facts(source) {
  const { contact, taken, refused, waiting, bad, printer, ack, type, goesTo } = source
  const all = [
    contact === null ? t('noContact') : t('lastContact', { time: timeOf(contact) }),
    t('taken', { n: taken }),
    refused > 0 && t('setAside', { n: refused }),
    waiting !== null && t('waitingThere', { n: waiting }),
    bad !== null && bad > 0 && t('badKept', { n: bad }),
    goesToWords(printer, goesTo),
    type !== 'heartbeat' && ack === 'printed' && t('offWhenPrinted'),
  ]
  return all.filter((fact) => typeof fact === 'string')
}

/**
 * Lists the last errors; an error that still holds is shown above already.
 * @param {Source} source
 * @returns {[what: string, when: string | null, text: string, said: Said[] | undefined, plain: string][]}
 */
function notes(source) {
  const { texts, message, error, refusal, warning } = source
  const past = error === message ? '' : error
  /** @type {ReturnType<typeof notes>} */
  const all = [
    [t('lastError'), source.error_at, past, texts?.error, t('sourceOdd')],
    [t('lastAside'), source.refusal_at, refusal, texts?.refusal, t('sourceAside')],
    [t('lastWarning'), source.warning_at, warning, texts?.warning, t('sourceWarned')],
  ]
  return all.filter(([, , text]) => text !== '')
}

/**
 * True for words that only the operator of the other side understands.
 * @param {Said[] | undefined} said
 * @param {string} text
 */
function isTechnical(said, text) {
  return text !== '' && (said ?? []).length === 0
}

/**
 * @param {Said[] | undefined} said
 * @param {string} text
 * @param {string} plain in place of technical words
 */
function tellPlain(said, text, plain) {
  return isTechnical(said, text) ? plain : tell(said, text)
}

/** @param {string | null} when */
function timeOf(when) {
  return when === null ? '' : timeWords(new Date(when), new Date())
}
