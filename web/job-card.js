/** @import { Job } from './shapes.js' */
/** @import { Action } from './job-buttons.js' */
import { el } from './element.js'
import { icon } from './icons.js'
import { actionsFor, buttonWords, isPrimary } from './job-buttons.js'
import { isDrawnHere } from './label-pictures.js'
import { formatWords, isNoLabel, isQuiet, jobWords, sourceWords, timeWords } from './words.js'

/**
 * One label in the list. The card's content is made anew at each change; the card itself stays.
 * @param {Job} job
 * @param {object} more
 * @param {string[]} more.printers names of those that there are
 * @param {(action: Action, job: Job) => void} more.act
 * @returns {HTMLElement[]}
 */
export function drawCard(job, { printers, act }) {
  const { tone, words, why, todo, icon: sign } = jobWords(job)
  const buttons = actionsFor(job, printers).map((action) => {
    const text = buttonWords(action, job, printers)
    return el(
      'button',
      {
        type: 'button',
        'data-action': action,
        class: isPrimary(action, job) ? 'primary' : undefined,
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
      el('p', { class: 'facts' }, ...printerOf(job), nameFormat(job), ' · ', drawTime(job)),
      why !== '' && el('p', { class: isQuiet(job) ? 'facts' : 'why' }, why),
      todo !== '' && el('p', { class: 'todo' }, todo),
      job.detail !== '' &&
        el('details', {}, el('summary', {}, 'Details'), el('p', { class: 'facts' }, job.detail)),
    ),
    el('div', { class: 'job-buttons' }, ...buttons),
  ]
}

/** A message that is not a label is for no printer. @param {Job} job */
function printerOf(job) {
  return job.printer === '' || isNoLabel(job) ? [] : [job.printer, ' · ']
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
    : el(
        'span',
        { class: 'paper', 'data-draw': isDrawnHere(job) ? job.id : undefined },
        shortFormat(job),
      )
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
  const own = job.secret === undefined ? '' : `?secret=${encodeURIComponent(job.secret)}`
  return `/jobs/${encodeURIComponent(job.id)}/preview.png${own}`
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
  if (isNoLabel(job)) return '?'
  return job.format.toUpperCase()
}

/**
 * The label, for those who cannot see the card.
 * @param {Job} job
 */
export function nameOf(job) {
  const time = job.created === null ? '' : ` of ${timeWords(new Date(job.created), new Date())}`
  const where = printerOf(job).length > 0 ? `on ${job.printer}` : sourceWords(job)
  return `${formatWords(job.format)}${time} ${where}`.trimEnd()
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
