/** @import { Job } from './shapes.js' */
import { el } from './element.js'
import { icon } from './icons.js'
import {
  formatWords,
  hasEnded,
  isDuplicate,
  isInterrupted,
  isQuiet,
  jobWords,
  sourceWords,
  timeWords,
} from './words.js'

/**
 * What a person can do with a label.
 * @typedef {'cancel' | 'release' | 'printed' | 'again' | 'reprint' | 'elsewhere' | 'calibrate' | 'open'} Action
 */

/** @type {Record<Exclude<Action, 'open'>, string>} */
const BUTTONS = {
  printed: 'It came out',
  again: 'Print again',
  release: 'Release and print',
  reprint: 'Reprint',
  elsewhere: 'Other printer…',
  calibrate: 'Calibrate',
  cancel: 'Cancel',
}

/** What the buttons of a label say that is held because it was printed before. */
const ANYWAY = /** @type {Record<string, string>} */ ({
  release: 'Print anyway',
  cancel: 'Do not print',
})

/**
 * What can be done with a label now, the likeliest first.
 * @param {Job} job
 * @param {boolean} hasChoice there is more than one printer
 * @returns {Exclude<Action, 'open'>[]}
 */
export function actionsFor(job, hasChoice) {
  if (isInterrupted(job)) return ['printed', 'again', 'cancel']
  if (job.state === 'pending-held') return ['release', 'cancel']
  if (!hasEnded(job)) return ['cancel']
  /** @type {Exclude<Action, 'open'>[]} */
  const more = job.message.includes('"Calibrate"') ? ['calibrate'] : []
  // A start label tells the PIN: the printers' tab prints a new one.
  if (!job.has_label || job.format === 'start') return more
  return hasChoice ? ['reprint', 'elsewhere', ...more] : ['reprint', ...more]
}

/**
 * One label in the list. The card's content is made anew at each change; the card itself stays.
 * @param {Job} job
 * @param {object} more
 * @param {boolean} more.hasChoice
 * @param {(action: Action, job: Job) => void} more.act
 * @returns {HTMLElement[]}
 */
export function drawCard(job, { hasChoice, act }) {
  const { tone, words, why, todo, icon: sign } = jobWords(job)
  const buttons = actionsFor(job, hasChoice).map((action) => {
    const text = (isDuplicate(job) && ANYWAY[action]) || BUTTONS[action]
    return el(
      'button',
      {
        type: 'button',
        'data-action': action,
        class: action === 'printed' || text === ANYWAY['release'] ? 'primary' : undefined,
        'aria-label': `${text}: ${nameOf(job)}`,
        onclick: () => act(action, job),
      },
      text,
    )
  })
  return [
    drawThumb(job, act),
    el(
      'div',
      { class: 'job-text' },
      el('p', { class: `state tone-${tone}` }, icon(sign), words),
      el('p', { class: 'facts' }, job.printer, ' · ', nameFormat(job), ' · ', drawTime(job)),
      why !== '' && el('p', { class: isQuiet(job) ? 'facts' : 'why' }, why),
      todo !== '' && el('p', { class: 'todo' }, todo),
    ),
    el('div', { class: 'job-buttons' }, ...buttons),
  ]
}

/**
 * @param {Job} job
 * @param {(action: Action, job: Job) => void} act
 */
function drawThumb(job, act) {
  const content = job.has_preview
    ? el('img', {
        src: previewOf(job),
        alt: '',
        width: 80,
        height: 120,
        loading: 'lazy',
        decoding: 'async',
      })
    : el('span', { class: 'paper' }, shortFormat(job))
  return el(
    'button',
    {
      type: 'button',
      class: 'thumb',
      'data-action': 'open',
      'aria-label': `Look at: ${nameOf(job)}`,
      onclick: () => act('open', job),
    },
    content,
  )
}

/**
 * @param {Job} job
 * @returns {string} where the picture of the printed label is
 */
export function previewOf(job) {
  return `/jobs/${encodeURIComponent(job.id)}/preview.png`
}

/** @param {Job} job */
function nameFormat(job) {
  return [formatWords(job.format), sourceWords(job)].filter((words) => words !== '').join(', ')
}

/** @param {Job} job */
function shortFormat(job) {
  if (job.format === 'packlist') return 'List'
  if (job.format === 'test') return 'Test'
  if (job.format === 'start') return 'Start'
  return job.format.toUpperCase()
}

/**
 * The label, for those who cannot see the card.
 * @param {Job} job
 */
export function nameOf(job) {
  const time = job.created === null ? '' : ` of ${timeWords(new Date(job.created), new Date())}`
  return `${formatWords(job.format)}${time} on ${job.printer}`
}

/** @param {Job} job */
function drawTime(job) {
  if (job.created === null) return ''
  const then = new Date(job.created)
  return el(
    'time',
    { datetime: job.created, title: then.toLocaleString() },
    timeWords(then, new Date()),
  )
}
