/** @import { Field } from './shapes.js' */
/** @import { Control } from './field.js' */
import { el } from './element.js'
import { createField } from './field.js'
import { t } from './setting-texts.js'

/**
 * A row as others see it.
 * @typedef {object} RowPlace
 * @property {() => Record<string, unknown>} read
 * @property {() => number | undefined} index its place in what is saved
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
  /** @type {readonly unknown[]} */
  let savedRows = []
  /** Those that were sent, where some were left out. @type {typeof rows | undefined} */
  let sentRows

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
    const index = () => (savedRows.includes(row) ? savedRows.indexOf(row) : undefined)
    if (drawMore !== undefined) row.place(drawMore({ read: row.read, index }))
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
  savedRows = rows

  return {
    key: field.key,
    element,
    add,
    saved() {
      savedRows = rows
    },
    read: () =>
      rows.length === 0 && value === undefined ? undefined : rows.map((row) => row.read()),
    /** @param {Record<string, unknown>[] | null} before @param {Record<string, unknown>[]} mine @param {Record<string, unknown>[]} [now] */
    merge(before, mine, now = []) {
      const left = now.map((entry) => {
        const read = createRow(field, entry, () => undefined).read()
        return { entry, open: openOf(read), place: placeOf(read) }
      })
      /** @param {'open' | 'place'} by @param {string} text */
      const take = (by, text) => {
        const at = left.findIndex((one) => one[by] === text)
        return at >= 0 && left.splice(at, 1)
      }
      const texts = mine.map((entry) => JSON.stringify(entry))
      // What became of a row elsewhere counts, save where it was changed here too.
      const gone = (before ?? []).filter((entry) => !take('open', openOf(entry)))
      const stale = gone.map((entry) => JSON.stringify(entry))
      for (const [i, entry] of gone.entries()) {
        if (!texts.includes(stale[i] ?? '')) take('place', placeOf(entry))
      }
      const isOwn = (/** @type {unknown} */ _, /** @type {number} */ i) =>
        !stale.includes(texts[i] ?? '')
      const own = mine.filter(isOwn)
      sentRows = rows.filter(isOwn)
      return [...own, ...left.map(({ entry }) => entry)]
    },
    check() {
      const faulty = rows.find((row) => row.check() !== '')
      return faulty?.check() ?? ''
    },
    showFault([at, ...path], message) {
      const row = at === undefined ? undefined : (sentRows ?? rows)[Number(at)]
      if (row === undefined) fault.textContent = message
      else row.showFault(path, message)
      return true
    },
    clearFaults() {
      sentRows = undefined
      fault.textContent = ''
      for (const row of rows) row.clearFaults()
    },
  }
}

/** What the labels come from. @param {Record<string, unknown>} entry */
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
