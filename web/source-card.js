/** @import { Source, Words } from './shapes.js' */
import { cardButton } from './cards.js'
import { el } from './element.js'
import { icon } from './icons.js'
import { timeWords } from './words.js'

/** What people call each type of source. */
const TYPES = /** @type {Record<string, string>} */ ({
  sqs: 'Amazon SQS queue',
  beanstalkd: 'beanstalkd queue',
  mqtt: 'MQTT topic',
  heartbeat: 'Heartbeat',
})

/** @type {Record<Source['state'], Omit<Words, 'why' | 'todo'>>} */
const STATES = {
  starting: { tone: 'wait', icon: 'wait', words: 'Not reached yet' },
  running: { tone: 'good', icon: 'check', words: 'Connected' },
  waiting: { tone: 'warn', icon: 'wait', words: 'Waits' },
  failing: { tone: 'bad', icon: 'warn', words: 'Not connected' },
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
    source.message !== '' && el('p', { class: 'why' }, source.message),
    source.state === 'failing' &&
      el(
        'p',
        { class: 'todo' },
        'It is tried again by itself. Labels that wait there are not lost.',
      ),
    el('p', { class: 'facts code' }, source.where),
    el('p', { class: 'facts' }, facts(source).join(' · ')),
    ...notes(source).map(([what, when, text]) =>
      el('p', { class: 'facts' }, `${what}${atTime(when)}: `, text),
    ),
    cardButton('Test', `Test: ${name} ${source.where}`, () => test(source)),
  ]
}

/**
 * @param {string} printer as it is set up; '' = the default one
 * @param {string} now the printer that this is; '' = none
 */
function goesToWords(printer, now) {
  if (printer !== '') return `to ${printer}`
  return now === '' ? 'to no printer: none is the default' : `to the default printer, ${now}`
}

/** @param {Source & { goesTo: string }} source */
function facts(source) {
  const { contact, taken, refused, waiting, bad, printer, ack, type, goesTo } = source
  const all = [
    contact === null ? 'no contact yet' : `last contact${atTime(contact)}`,
    `${count(taken, 'message')} taken since the start`,
    refused > 0 && `${refused} set aside`,
    waiting !== null && `${waiting} waiting there`,
    bad !== null && bad > 0 && `${bad} bad ones kept there`,
    goesToWords(printer, goesTo),
    type !== 'heartbeat' && ack === 'printed' && 'taken off the queue when printed',
  ]
  return all.filter((fact) => typeof fact === 'string')
}

/**
 * What went wrong last; an error that holds now stands above already.
 * @param {Source} source
 * @returns {[string, string | null, string][]}
 */
function notes(source) {
  /** @type {[string, string | null, string][]} */
  const all = [
    ['Last error', source.error_at, source.error === source.message ? '' : source.error],
    ['Last message set aside', source.refusal_at, source.refusal],
    ['Last warning', source.warning_at, source.warning],
  ]
  return all.filter(([, , text]) => text !== '')
}

/** @param {string | null} when */
function atTime(when) {
  return when === null ? '' : ` ${timeWords(new Date(when), new Date())}`
}

/**
 * @param {number} number
 * @param {string} one
 */
function count(number, one) {
  return `${number} ${one}${number === 1 ? '' : 's'}`
}
