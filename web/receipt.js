// The small page that answers a form: follows its labels until all are ended. `<main data-jobs="ID ID">` names them,
// each has an element with `data-job="ID"` whose text is replaced; without this script the page stays as it came.
/** @import { Job } from './shapes.js' */
import { createApi } from './api.js'
import { el } from './element.js'
import { icon } from './icons.js'
import { previewOf } from './job-card.js'
import { formatWords, hasEnded, jobWords } from './words.js'

/** Milliseconds between two looks: often while a label usually prints, seldom while it waits for a person. */
const OFTEN = 1_000
const SELDOM = 5_000
const OFTEN_FOR = 30_000

const api = createApi()
const main = document.querySelector('main')
const ids = (main?.dataset['jobs'] ?? '').split(' ').filter((id) => id !== '')
const started = Date.now()

/** @param {Job} job */
function draw(job) {
  const { tone, words, why, todo, icon: sign } = jobWords(job)
  const place = document.querySelector(`[data-job="${CSS.escape(job.id)}"]`)
  place?.replaceChildren(
    el('p', { class: `state tone-${tone}` }, icon(sign), words),
    el('p', { class: 'facts' }, `${job.printer} · ${formatWords(job.format)}`),
    el('p', {}, why),
    el('p', { class: 'todo' }, todo),
    job.has_preview
      ? el('img', {
          src: previewOf(job),
          alt: 'The label as it was printed',
          width: 160,
          height: 240,
        })
      : '',
  )
}

/** Looks at every label once, and again later while one has not ended. */
async function follow() {
  const jobs = await Promise.all(
    ids.map((id) => api.call('GET', `/jobs/${encodeURIComponent(id)}`).catch(() => undefined)),
  )
  for (const job of jobs) if (job !== undefined) draw(job)
  if (jobs.every((job) => job !== undefined && hasEnded(job))) return
  setTimeout(follow, Date.now() - started < OFTEN_FOR ? OFTEN : SELDOM)
}

if (ids.length > 0) void follow()
