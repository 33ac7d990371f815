/** @import { Job } from './shapes.js' */
import { CallError } from './api.js'
import { el } from './element.js'
import { icon } from './icons.js'
import { previewOf } from './job-card.js'
import { lookInto, makeKey, toBase64 } from './label-file.js'
import { hasEnded, jobWords, needsPerson, sizeWords } from './words.js'

/**
 * One file on its way to a printer: its picture before, and after it was printed its picture as printed.
 * @param {File} file
 * @param {object} parts
 * @param {import('./store.js').Store} parts.store
 * @param {import('./api.js').Api} parts.api
 * @param {(item: TrayItem) => void} parts.onRemove
 */
export function createTrayItem(file, { store, api, onRemove }) {
  const before = el('div', { class: 'tray-picture' })
  const after = el('div', { class: 'tray-picture', hidden: true })
  const outcome = el('div', { class: 'tray-outcome' })
  const remove = el('button', {
    type: 'button',
    class: 'close',
    'aria-label': `Remove ${file.name}`,
    onclick: () => onRemove(item),
  })
  const element = el(
    'li',
    { class: 'tray-item' },
    el('div', { class: 'tray-pictures' }, before, after),
    el(
      'div',
      { class: 'tray-text' },
      el('p', { class: 'tray-name' }, file.name),
      el('p', { class: 'facts' }, sizeWords(file.size)),
    ),
    remove,
    outcome,
  )
  let url = ''
  /** @type {string[]} */
  let jobs = []
  let key = makeKey()
  let keyIsFor = ''

  void lookInto(file).then((seen) => {
    url = seen.url ?? ''
    if (url !== '') before.append(el('img', { src: url, alt: `${file.name}, as it was sent` }))
    else before.append(el('pre', { 'aria-label': 'First lines' }, seen.lines ?? ''))
  })

  /**
   * Sends the label. The same label with the same options has the same key, so that trying again after a lost
   * answer never prints twice.
   * @param {Record<string, string | number>} options
   */
  async function print(options) {
    const text = JSON.stringify(options)
    if (keyIsFor !== '' && keyIsFor !== text) key = makeKey()
    keyIsFor = text
    outcome.replaceChildren(el('p', { class: 'facts' }, 'Sending…'))
    const body = { label: await toBase64(file), idempotency_key: key, ...options }
    await api.call('POST', '/', body, { Prefer: 'wait=0' }).then(take, (error) => {
      if (!(error instanceof CallError)) throw error
      drawFault(error)
    })
  }

  /** @param {{ jobs: Job[] }} answer */
  function take(answer) {
    jobs = answer.jobs.map((job) => job.id)
    for (const job of answer.jobs) store.putOwn(job)
    follow()
  }

  /** @param {CallError} error */
  function drawFault(error) {
    outcome.replaceChildren(
      el('p', { class: 'state tone-bad' }, icon('cross'), 'Not taken'),
      el('p', { class: 'why' }, error.message),
      el('p', { class: 'todo' }, error.hint),
    )
  }

  /** Shows the jobs of this file as they are now; of several copies the one that is furthest behind. */
  function follow() {
    const known = jobs.map((id) => store.jobs.get(id)).filter((job) => job !== undefined)
    const job = known.find(needsPerson) ?? known.find((job) => !hasEnded(job)) ?? known.at(-1)
    if (job === undefined) return
    const { tone, words, why, todo, icon: sign } = jobWords(job)
    const copies =
      jobs.length > 1 && `${known.filter(hasEnded).length} of ${jobs.length} copies done`
    outcome.replaceChildren(
      el('p', { class: `state tone-${tone}` }, icon(sign), words),
      el('p', { class: 'facts' }, job.printer, copies && ` · ${copies}`),
      why !== '' ? el('p', { class: 'why' }, why) : '',
      todo !== '' ? el('p', { class: 'todo' }, todo) : '',
    )
    const printed = known.find((job) => job.has_preview)
    if (printed === undefined || !after.hidden) return
    after.hidden = false
    after.append(el('img', { src: previewOf(printed), alt: `${file.name}, as it was printed` }))
  }

  const item = {
    element,
    print,
    follow,
    /** @param {string} id */
    owns: (id) => jobs.includes(id),
    isAccepted: () => jobs.length > 0,
    dispose() {
      if (url !== '') URL.revokeObjectURL(url)
      element.remove()
    },
  }
  return item
}

/** @typedef {ReturnType<typeof createTrayItem>} TrayItem */
