// The small page that answers a form: follows its labels, the elements with `data-job`, until all have ended.
// Without this script the page stays as it came.
/** @import { Job } from './shapes.js' */
import { CallError, createApi } from './api.js'
import { drawDetails, el } from './element.js'
import { icon } from './icons.js'
import { actionsFor, buttonWords } from './job-buttons.js'
import { previewOf } from './job-card.js'
import { t } from './small-texts.js'
import { formatWords, hasEnded, jobWords, needsPerson } from './words.js'

/** Milliseconds between two looks: often while a label usually prints, seldom while it waits for a person. */
const OFTEN = 1_000
const SELDOM = 5_000
const OFTEN_FOR = 30_000

const api = createApi()
/** @type {NodeListOf<HTMLElement>} */
const places = document.querySelectorAll('[data-job]')
const started = Date.now()

/**
 * @param {HTMLElement} place
 * @param {Job} job
 */
function draw(place, job) {
  const { tone, words, why, todo, icon: sign } = jobWords(job)
  const drawing = JSON.stringify(job)
  if (place.dataset['drawn'] === drawing) return
  place.dataset['drawn'] = drawing
  const picture = {
    src: previewOf(job),
    alt: t('theLabelPrinted'),
    width: 200,
    height: 300,
  }
  const parts = [
    el('p', { class: `state tone-${tone}` }, icon(sign), words),
    el('p', { class: 'facts' }, `${job.printer} · ${formatWords(job.format)}`),
    why !== '' && el('p', {}, why),
    todo !== '' && el('p', { class: 'todo' }, todo),
    drawDetails(job.detail),
    drawButtons(place, job),
    job.has_preview && el('img', picture),
  ]
  place.replaceChildren(...parts.filter((part) => part !== false))
}

/** What can be decided here; the rest is on the page of all labels. @type {Record<string, [verb: string, body: object]>} */
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
}

/** Looks at every label, and again later while one has not ended. */
async function follow() {
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
