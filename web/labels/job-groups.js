/** @import { Job, Printer } from '../shell/shapes.js' */

import { hasPeers } from '../printers/peers.js'
import { printerWords } from '../printers/printer-words.js'
import { language, t } from '../shell/texts.js'
import { byId, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { needsPerson, waitsForPrinter } from './words.js'

/** Orders labels by the numbers in their ids; made once, as a list may ask a hundred thousand times. */
export const compareIds = new Intl.Collator('en', { numeric: true }).compare

/** Cards of a group that are shown at first. */
const SHOWN = 5

/**
 * The actions for all labels that wait for a printer.
 * @typedef {object} GroupActions
 * @property {(printer: string) => void} moveAll
 * @property {(printer: string) => void} cancelAll
 * @property {(printer: string, isPaused: boolean) => void} pause
 */

/** @typedef {{ name: string, section: HTMLElement, head: HTMLElement, list: HTMLElement, more: HTMLElement, beyond: HTMLElement, drawing: string }} Group */

/**
 * All labels that have not ended, pinned above the history: a group for each printer, those in trouble first.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {import('./filter.js').Filter} parts.filter
 * @param {GroupActions} parts.act
 */
export function createJobGroups({ store, notice, filter, act }) {
  const root = byId('waiting')
  /** @type {Map<string, Group>} */
  const groups = new Map()

  /** @param {string} name @returns {Group} */
  function make(name) {
    const head = el('div', { class: 'group-head' })
    const list = el('ol', { class: 'job-list' })
    const more = el('button', { type: 'button', class: 'plain group-more' })
    const load = () => void store.loadMoreOf(name).then(draw, notice.fault)
    const beyond = el('button', { type: 'button', class: 'plain group-more', onclick: load })
    const section = el('section', { class: 'group folded' }, head, list, more, beyond)
    more.addEventListener('click', () => {
      section.classList.remove('folded')
      const next = list.children[SHOWN]
      if (next instanceof HTMLElement) next.focus()
      draw()
    })
    const group = { name, section, head, list, more, beyond, drawing: '' }
    groups.set(name, group)
    return group
  }

  /** Finds the card before which a label goes: labels that need a person's word first, then in the order in which they print. */
  function firstAfter(
    /** @type {Group} */ { list },
    /** @type {Element} */ card,
    /** @type {Job} */ job,
  ) {
    const rank = rankOf(job)
    const others = [...list.children].filter((other) => other !== card)
    return firstBehind(others, (id) => {
      const other = store.jobs.get(id)
      if (other === undefined || rankOf(other) < rank) return false
      return rankOf(other) > rank || compareIds(id, job.id) > 0
    })
  }

  /** @param {Group} group @param {Element} card @param {Element | null} next */
  function isThere({ list }, card, next) {
    return card.parentElement === list && card.nextElementSibling === next
  }

  /** @returns {Job[]} */
  function jobsOf(/** @type {Group} */ { list }) {
    return [...list.children]
      .filter((card) => card instanceof HTMLElement && !card.hidden)
      .map((card) => store.jobs.get(idOf(card)))
      .filter((job) => job !== undefined)
  }

  function draw() {
    for (const [name, group] of groups) {
      if (group.list.children.length > 0) continue
      group.section.remove()
      groups.delete(name)
    }
    const all = [...groups.values()].map((group) => ({ group, jobs: jobsOf(group) }))
    for (const { group, jobs } of all) drawGroup(group, jobs)
    const sorted = all.toSorted(
      (a, b) => worst(b.jobs) - worst(a.jobs) || a.group.name.localeCompare(b.group.name),
    )
    sorted.forEach(({ group: { section } }, i) => {
      if (root.children[i] !== section) root.insertBefore(section, root.children[i] ?? null)
    })
    root.hidden = store.isLocked() || all.every(({ jobs }) => jobs.length === 0)
  }

  /** @param {Group} group @param {Job[]} jobs */
  function drawGroup(group, jobs) {
    const { name, section, head } = group
    const left = filter.isOn() ? 0 : store.moreOf(name)
    const printer = store.printers.get(name)
    section.hidden = jobs.length === 0 || !filter.fitsPrinter(name)
    section.classList.toggle('trouble', jobs.some(needsPerson))
    drawMore(group, jobs.length, left)
    const drawing = JSON.stringify([printer, jobs.length, left, jobs.filter(needsPerson).length])
    if (drawing === group.drawing) return
    group.drawing = drawing
    const focused = head.contains(document.activeElement) ? document.activeElement : null
    head.replaceChildren(
      ...drawHead({ name, printer, jobs, left, act, count: store.printers.size }),
    )
    if (!(focused instanceof HTMLElement)) return
    const same =
      head.querySelector(`[data-action="${focused.dataset['action']}"]`) ??
      head.querySelector('[data-action=pause], [data-action=resume]')
    if (same instanceof HTMLElement) same.focus({ preventScroll: true })
  }

  /** @param {Group} group @param {number} here labels that are on the page @param {number} left and that are not */
  function drawMore({ section, more, beyond }, here, left) {
    const isFolded = section.classList.contains('folded') && here > SHOWN
    more.textContent = t('showAll', { n: Math.max(1, here - SHOWN) })
    more.hidden = !isFolded
    const [shown, all] = [here, here + left].map((n) => n.toLocaleString(language))
    beyond.textContent = t('moreWait', { shown: shown ?? '', all: all ?? '' })
    beyond.hidden = isFolded || left === 0
  }

  return {
    draw,
    /** Tells whether `put` would move the card. @param {HTMLElement} card @param {Job} job */
    moves(card, job) {
      const group = groups.get(job.printer)
      return group === undefined || !isThere(group, card, firstAfter(group, card, job))
    },
    /** @param {HTMLElement} card @param {Job} job */
    put(card, job) {
      const group = groups.get(job.printer) ?? make(job.printer)
      const next = firstAfter(group, card, job)
      if (!isThere(group, card, next)) group.list.insertBefore(card, next)
    },
    /** @param {HTMLElement} card it goes elsewhere */
    remove: (card) => card.remove(),
    clear() {
      groups.clear()
      root.replaceChildren()
    },
  }
}

/**
 * Tells whether labels of this printer can go to another one, including those of paired boxes.
 * @param {import('../shell/shapes.js').Printer | undefined} printer
 * @param {number} count of printers
 */
function hasOthers(printer, count) {
  return (printer === undefined ? count : count - 1) > 0 || hasPeers()
}

/**
 * @param {object} parts
 * @param {string} parts.name
 * @param {Printer | undefined} parts.printer
 * @param {Job[]} parts.jobs
 * @param {number} parts.left so many more are not on the page
 * @param {GroupActions} parts.act
 * @param {number} parts.count of printers
 */
function drawHead({ name, printer, jobs, left, act, count }) {
  const isTrouble = jobs.some(needsPerson)
  const isPaused = printer?.paused ?? false
  const { why, todo } = printer?.state === 'stopped' ? printerWords(printer) : {}
  const isSome = hasOthers(printer, count)
  /** @param {string} action @param {string} text @param {() => void} onclick @param {boolean} [isPlain] */
  const button = (action, text, onclick, isPlain) =>
    el(
      'button',
      {
        type: 'button',
        'data-action': action,
        onclick,
        class: isPlain ? 'plain' : undefined,
        'aria-label': `${text}: ${name}`,
      },
      text,
    )
  return [
    el(
      'h2',
      { class: isTrouble ? 'tone-warn' : undefined },
      icon(isTrouble ? 'warn' : 'wait'),
      el('span', {}, headline(name, printer, { jobs, left })),
    ),
    why && el('p', {}, why),
    todo && el('p', { class: 'todo' }, todo),
    name !== '' &&
      el(
        'div',
        { class: 'group-buttons' },
        isSome && jobs.length > 1 && button('move-all', t('moveAll'), () => act.moveAll(name)),
        printer !== undefined &&
          (isPaused
            ? button('resume', t('resumePrinter'), () => act.pause(name, false))
            : button('pause', t('pausePrinter'), () => act.pause(name, true), true)),
        jobs.length > 1 && button('cancel-all', t('cancelAll'), () => act.cancelAll(name), true),
      ),
  ].filter((part) => part instanceof Node)
}

/**
 * @param {string} name
 * @param {Printer | undefined} printer
 * @param {{ jobs: Job[], left: number }} labels
 */
function headline(name, printer, { jobs, left }) {
  const values = { printer: name, n: jobs.length + left }
  if (name === '') return t('groupNobody', values)
  if (printer === undefined) return t('groupGone', values)
  if (printer.state === 'stopped') {
    if (printer.state_reasons.includes('offline')) return t('groupOff', values)
    return t('groupStopped', { ...values, state: printerWords(printer).words })
  }
  const n = jobs.filter(needsPerson).length
  return n > 0 ? t('groupNeeds', { ...values, n }) : t('groupWaits', values)
}

/** @param {Job[]} jobs */
function worst(jobs) {
  return Math.max(0, ...jobs.map((job) => 3 - rankOf(job)))
}

/** @param {Job} job */
function rankOf(job) {
  if (job.state === 'pending-held' || job.state === 'processing-stopped') return 0
  return waitsForPrinter(job) ? 1 : 2
}

/**
 * The first card that is behind another label's, looked for by halves: there may be a thousand.
 * @param {Element[]} cards in order
 * @param {(id: string) => boolean} isBehind
 */
export function firstBehind(cards, isBehind) {
  let [from, to] = [0, cards.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const card = cards[middle]
    if (card !== undefined && isBehind(idOf(card))) to = middle
    else from = middle + 1
  }
  return cards[from] ?? null
}

/** The label of a card. @param {Element} card */
export function idOf(card) {
  return card.id.slice('job-'.length)
}
