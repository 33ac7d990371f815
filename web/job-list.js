/** @import { Job } from './shapes.js' */
/** @import { Action } from './job-buttons.js' */
import { byId, el } from './element.js'
import { drawCard, nameOf } from './job-card.js'
import { hasEnded, jobWords, needsPerson } from './words.js'

const MAX_CARDS = 1_000

/**
 * The labels, newest first, always as they are now.
 * @param {object} parts
 * @param {import('./store.js').Store} parts.store
 * @param {import('./notice.js').Notice} parts.notice
 * @param {(action: Action, job: Job) => void} parts.act
 */
export function createJobList({ store, notice, act }) {
  const list = byId('jobs')
  const older = byId('older')
  const empty = byId('jobs-empty')
  const attention = byId('attention')
  /** @type {Map<string, HTMLElement>} */
  const cards = new Map()
  /** @type {string[]} */
  let names = []

  /**
   * @param {Job} job
   * @param {Job | undefined} before
   */
  function put(job, before) {
    const known = cards.get(job.id)
    const card = known ?? el('li', { class: 'job', tabindex: -1, id: `job-${job.id}` })
    if (known === undefined) {
      cards.set(job.id, card)
      list.insertBefore(card, firstOlder(job))
      trim()
    }
    if (JSON.stringify(job) !== JSON.stringify(before)) redraw(card, job, before)
    if (before !== undefined && before.state !== job.state) announce(job)
  }

  /** A page that stays open for weeks does not grow without end. */
  function trim() {
    const last = list.lastElementChild
    const next = last?.previousElementSibling
    if (!last || !next || list.children.length <= MAX_CARDS) return
    cards.delete(idOf(last))
    store.forget(idOf(last), idOf(next))
    last.remove()
    setHasOlder(true)
  }

  /** @param {Job} job */
  function firstOlder(job) {
    for (const card of list.children) {
      const other = store.jobs.get(idOf(card))
      if (other !== undefined && isOlder(other, job)) return card
    }
    return null
  }

  /**
   * A button that had the focus keeps it, or hands it to the card, so that a keyboard never falls back to the top.
   * @param {HTMLElement} card
   * @param {Job} job
   * @param {Job} [before] its picture is kept, so that nothing flickers
   */
  function redraw(card, job, before) {
    const thumb = before?.has_preview === job.has_preview ? card.querySelector('.thumb') : null
    const focused = card.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement)
      : undefined
    card.classList.toggle('needs-person', needsPerson(job))
    card.classList.toggle('told', job.message !== '' || job.hint !== '')
    card.setAttribute('aria-label', nameOf(job))
    const [fresh, ...rest] = drawCard(job, { printers: names, act })
    card.replaceChildren(thumb ?? fresh ?? '', ...rest)
    if (focused === undefined) return
    const same = card.querySelector(`[data-action="${focused.dataset['action']}"]`)
    ;(same instanceof HTMLElement ? same : card).focus({ preventScroll: true })
  }

  /** @param {Job} job */
  function announce(job) {
    if (hasEnded(job) || needsPerson(job)) notice.say(`${nameOf(job)}: ${jobWords(job).words}`)
  }

  function drawAround() {
    const waiting = store.isLocked() ? [] : [...store.jobs.values()].filter(needsPerson)
    attention.hidden = waiting.length === 0
    attention.textContent =
      waiting.length === 1 ? '1 label needs you' : `${waiting.length} labels need you`
    document.title = `${waiting.length > 0 ? `(${waiting.length}) ` : ''}Label printer`
    empty.hidden = store.jobs.size > 0 || store.isLocked()
    empty.textContent =
      store.printers.size === 0
        ? 'No labels yet. Add a printer first, then print a test label.'
        : 'No labels yet. Press “Print Test Label”, or drop a label file.'
  }

  attention.addEventListener('click', () => {
    const card = list.querySelector('.needs-person')
    if (!(card instanceof HTMLElement)) return
    card.scrollIntoView({ block: 'center' })
    card.focus({ preventScroll: true })
  })
  older.addEventListener('click', async () => {
    await store.loadOlder().then(setHasOlder, notice.fault)
  })
  store.onJob((job, before) => {
    put(job, before)
    drawAround()
  })
  store.onReset(() => {
    cards.clear()
    list.replaceChildren()
    drawAround()
  })
  store.onLock(drawAround)
  store.onPrinters((printers) => {
    const now = printers.map((printer) => printer.name)
    if (now.join('\n') !== names.join('\n')) {
      names = now
      for (const [id, card] of cards) {
        const job = store.jobs.get(id)
        if (job !== undefined) redraw(card, job)
      }
    }
    drawAround()
  })

  /** @param {boolean} hasOlder */
  function setHasOlder(hasOlder) {
    older.hidden = !hasOlder
  }

  return { setHasOlder }
}

/** @param {Element} card */
function idOf(card) {
  return card.id.slice('job-'.length)
}

/**
 * @param {Job} one
 * @param {Job} other
 */
function isOlder(one, other) {
  if (one.created !== other.created) return (one.created ?? '') < (other.created ?? '')
  return one.id.localeCompare(other.id, 'en', { numeric: true }) < 0
}
