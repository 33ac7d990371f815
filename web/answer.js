// The small page that answers a form: follows its labels, the elements with `data-job`, until all have ended.
// Without this script the page stays as it came.
/** @import { Job, Printer } from './shell/shapes.js' */

import { actionsFor, buttonWords } from './labels/job-buttons.js'
import { previewOf, shortFormat, titleOf } from './labels/job-card.js'
import { drawJob, isDrawnHere } from './labels/label-pictures.js'
import { printerWords } from './printers/printer-words.js'
import { CallError, createApi } from './shell/api.js'
import { drawDetails, el } from './widgets/element.js'
import { icon } from './widgets/icons.js'
import './small-texts.js'
import { formatWords, hasEnded, jobWords, needsPerson, waitsForPrinter } from './labels/words.js'
import { t } from './shell/texts.js'

/** Milliseconds between two looks: often while a label usually prints, seldom while it waits for a person. */
const OFTEN = 1_000
const SELDOM = 5_000
const OFTEN_FOR = 30_000

const api = createApi()
/** @type {NodeListOf<HTMLElement>} */
const places = document.querySelectorAll('[data-job]')
const started = Date.now()

/** By name, as at the last look. @type {Map<string, Printer>} */
let printers = new Map()
/** The picture of each label, once there is one. @type {Map<HTMLElement, HTMLElement>} */
const pictures = new Map()

/**
 * @param {HTMLElement} place
 * @param {Job} job
 */
function draw(place, job) {
  const { tone, words, icon: sign } = jobWords(job)
  const { why, todo } = reasonOf(job)
  const drawing = JSON.stringify([job, why, todo])
  if (place.dataset['drawn'] === drawing) return
  const hasFocus = place.contains(document.activeElement)
  place.dataset['drawn'] = drawing
  const text = [
    el('p', { class: 'job-name' }, titleOf(job)),
    el('p', { class: 'facts' }, job.printer, job.title ? ` · ${formatWords(job.format)}` : ''),
    el('p', { class: `state pill tone-${tone}` }, icon(sign), words),
    why !== '' && el('p', {}, why),
    todo !== '' && el('p', { class: 'todo' }, todo),
    drawDetails(job.detail),
    drawButtons(place, job),
  ]
  place.replaceChildren(pictureOf(place, job), el('div', { class: 'answer-text' }, ...text))
  if (!hasFocus) return
  // The keyboard stays where it was.
  const next = place.querySelector('button') ?? place
  if (next === place) place.tabIndex = -1
  next.focus()
}

/** Returns the reason of a label. In the list only the first label that waits for a printer has it; here each does. @param {Job} job */
function reasonOf(job) {
  const own = jobWords(job)
  const printer = printers.get(job.printer)
  if (own.why !== '' || printer === undefined || !waitsForPrinter(job)) return own
  return printerWords(printer)
}

/**
 * Makes the picture of a label as it was printed, or, for a raw label, about as it will be.
 * @param {HTMLElement} place
 * @param {Job} job
 */
function pictureOf(place, job) {
  const known = pictures.get(place)
  if (known !== undefined && (!job.has_preview || known instanceof HTMLImageElement)) return known
  if (job.has_preview) return keep(el('img', { src: previewOf(job), alt: t('theLabelPrinted') }))
  const paper = keep(el('div', { class: 'paper' }, shortFormat(job)))
  if (isDrawnHere(job)) void drawRaw(paper, job)
  return paper

  /** @param {HTMLElement} picture */
  function keep(picture) {
    pictures.set(place, picture)
    return picture
  }
}

/** @param {HTMLElement} paper @param {Job} job */
async function drawRaw(paper, job) {
  // Without a picture the words are there.
  const drawn = await drawJob(job, printers.get(job.printer)).catch(() => undefined)
  if (drawn !== undefined) paper.replaceChildren(el('img', { src: drawn.url, alt: t('aboutHow') }))
}

/** The decisions that can be made here; the others are on the page of all labels. @type {Record<string, [verb: string, body: object]>} */
const MOVES = {
  printed: ['resolve', { printed: true }],
  again: ['resolve', { printed: false }],
  release: ['release', {}],
  cancel: ['cancel', {}],
}

/**
 * @param {HTMLElement} place
 * @param {Job} job
 */
function drawButtons(place, job) {
  const fault = el('p', { class: 'fault', role: 'alert' })
  const buttons = actionsFor(job, [job.printer]).flatMap((action) => {
    const [verb, body] = MOVES[action] ?? []
    if (verb === undefined) return []
    const onclick = async () => {
      const path = `/jobs/${encodeURIComponent(job.id)}/${verb}`
      const answer = await api
        .call('POST', path, verb === 'cancel' ? {} : { ...body, attempts: job.attempts })
        .catch((error) => {
          if (!(error instanceof CallError)) throw error
          fault.replaceChildren(`${error.message} ${error.hint}`, drawDetails(error.detail) || '')
        })
      if (answer?.job) draw(place, { ...job, ...answer.job })
    }
    return [el('button', { type: 'button', onclick }, buttonWords(action, job, [job.printer]))]
  })
  return el('div', { class: 'answer-buttons' }, ...buttons, fault)
}

/** The title and the sentence of the page were true when it came; now its labels speak. @param {Job[]} jobs */
function drawTitle(jobs) {
  const title = document.querySelector('h1')
  if (title === null || jobs.length < places.length) return
  for (const old of document.querySelectorAll('main > .why, main > .todo')) old.remove()
  const isBad = jobs.some((job) => needsPerson(job) || job.state === 'aborted')
  title.textContent = isBad ? t('needsAPerson') : jobs.every(hasEnded) ? t('done') : t('onItsWay')
  document.title = `${title.textContent} – platen`
}

/** Looks at every label, and again later while one has not ended. */
async function follow() {
  /** @type {Printer[]} */
  const known = await api.call('GET', '/printers').catch(() => [])
  printers = new Map(known.map((printer) => [printer.name, printer]))
  const looks = [...places].map(async (place) => {
    const id = encodeURIComponent(place.dataset['job'] ?? '')
    const secret = place.dataset['secret'] ?? ''
    const own = { 'X-Platen-Job-Secret': secret }
    const job = await api.call('GET', `/jobs/${id}`, undefined, own).catch(() => undefined)
    if (job !== undefined) draw(place, { ...job, secret })
    return job
  })
  const jobs = (await Promise.all(looks)).filter((job) => job !== undefined)
  drawTitle(jobs)
  if (jobs.length === places.length && jobs.every(hasEnded)) return
  setTimeout(follow, Date.now() - started < OFTEN_FOR ? OFTEN : SELDOM)
}

if (places.length > 0) void follow()
