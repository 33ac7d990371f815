/** @import { Job } from '../shell/shapes.js' */

import { byId } from '../widgets/element.js'
import { findBetween } from './day-search.js'
import { titleOf } from './job-card.js'
import { hasEnded } from './words.js'

/** Rests of a person's typing before the history is searched. */
const TYPING_MS = 300

/** @type {Record<string, (job: Job) => boolean>} */
const STATES = {
  waits: (job) => !hasEnded(job),
  printed: (job) => job.state === 'completed',
  failed: (job) => job.state === 'aborted' || job.state === 'canceled',
}

/** The states that the server is asked for. @type {Record<string, string>} */
const QUERIES = { waits: 'not-completed', printed: 'completed', failed: 'aborted,canceled' }

/**
 * Filters the labels by name, printer, state and day. Labels that are not on the page yet are fetched.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createFilter({ api, store, notice }) {
  const text = /** @type {HTMLInputElement} */ (byId('find'))
  const state = /** @type {HTMLSelectElement} */ (byId('find-state'))
  const day = /** @type {HTMLInputElement} */ (byId('find-day'))
  /** @type {(() => void)[]} */
  const listeners = []
  let printer = ''
  /** The place that the search of a day has reached, while there are more. @type {string | undefined} */
  let end
  /** The number of searches so far; only the last one counts. */
  let asked = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  function tell() {
    for (const listen of listeners) listen()
  }

  function changed() {
    tell()
    clearTimeout(timer)
    asked += 1
    end = undefined
    if (isOn()) timer = setTimeout(() => void fetchMore().catch(notice.fault), TYPING_MS)
  }

  const isOn = () =>
    [text.value.trim(), state.value, day.value, printer].some((word) => word !== '')

  /** @param {string} [after] the end of the labels that a search has brought */
  async function fetchMore(after) {
    if (store.isLocked()) return
    const all = { title: text.value.trim(), state: QUERIES[state.value] ?? '', printer }
    const query = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
    if (day.value === '') return void (await store.find(query))
    const [from, to] = [new Date(`${day.value}T00:00`), new Date(`${day.value}T00:00`)]
    to.setDate(to.getDate() + 1)
    const own = asked
    const isWanted = () => own === asked
    const last = await findBetween({ api, store, query, from, to, isWanted }, after)
    if (isWanted()) end = last
  }

  text.addEventListener('input', changed)
  state.addEventListener('change', changed)
  day.addEventListener('change', changed)

  return {
    isOn,
    /** @param {Job} job */
    fits(job) {
      if (!fitsPrinter(job.printer)) return false
      if (state.value !== '' && !STATES[state.value]?.(job)) return false
      if (day.value !== '' && dayOf(job) !== day.value) return false
      return matches(`${titleOf(job)} ${job.printer}`, text.value)
    },
    fitsPrinter,
    /** More of the day that is looked for; undefined when it is all here, or when no day is looked for. */
    loadMore: () => (end === undefined ? undefined : fetchMore(end)),
    printer: () => printer,
    /** @param {string} name '' = all */
    setPrinter(name) {
      printer = name
      changed()
    },
    /** Looks for words, and for nothing else. @param {string} words */
    look(words) {
      state.value = day.value = printer = ''
      text.value = words
      changed()
    },
    clear() {
      text.value = state.value = day.value = printer = ''
      changed()
    },
    /** @param {() => void} listen */
    onChange: (listen) => listeners.push(listen),
  }

  /** @param {string} name */
  function fitsPrinter(name) {
    return printer === '' || name === printer
  }
}

/** @typedef {ReturnType<typeof createFilter>} Filter */

/**
 * Tells whether words contain the searched text, as the server does: whatever the case, accents and, in numbers, blanks.
 * @param {string} words
 * @param {string} wanted
 */
export function matches(words, wanted) {
  const [all, plain] = [fold(words), fold(wanted)]
  const tight = tighten(plain)
  return all.includes(plain) || (/\d/.test(tight) && tighten(all).includes(tight))
}

/** @param {string} text */
function fold(text) {
  return text
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
}

/** @param {string} text */
function tighten(text) {
  return text.replace(/[\s-]+/g, '')
}

/** The day of a label where the browser is, e.g. `2026-11-25`. @param {Job} job */
function dayOf({ created }) {
  const then = new Date(created ?? 0)
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`
}
