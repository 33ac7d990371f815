/** @import { Fault, Field } from '../shell/shapes.js' */
/** @import { Control } from '../widgets/field.js' */
import { isLocal } from '../printers/address.js'
import { t } from '../shell/texts.js'
import { createTimeZone } from '../shell/time-zone.js'
import { createSourceTest } from '../sources/source-test.js'
import { el } from '../widgets/element.js'
import { createField } from '../widgets/field.js'
import { createRows } from '../widgets/rows.js'

/** These have a view of their own. */
const ELSEWHERE = ['printer', 'printers']

/** The order of the form, as people look for things; what is not named here comes last. */
const GROUPS = [
  {
    id: 'admin',
    title: t('groupAdmin'),
    keys: ['username', 'password', 'open_bench'],
  },
  { id: 'time', title: t('groupTime'), keys: ['time_zone'] },
  {
    id: 'address',
    title: t('groupAddress'),
    keys: [
      'host',
      'port',
      'use_ssl',
      'secure_port',
      'open_browser',
      'allowed_hosts',
      'allowed_origins',
    ],
  },
  {
    id: 'sources',
    title: t('groupSources'),
    keys: [
      'queues',
      'heart_beat_url',
      'heart_beat_interval',
      'heart_beat_params',
      'heart_beat_printer_commands',
    ],
  },
  {
    id: 'doors',
    title: t('groupDoors'),
    keys: [
      'raw_port',
      'qz_tray',
      'qz_port',
      'qz_certificate',
      'browser_print',
      'browser_print_port',
      'fetch_hosts',
      'printnode',
    ],
  },
  {
    id: 'labels',
    title: t('groupLabels'),
    keys: [
      'on_interrupt',
      'duplicate_guard_minutes',
      'printer_commands',
      'expire_after',
      'job_retention_hours',
      'max_body_mb',
    ],
  },
  {
    id: 'results',
    title: t('groupResults'),
    keys: ['result_url', 'result_secret'],
  },
]

/**
 * The whole configuration as a form, made from its schema.
 * @param {object} parts
 * @param {Field[]} parts.fields
 * @param {Record<string, unknown>} parts.config secrets are masked and go back masked when they are not changed
 * @param {Iterable<string>} parts.printers names of the known ones
 * @param {import('../shell/api.js').Api} parts.api for the *Test* buttons
 * @param {boolean} parts.isBox it runs on the SD image
 * @param {string} parts.part id of the group that is open
 * @param {(changes: (now: Record<string, unknown>) => Record<string, unknown>) => Promise<boolean>} parts.save true when it is saved; undefined leaves a key out
 */
export function createSettingsForm({ fields, config, printers, api, isBox, part, save }) {
  let isSaving = false
  /** @type {Control[]} */
  const controls = fields
    .filter(({ key }) => !ELSEWHERE.includes(key))
    .map((field) =>
      createControl(withKnown(field, config), config[field.key], {
        api,
        isBox,
        printers: [...printers],
      }),
    )
  const summary = el('p', { class: 'fault fault-summary', role: 'alert', tabindex: -1 })
  const button = el('button', { class: 'primary' }, t('save'))
  const unsaved = el('p', { class: 'unsaved', role: 'status' })
  const groups = drawGroups(controls, part)
  const form = el(
    'form',
    { class: 'settings-form', novalidate: true },
    ...groups,
    el('div', { class: 'save-bar' }, summary, unsaved, button),
  )
  const read = () => controls.map((control) => JSON.stringify(readSafely(control)))
  let atFirst = read()
  const isChanged = () => form.isConnected && read().some((text, i) => text !== atFirst[i])
  const drawUnsaved = () => {
    unsaved.textContent = isChanged() ? t('unsaved') : ''
  }
  for (const type of ['input', 'change', 'click']) form.addEventListener(type, drawUnsaved)

  /** @param {Fault[]} faults by key, e.g. `printers[0].uri` */
  function showFaults(faults) {
    for (const { key, message } of faults) {
      const [first, ...path] = key.split(/[.[\]]+/).filter((part) => part !== '')
      const control = controls.find((control) => control.key === first)
      control?.showFault(path, message)
      openAround(control)
    }
    summary.textContent = summarize(
      faults.map(({ key, message }) => ({ key: isHere(key) ? key : '', message })),
    )
    const invalid = form.querySelector('[aria-invalid]')
    ;(invalid instanceof HTMLElement ? invalid : summary).focus()
  }

  /** @param {string} key */
  const isHere = (key) => controls.some((control) => control.key === key.split(/[.[]/)[0])

  function clearFaults() {
    summary.textContent = ''
    for (const control of controls) control.clearFaults()
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSaving) return
    clearFaults()
    const faults = controls
      .map((control) => ({ key: control.key, message: control.check() }))
      .filter((fault) => fault.message !== '')
    if (faults.length > 0) return showFaults(faults)
    isSaving = true
    // What is typed while it is being saved is not in the file.
    const sent = read()
    // What nobody touched here may have been changed elsewhere while the form was open.
    const touched = controls
      .map((control, i) => ({
        ...control,
        value: control.read(),
        before: atFirst[i],
        mine: sent[i],
      }))
      .filter(({ before, mine }) => before !== mine)
    const changes = (/** @type {Record<string, unknown>} */ now) =>
      Object.fromEntries(
        touched.map(({ key, merge, value }) => {
          const saved = /** @type {Record<string, unknown>[] | undefined} */ (now[key])
          return [key, merge?.(saved) ?? value]
        }),
      )
    try {
      if (!(await save(changes))) return
      for (const control of controls) control.saved?.()
      atFirst = sent
      drawUnsaved()
    } finally {
      isSaving = false
    }
  })

  return {
    element: form,
    index: drawIndex(groups),
    showFaults,
    isChanged,
  }
}

/** Reads a control; an entry that is not valid yet counts as a change too. @param {Control} control */
function readSafely({ read }) {
  try {
    return read() ?? null
  } catch {
    return 'not readable'
  }
}

/** The groups of the form beside it: a press opens one. @param {HTMLDetailsElement[]} groups */
function drawIndex(groups) {
  const buttons = groups.map((group) => {
    const open = () => {
      group.open = true
      group.scrollIntoView()
      group.querySelector('summary')?.focus({ preventScroll: true })
    }
    const title = group.querySelector('h2')?.textContent ?? ''
    return el('li', {}, el('button', { type: 'button', class: 'plain', onclick: open }, title))
  })
  return el(
    'nav',
    { class: 'settings-index', 'aria-label': t('onThisPage') },
    el('ul', {}, ...buttons),
  )
}

/** @param {Fault[]} faults */
function summarize(faults) {
  const whole = faults.find((fault) => fault.key === '')
  if (whole !== undefined) return t('notSaved', { why: whole.message })
  return t('faults', { n: faults.length })
}

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {object} around
 * @param {import('../shell/api.js').Api} around.api
 * @param {boolean} around.isBox
 * @param {string[]} around.printers names of the known ones
 */
function createControl(field, value, { api, isBox, printers }) {
  if (field.key === 'queues') {
    return createRows(withPrinters(field, value, printers), value, ({ read }) =>
      createSourceTest({
        api,
        name: t('thisQueue'),
        read: () => ({ queue: read() }),
      }),
    )
  }
  if (field.fields !== undefined) return createRows(field, value)
  if (field.key === 'time_zone') return createTimeZone(field, value, isBox)
  const control = createField(field, value)
  if (field.key === 'heart_beat_url') {
    const read = () => ({ heart_beat_url: control.read() ?? '' })
    control.element.append(createSourceTest({ api, name: t('theHeartbeat'), read }))
  }
  return control
}

/**
 * Sets the default of the setting that follows the host: it is on unless only this computer can reach the print server.
 * @param {Field} field
 * @param {Record<string, unknown>} config
 * @returns {Field}
 */
function withKnown(field, { host }) {
  return field.key === 'share_printers' ? { ...field, default: !isLocal(String(host)) } : field
}

/**
 * The printer of a queue is chosen from those that there are, and those that stand there already.
 * @param {Field} field
 * @param {unknown} value
 * @param {string[]} printers
 * @returns {Field}
 */
function withPrinters(field, value, printers) {
  const used = Array.isArray(value) ? value.map((entry) => entry.printer ?? '') : []
  const choices = [...new Set([...printers, ...used])].filter((name) => name !== '')
  const fields = field.fields?.map((each) => (each.key === 'printer' ? { ...each, choices } : each))
  return { ...field, fields }
}

/**
 * @param {Control[]} controls
 * @param {string} open
 */
function drawGroups(controls, open) {
  const named = GROUPS.flatMap((group) => group.keys)
  const rest = controls.map((control) => control.key).filter((key) => !named.includes(key))
  const groups = [...GROUPS, { id: 'more', title: t('groupMore'), keys: rest }]
  const first = groups.find((group) => group.id === open) ?? groups[0]
  return groups.map((group) => {
    const members = group.keys
      .map((key) => controls.find((control) => control.key === key))
      .filter((control) => control !== undefined)
    return el(
      'details',
      {
        class: 'panel group',
        open: group === first || members.some((each) => each.open),
        id: `group-${group.id}`,
      },
      el('summary', {}, el('h2', {}, group.title)),
      el('div', { class: 'group-fields' }, ...members.map((control) => control.element)),
    )
  })
}

/** @param {Control | undefined} control */
function openAround(control) {
  const group = control?.element.closest('details')
  if (group) group.open = true
}
