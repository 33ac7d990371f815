/** @import { Field } from '../shell/shapes.js' */
/** @import { Control } from './field.js' */

import { t } from '../shell/texts.js'
import { el } from './element.js'
import { createField } from './field.js'

/**
 * A row as others see it.
 * @typedef {object} RowPlace
 * @property {() => Record<string, unknown>} read
 */

/**
 * A list of the configuration, which are the queues: rows that can be added and removed.
 * @param {Field} field
 * @param {unknown} value
 * @param {(row: RowPlace) => HTMLElement} [drawMore] something more at the end of each row
 * @returns {Control}
 */
export function createRows(field, value, drawMore) {
  const list = el('div', { class: 'rows' })
  const more = el('button', { type: 'button', onclick: addByHand }, t('addQueueRow'))
  const fault = el('p', { class: 'fault' })
  const element = el(
    'fieldset',
    { class: 'list' },
    el('legend', {}, field.title),
    field.description !== '' && el('p', { class: 'help' }, field.description),
    list,
    fault,
    more,
  )
  /** @type {ReturnType<typeof createRow>[]} */
  let rows = []
  /** The saved value of each row when it was drawn or sent. @type {Was[]} */
  let known = []
  /** The values being saved; they count once they are. @type {{ rows: typeof rows, known: Was[] } | undefined} */
  let sent

  const secrets = field.fields?.filter(({ secret }) => secret).map(({ key }) => key) ?? []
  /** Without its secrets, whose masks are others after a restart. @param {object} entry */
  const openOf = (entry) =>
    JSON.stringify(entry, (key, value) => (secrets.includes(key) ? undefined : value))

  /** @param {object} entry */
  function add(entry) {
    const row = createRow(field, entry, () => {
      rows = rows.filter((other) => other !== row)
      row.element.remove()
      more.focus()
    })
    rows = [...rows, row]
    if (drawMore !== undefined) row.place(drawMore({ read: row.read }))
    list.append(row.element)
    return row
  }

  function addByHand() {
    const row = add({})
    row.element.open = true
    const first = row.element.querySelector('input, select')
    if (first instanceof HTMLElement) first.focus()
  }

  if (Array.isArray(value)) for (const entry of value) add(entry)
  known = readAll()

  function readAll() {
    return rows.map((row) => ({ row, was: row.read() }))
  }

  return {
    key: field.key,
    element,
    add,
    saved() {
      if (sent !== undefined) known = sent.known
    },
    read: () =>
      rows.length === 0 && value === undefined ? undefined : rows.map((row) => row.read()),
    merge(now = []) {
      const left = now.map((entry) => ({
        entry,
        read: createRow(field, entry, () => undefined).read(),
      }))
      /** @param {(entry: Record<string, unknown>) => string} by @param {Record<string, unknown>} was */
      const take = (by, was) => {
        const at = left.findIndex(({ read }) => by(read) === by(was))
        return at < 0 ? undefined : left.splice(at, 1)[0]?.entry
      }
      // Those that are as they were come first, or one that was changed elsewhere would take the place of its twin.
      const same = known.map(({ row, was }) => ({ row, was, entry: take(openOf, was) }))
      const pairs = same.map((pair) => ({ ...pair, entry: pair.entry ?? take(placeOf, pair.was) }))
      const all = readAll().flatMap(({ row, was: mine }) => {
        const { was, entry } = pairs.find((pair) => pair.row === row) ?? {}
        if (was === undefined) return { row, entry: mine }
        const isTouched = JSON.stringify(was) !== JSON.stringify(mine)
        // Removed elsewhere, which counts save where it was changed here too.
        if (entry === undefined) return isTouched ? { row, entry: mine } : []
        return { row, entry: changeLike(entry, was, mine) }
      })
      sent = { rows: all.map(({ row }) => row), known: readAll() }
      return [...all, ...left].map(({ entry }) => entry)
    },
    check() {
      const faulty = rows.find((row) => row.check() !== '')
      return faulty?.check() ?? ''
    },
    showFault([at, ...path], message) {
      const row = at === undefined ? undefined : (sent?.rows ?? rows)[Number(at)]
      if (row === undefined) fault.textContent = message
      else row.showFault(path, message)
      return true
    },
    clearFaults() {
      sent = undefined
      fault.textContent = ''
      for (const row of rows) row.clearFaults()
    },
  }
}

/** @typedef {{ row: ReturnType<typeof createRow>, was: Record<string, unknown> }} Was */

/**
 * Applies the changes made here to the entry as it is saved now.
 * @param {Record<string, unknown>} entry
 * @param {Record<string, unknown>} was
 * @param {Record<string, unknown>} mine
 */
function changeLike(entry, was, mine) {
  const keys = Object.keys({ ...was, ...mine })
  const touched = keys.filter((key) => JSON.stringify(was[key]) !== JSON.stringify(mine[key]))
  const kept = Object.entries(entry).filter(([key]) => !touched.includes(key))
  const own = touched.filter((key) => key in mine).map((key) => [key, mine[key]])
  return Object.fromEntries([...kept, ...own])
}

/** Returns a key for the place that the labels come from. @param {Record<string, unknown>} entry */
function placeOf(entry) {
  return JSON.stringify(['type', 'url', 'endpoint', 'tube', 'topic'].map((key) => entry[key]))
}

/**
 * @param {Field} list
 * @param {object} entry
 * @param {() => void} remove
 */
function createRow(list, entry, remove) {
  const values = /** @type {Record<string, unknown>} */ (entry)
  const fields = list.fields ?? []
  const controls = fields.map((field) => createField(field, values[field.key]))
  const fault = el('p', { class: 'fault' })
  const title = el('summary')
  const last = el(
    'button',
    { type: 'button', class: 'danger', onclick: remove },
    t('removeQueueRow'),
  )
  const element = el(
    'details',
    { class: 'row' },
    title,
    el('div', { class: 'row-fields' }, ...controls.map((control) => control.element)),
    fault,
    last,
  )
  /** Some keys belong to one type of queue only. */
  const kind = controls.find((control) => control.key === 'type')
  const ofKind = () =>
    controls.filter((_, i) => fields[i]?.only?.includes(String(kind?.read())) ?? true)
  const read = () => {
    const kept = Object.entries(values).filter(
      ([key]) => !fields.some((field) => field.key === key),
    )
    return merge(Object.fromEntries(kept), ofKind())
  }
  const redraw = () => {
    const shown = ofKind()
    for (const control of controls) control.element.hidden = !shown.includes(control)
    const now = /** @type {Record<string, unknown>} */ (read())
    const facts = [
      now['name'] ?? now['type'] ?? t('newQueueRow'),
      now['uri'] ?? now['url'] ?? now['endpoint'],
    ]
    title.textContent = facts.filter((fact) => fact !== undefined).join(' – ')
  }
  element.addEventListener('input', redraw)
  redraw()

  return {
    element,
    read,
    /** @param {HTMLElement} more */
    place: (more) => last.before(more),
    check: () =>
      ofKind()
        .map((control) => control.check())
        .find((text) => text !== '') ?? '',
    /**
     * @param {string[]} path
     * @param {string} message
     */
    showFault([key, ...path], message) {
      element.open = true
      const control = ofKind().find((control) => control.key === key)
      if (control === undefined) fault.textContent = message
      else control.showFault(path, message)
    },
    clearFaults() {
      fault.textContent = ''
      for (const control of controls) control.clearFaults()
    },
  }
}

/**
 * The entries over what was there before; keys that the form does not know are kept.
 * @param {Record<string, unknown>} before
 * @param {Control[]} controls
 */
function merge(before, controls) {
  const after = { ...before }
  for (const control of controls) {
    const value = control.read()
    if (value === undefined) delete after[control.key]
    else after[control.key] = value
  }
  return after
}
