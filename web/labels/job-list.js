/** @import { Job } from '../shell/shapes.js' */
/** @import { Action } from './job-buttons.js' */

import { onPeers } from '../printers/peers.js'
import { keepStill } from '../shell/still.js'
import { t } from '../shell/texts.js'
import { byId, el } from '../widgets/element.js'
import { drawCard, isLine, nameOf } from './job-card.js'
import { compareIds, createJobGroups, firstBehind, idOf } from './job-groups.js'
import { drawPrinterPicture } from './pictures.js'
import { hasEnded, jobWords, needsPerson } from './words.js'

const MAX_CARDS = 1_000
/** Between two looks whether a new day has begun, which a computer may sleep through. */
const DAY_MS = 60_000

/**
 * The labels, always as they are now: those that have not ended by their printers, and below them the history, newest
 * first.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {import('./filter.js').Filter} parts.filter
 * @param {(action: Action, job: Job) => void} parts.act
 * @param {import('./job-groups.js').GroupActions} parts.actAll
 */
export function createJobList({ store, notice, filter, act, actAll }) {
  const list = byId('jobs')
  const older = byId('older')
  const held = /** @type {HTMLButtonElement} */ (byId('held-back'))
  const groups = createJobGroups({ store, notice, filter, act: actAll })
  /** Labels whose cards wait until no hand is on the list, by their ids. @type {Set<string>} */
  const late = new Set()
  const still = keepStill({
    areas: [byId('waiting'), list],
    more: held,
    rows: '.job, .group-head',
    onRelease: placeLate,
    onRefused: () => notice.warn(t('rowMoved'), ''),
  })
  held.addEventListener('click', () => still.release())
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
    cards.set(job.id, card)
    const focused = card.contains(document.activeElement) ? document.activeElement : null
    const waits = still.isHeld() && moves(card, job)
    if (waits) late.add(job.id)
    else place(card, job)
    // What lies below it stays where it is.
    if (still.isHeld() && known !== undefined) card.style.minHeight = `${card.offsetHeight}px`
    if (JSON.stringify(job) !== JSON.stringify(before)) redraw(card, job, before, focused)
    card.hidden = !filter.fits(job)
    if (before !== undefined && before.state !== job.state) announce(job)
  }

  /** @param {HTMLElement} card @param {Job} job */
  function moves(card, job) {
    return hasEnded(job) ? card.parentElement !== list : groups.moves(card, job)
  }

  /** @param {HTMLElement} card @param {Job} job */
  function place(card, job) {
    if (!hasEnded(job)) groups.put(card, job)
    else if (card.parentElement !== list) {
      groups.remove(card)
      list.insertBefore(card, firstOlder(job))
      trim(job)
    }
  }

  /** No hand is on the list any more. */
  function placeLate() {
    const focused = document.activeElement
    for (const id of late) {
      const [card, job] = [cards.get(id), store.jobs.get(id)]
      if (card !== undefined && job !== undefined) place(card, job)
    }
    late.clear()
    // What is moved loses the focus.
    if (focused instanceof HTMLElement && focused !== document.activeElement)
      focused.focus({ preventScroll: true })
    for (const card of cards.values()) card.style.minHeight = ''
    drawSoon()
  }

  /** Shows how many labels have come that are not in the list yet. */
  function drawHeld() {
    const n = [...late].filter((id) => cards.get(id)?.isConnected === false).length
    held.hidden = n === 0
    held.textContent = t('heldBack', { n })
  }

  /**
   * A page that stays open for weeks does not grow without end; but older labels than it has, or those of a search, are here
   * because a person asked for them.
   * @param {Job} job the one that came
   */
  function trim(job) {
    const end = store.oldest()
    if (list.children.length <= MAX_CARDS || (end !== undefined && isOlder(job, end))) return
    const inTurn = [...list.children].filter((card) => !store.isFound(idOf(card)))
    const [next, last] = inTurn.slice(-2)
    if (!next || !last || inTurn.length <= MAX_CARDS) return
    cards.delete(idOf(last))
    store.forget(idOf(last), idOf(next))
    last.remove()
    setHasOlder(true)
  }

  /** @param {Job} job */
  function firstOlder(job) {
    return firstBehind([...list.children], (id) => {
      const other = store.jobs.get(id)
      return other !== undefined && isOlder(other, job)
    })
  }

  /**
   * A button that had the focus keeps it, or hands it to the card, so that a keyboard never falls back to the top.
   * @param {HTMLElement} card
   * @param {Job} job
   * @param {Job} [before] its picture is kept, so that nothing flickers
   * @param {Element | null} [focused]
   */
  function redraw(card, job, before, focused = null) {
    const thumb = before?.has_preview === job.has_preview ? card.querySelector('.thumb') : null
    card.classList.toggle('needs-person', needsPerson(job))
    card.classList.toggle('line', isLine(job))
    card.classList.toggle('ended', hasEnded(job))
    card.setAttribute('aria-label', nameOf(job))
    const [fresh, ...rest] = drawCard(job, { printers: names, act })
    card.replaceChildren(thumb ?? fresh ?? '', ...rest)
    if (!(focused instanceof HTMLElement)) return
    const same = card.querySelector(`[data-action="${focused.dataset['action']}"]`)
    ;(same instanceof HTMLElement ? same : card).focus({ preventScroll: true })
  }

  /** @param {HTMLElement} card @param {Job | undefined} job */
  function redrawKnown(card, job) {
    const focused = card.contains(document.activeElement) ? document.activeElement : null
    if (job !== undefined) redraw(card, job, job, focused)
  }

  /** @param {Job} job */
  function announce(job) {
    if (hasEnded(job) || needsPerson(job)) notice.say(`${nameOf(job)}: ${jobWords(job).words}`)
  }

  /** @param {string} id */
  function drop(id) {
    cards.get(id)?.remove()
    cards.delete(id)
    late.delete(id)
  }

  const drawAround = createDrawAround({ store, filter })
  const drawSoon = soon(() => {
    if (!still.isHeld()) groups.draw()
    drawHeld()
    drawAround()
  })

  filter.onChange(() => {
    still.release()
    if (!filter.isOn()) for (const id of store.dropFound()) drop(id)
    for (const [id, card] of cards) {
      const job = store.jobs.get(id)
      card.hidden = job === undefined || !filter.fits(job)
    }
    drawSoon()
  })
  older.addEventListener('click', async () => {
    const more = filter.loadMore()
    await (more ?? store.loadOlder().then(setHasOlder)).catch(notice.fault)
  })
  store.onJob((job, before) => {
    put(job, before)
    drawSoon()
  })
  store.onReset(() => {
    cards.clear()
    late.clear()
    groups.clear()
    list.replaceChildren()
    drawSoon()
  })
  store.onLock(drawSoon)
  const redrawAll = () => {
    for (const [id, card] of cards) redrawKnown(card, store.jobs.get(id))
  }
  onPeers(() => {
    redrawAll()
    drawSoon()
  })
  let day = new Date().toDateString()
  setInterval(() => {
    const today = new Date().toDateString()
    // The labels of yesterday say their date from now on.
    if (today !== day) redrawAll()
    day = today
  }, DAY_MS)
  store.onPrinters((printers) => {
    const now = printers.map((printer) => printer.name)
    if (now.join('\n') !== names.join('\n')) {
      names = now
      redrawAll()
    }
    drawSoon()
  })

  /** @param {boolean} hasOlder */
  function setHasOlder(hasOlder) {
    older.hidden = !hasOlder
  }

  return { setHasOlder }
}

/**
 * The counter of labels that need a person, which goes through them one by one, and what stands in place of no labels.
 * @param {Pick<Parameters<typeof createJobList>[0], 'store' | 'filter'>} parts
 */
function createDrawAround({ store, filter }) {
  const empty = byId('jobs-empty')
  const attention = byId('attention')
  let at = -1

  attention.addEventListener('click', () => {
    if (location.hash !== '' && location.hash !== '#labels') location.hash = '#labels'
    if (document.querySelector('.job.needs-person:not([hidden])') === null) filter.clear()
    const all = [...document.querySelectorAll('.job.needs-person:not([hidden])')]
    at = all.length === 0 ? -1 : (at + 1) % all.length
    const card = all[at]
    if (!(card instanceof HTMLElement)) return
    card.closest('.group')?.classList.remove('folded')
    card.scrollIntoView({ block: 'center' })
    card.focus({ preventScroll: true })
  })

  /** @param {string} words @param {string} hint @param {Node | string} [more] */
  function drawEmpty(words, hint, more = '') {
    const text = [el('strong', {}, words), el('span', {}, hint)]
    empty.replaceChildren(drawPrinterPicture(), ...text, more)
  }

  return () => {
    const jobs = store.isLocked() ? [] : [...store.jobs.values()]
    const stopped = [...store.printers.values()].filter(({ state }) => state === 'stopped')
    const beyond = stopped.reduce((sum, { name }) => sum + store.moreOf(name), 0)
    const n = jobs.filter(needsPerson).length + beyond
    attention.hidden = n === 0
    attention.textContent = t('needsYou', { n })
    document.title = `${n > 0 ? `(${n}) ` : ''}${t('title')}`
    empty.hidden = store.isLocked() || jobs.some((job) => filter.fits(job))
    if (empty.hidden) return
    if (store.printers.size === 0) return drawEmpty(t('noLabels'), t('noLabelsNoPrinter'))
    if (jobs.length === 0) return drawEmpty(t('noLabels'), t('noLabelsHint'))
    const every = el('button', { type: 'button', onclick: filter.clear }, t('showEvery'))
    drawEmpty(t('noneFound'), t('noneFoundHint'), every)
  }
}

/** Once for all that happens at once. @param {() => void} work */
function soon(work) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  return () => {
    clearTimeout(timer)
    timer = setTimeout(work, 0)
  }
}

/**
 * @param {Job} one
 * @param {Job} other
 */
function isOlder(one, other) {
  if (one.created !== other.created) return (one.created ?? '') < (other.created ?? '')
  return compareIds(one.id, other.id) < 0
}
