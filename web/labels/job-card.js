/** @import { Job } from '../shell/shapes.js' */
/** @import { Action } from './job-buttons.js' */

import { t } from '../shell/texts.js'
import { drawDetails, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { actionsFor, buttonWords, isPrimary } from './job-buttons.js'
import { canBeNamed, drawAlarms, isDrawnHere } from './label-pictures.js'
import {
  formatWords,
  hasEnded,
  isInterrupted,
  isNoLabel,
  isQuiet,
  jobWords,
  sourceWords,
  timeWords,
} from './words.js'

/**
 * Draws one label of the list: its picture and name, its state as a pill, and its buttons. The content is made again at each
 * change; the card itself stays.
 * @param {Job} job
 * @param {object} more
 * @param {string[]} more.printers names of those that there are
 * @param {(action: Action, job: Job) => void} more.act
 * @returns {HTMLElement[]}
 */
export function drawCard(job, { printers, act }) {
  const { tone, words, why, todo, icon: sign } = jobWords(job)
  const actions = actionsFor(job, printers)
  /** @param {Exclude<Action, 'open'>} action */
  const button = (action) => {
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
  }
  // An ended label is one line: the likeliest button, and the others in a menu.
  const isFolded = hasEnded(job) && actions.length > 1
  const shown = isFolded ? actions.slice(0, 1) : actions
  return [
    drawThumb(job, act),
    el(
      'div',
      { class: 'job-text' },
      el('p', { class: 'job-name' }, titleOf(job)),
      el('p', { class: 'facts' }, ...joinFacts([...factsOf(job), drawTime(job)])),
      why !== '' && el('p', { class: isQuiet(job) ? 'facts' : 'why' }, why),
      todo !== '' && el('p', { class: 'todo' }, todo),
      ...drawAlarms(job),
      drawDetails(job.detail),
    ),
    el('p', { class: `state pill tone-${tone}` }, icon(sign), words),
    el('div', { class: 'job-buttons' }, ...shown.map(button)),
    isFolded && drawMenu(job, actions.map(button)),
  ].filter((part) => part !== false)
}

/**
 * True for a label that is drawn as one line: it has ended, or only waits its turn or for its printer.
 * @param {Job} job
 */
export function isLine(job) {
  return (
    hasEnded(job) ||
    ((job.state === 'pending' || job.state === 'processing') && !isInterrupted(job))
  )
}

/**
 * @param {Job} job
 * @param {HTMLElement[]} buttons
 */
function drawMenu(job, buttons) {
  const menu = el(
    'details',
    { class: 'menu' },
    el('summary', { 'data-action': 'menu', 'aria-label': t('actionsOf', { name: nameOf(job) }) }),
    el('div', { class: 'menu-items' }, ...buttons),
  )
  const close = () => {
    menu.open = false
  }
  menu.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('.menu-items')) close()
  })
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) close()
  })
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return
    close()
    menu.querySelector('summary')?.focus()
  })
  return menu
}

/** Lists the facts shown under the name of a label. @param {Job} job */
function factsOf(job) {
  const kind = job.title ? formatWords(job.format) : ''
  const printer = hasPrinter(job) ? job.printer : ''
  return [printer, kind, sourceWords(job)].filter((fact) => fact !== '')
}

/** @param {(HTMLElement | string)[]} facts */
function joinFacts(facts) {
  return facts
    .filter((fact) => fact !== '')
    .flatMap((fact, i) => (i === 0 ? [fact] : [' · ', fact]))
}

/** A message that is not a label is for no printer. @param {Job} job */
function hasPrinter(job) {
  return job.printer !== '' && !isNoLabel(job)
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
        title: t('asPrintedShort'),
        width: 80,
        height: 120,
        'data-name': canBeNamed(job) ? job.id : undefined,
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
      'aria-label': t('lookAt', { name: nameOf(job) }),
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

/** In place of a picture. @param {Job} job */
export function shortFormat(job) {
  if (['packlist', 'test', 'start'].includes(job.format)) return ''
  if (isNoLabel(job)) return '?'
  return job.format.toUpperCase()
}

/**
 * Returns the name that a person knows the label by.
 * @param {Job} job
 */
export function titleOf(job) {
  return job.title || formatWords(job.format)
}

/**
 * The label, for those who cannot see the card.
 * @param {Job} job
 */
export function nameOf(job) {
  const time = job.created === null ? '' : timeWords(new Date(job.created), new Date())
  const format = titleOf(job)
  const name = time === '' || job.title ? format : t('labelOfTime', { format, time })
  if (hasPrinter(job)) return t('onPrinter', { name, printer: job.printer })
  return `${name} ${sourceWords(job)}`.trimEnd()
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
