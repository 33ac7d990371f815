/** @import { Fault, Field } from './shapes.js' */
/** @import { Control } from './field.js' */
import { el } from './element.js'
import { createField } from './field.js'
import { createRows, merge } from './rows.js'

/** The order of the form, as people look for things; what is not named here comes last. */
const GROUPS = [
  { title: 'Printers', keys: ['printer', 'printers'] },
  { title: 'Who may change the settings', keys: ['username', 'password'] },
  {
    title: 'Where this page is found',
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
    title: 'Other places that labels come from',
    keys: ['queues', 'heart_beat_url', 'heart_beat_interval', 'heart_beat_params'],
  },
  {
    title: 'What happens with labels',
    keys: ['on_interrupt', 'expire_after', 'job_retention_hours', 'max_body_mb', 'result_url'],
  },
]

/**
 * The whole configuration as a form, made from its schema.
 * @param {object} parts
 * @param {Field[]} parts.fields
 * @param {Record<string, unknown>} parts.config secrets are masked and go back masked when they are not changed
 * @param {Iterable<string>} parts.printers names of the known ones
 * @param {(config: Record<string, unknown>) => Promise<void>} parts.save
 */
export function createSettingsForm({ fields, config, printers, save }) {
  let base = config
  let isSaving = false
  /** @type {Control[]} */
  const controls = fields.map((field) =>
    field.key === 'printer'
      ? createDefaultPrinter(field, config[field.key], printers)
      : createControl(field, config[field.key]),
  )
  const summary = el('p', { class: 'fault fault-summary', role: 'alert', tabindex: -1 })
  const button = el('button', { class: 'primary' }, 'Save settings')
  const form = el(
    'form',
    { class: 'settings-form', novalidate: true },
    ...drawGroups(controls),
    el('div', { class: 'save-bar' }, summary, button),
  )

  /** @param {Fault[]} faults by key, e.g. `printers[0].uri` */
  function showFaults(faults) {
    for (const { key, message } of faults) {
      const [first, ...path] = key.split(/[.[\]]+/).filter((part) => part !== '')
      const control = controls.find((control) => control.key === first)
      control?.showFault(path, message)
      openAround(control)
    }
    summary.textContent = summarize(faults)
    const invalid = form.querySelector('[aria-invalid]')
    ;(invalid instanceof HTMLElement ? invalid : summary).focus()
  }

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
    const next = merge(base, controls)
    try {
      await save(next)
      base = next
    } finally {
      isSaving = false
    }
  })

  return {
    element: form,
    showFaults,
    /**
     * A printer that was saved elsewhere on the page joins the rows and the choices.
     * @param {{ name: string }} printer
     */
    addPrinter(printer) {
      for (const control of controls) {
        if (control.key === 'printer' || control.key === 'printers') control.add?.(printer)
      }
    },
  }
}

/** @param {Fault[]} faults */
function summarize(faults) {
  const whole = faults.find((fault) => fault.key === '')
  if (whole !== undefined) return `Not saved: ${whole.message}.`
  if (faults.length === 1) return '1 setting needs a correction.'
  return `${faults.length} settings need a correction.`
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
function createControl(field, value) {
  return field.fields === undefined ? createField(field, value) : createRows(field, value)
}

/**
 * The default printer is chosen from those that there are; the file's placeholder counts as not chosen.
 * @param {Field} field
 * @param {unknown} configured
 * @param {Iterable<string>} names
 */
function createDefaultPrinter({ default: placeholder, ...field }, configured, names) {
  const value = configured === placeholder ? undefined : configured
  const choices = [...new Set([...names, String(value ?? '')])].filter((name) => name !== '')
  const control = createField({ ...field, choices }, value)
  return {
    ...control,
    /** @param {{ name: string }} printer */
    add({ name }) {
      choices.push(name)
      control.element.querySelector('select')?.append(el('option', { value: name }, name))
    },
  }
}

/** @param {Control[]} controls */
function drawGroups(controls) {
  const named = GROUPS.flatMap((group) => group.keys)
  const rest = controls.map((control) => control.key).filter((key) => !named.includes(key))
  return [...GROUPS, { title: 'More', keys: rest }].map(({ title, keys }, i) => {
    const members = keys
      .map((key) => controls.find((control) => control.key === key))
      .filter((control) => control !== undefined)
    return el(
      'details',
      { class: 'panel group', open: i === 0 },
      el('summary', {}, el('h2', {}, title)),
      el('div', { class: 'group-fields' }, ...members.map((control) => control.element)),
    )
  })
}

/** @param {Control | undefined} control */
function openAround(control) {
  const group = control?.element.closest('details')
  if (group) group.open = true
}
