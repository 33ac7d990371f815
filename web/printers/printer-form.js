/** @import { Control } from '../widgets/field.js' */
/** @import { Field, Printer } from '../shell/shapes.js' */

import { translateFields } from '../settings/setting-texts.js'
import { CallError } from '../shell/api.js'
import { t } from '../shell/texts.js'
import { createDialog } from '../widgets/dialog.js'
import { drawDetails, el } from '../widgets/element.js'
import { createField } from '../widgets/field.js'
import { createAddressCheck, toUri } from './add-printer.js'

/** The settings that people change first; the rest is folded away. */
const FIRST = ['name', 'uri', 'language', 'dpi', 'label_width', 'label_height']

/**
 * The settings of one printer in a dialog.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {typeof import('./peers.js').lookForPeers} parts.lookForPeers
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createPrinterForm({ api, admin, store, notice, lookForPeers }) {
  const dialog = createDialog('printer-dialog')

  /**
   * @param {Printer} printer
   * @param {Record<string, unknown>} changes null takes a setting away
   */
  async function save(printer, changes) {
    const path = `/printers/${encodeURIComponent(printer.name)}`
    if ((await admin.call('PUT', path, changes)) === undefined) return
    dialog.close()
    await store.refresh().catch(() => undefined)
    notice.tell(t('changed', { name: String(changes['name']) }))
  }

  return {
    /** @param {Printer} printer */
    async open(printer) {
      const config = await admin.call('GET', '/config')
      if (config === undefined) return
      const schema = await admin.call('GET', '/config/schema')
      if (schema === undefined) return
      const fields = translateFields(schema)
      const entry = config.printers?.find(
        (/** @type {{ name: string }} */ one) => one.name === printer.name,
      )
      const list = fields.find((/** @type {Field} */ field) => field.key === 'printers')
      const check = createAddressCheck(admin)
      const goals = [...store.printers.keys()].filter((name) => name !== printer.name)
      const peers = lookForPeers(api)
      const form = drawForm(list?.fields ?? [], { printer, entry, goals, peers, save, check })
      dialog.open(t('changeOf', { name: printer.name }), form)
    },
  }
}

/**
 * @param {Field[]} fields
 * @param {object} parts
 * @param {Printer} parts.printer
 * @param {Record<string, unknown> | undefined} parts.entry as the configuration has it; one that was found has none
 * @param {string[]} parts.goals the other printers
 * @param {ReturnType<typeof import('./peers.js').lookForPeers>} parts.peers the printers of paired boxes
 * @param {(printer: Printer, changes: Record<string, unknown>) => Promise<void>} parts.save
 * @param {ReturnType<typeof createAddressCheck>} parts.check
 */
function drawForm(fields, { printer, entry, goals, peers, save, check }) {
  const order = (/** @type {Field} */ { key }) =>
    FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length
  // Without an entry it is where it was found.
  const wanted = fields.filter(({ key }) => key !== 'uri' || entry !== undefined)
  const controls = wanted
    .toSorted((one, other) => order(one) - order(other))
    .flatMap((field) => {
      if (field.key === 'backup_box') return []
      if (field.key === 'backup') return createBackup(field, entry ?? {}, { goals, peers })
      return createControl(printer, field, entry ?? { name: printer.name })
    })
  const [first, rest] = [true, false].map((isFirst) => [
    ...new Set(
      controls.filter(({ key }) => FIRST.includes(key) === isFirst).map(({ element }) => element),
    ),
  ])
  const more = el('details', {}, el('summary', {}, t('more')), ...(rest ?? []))
  const fault = el('p', { class: 'fault', role: 'alert' })
  const button = el('button', { class: 'primary wide' }, t('saveIt'))
  const form = el(
    'form',
    { class: 'row-fields', novalidate: true },
    ...(first ?? []),
    more,
    fault,
    button,
  )

  /** @param {CallError} error */
  function showFault(error) {
    for (const { key, message } of error.faults) {
      const control = controls.find((control) => control.key === key.split('.').at(-1))
      control?.showFault([], message)
      if (control !== undefined && !FIRST.includes(control.key)) more.open = true
    }
    if (error.faults.length === 0) {
      fault.replaceChildren(`${error.message} ${error.hint}`, drawDetails(error.detail) || '')
    }
    const invalid = form.querySelector('[aria-invalid]')
    if (invalid instanceof HTMLElement) invalid.focus()
  }

  const read = () => controls.map((control) => JSON.stringify(control.read() ?? null))
  const atFirst = read()

  /** Reads the settings changed in this form: the others may have been changed elsewhere while it was open. */
  function readChanges() {
    const now = read()
    // Two settings in one element are one choice.
    const touched = new Set(
      controls.filter((_, i) => now[i] !== atFirst[i]).map(({ element }) => element),
    )
    const changed = controls.filter(({ element }) => touched.has(element))
    return Object.fromEntries(changed.map((control) => [control.key, control.read() ?? null]))
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fault.textContent = ''
    for (const control of controls) control.clearFaults()
    const changes = readChanges()
    try {
      const uri = changes['uri'] === printer.uri ? undefined : changes['uri']
      if (!(await check(uri, { button, fault }))) return
      await save(printer, { ...changes, name: changes['name'] ?? printer.name })
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      showFault(error)
    }
  })
  return form
}

/**
 * @param {Printer} printer
 * @param {Field} field
 * @param {Record<string, unknown>} entry
 */
function createControl(printer, field, entry) {
  if (field.key === 'uri') {
    const control = createField(
      { ...field, title: t('address'), description: t('addressHelp') },
      entry['uri'],
    )
    return { ...control, read: () => toUri(String(control.read() ?? '').trim()) }
  }
  return createField({ ...field, default: knownOf(printer, field) }, entry[field.key])
}

/**
 * Returns the value in force while a setting is left out: the one known of the printer, else the default of the setting.
 * @param {Printer} printer
 * @param {Field} field
 */
function knownOf(printer, field) {
  if (field.key === 'name') return undefined
  if (field.key === 'language') return printer.language ?? undefined
  if (field.key === 'dpi') return printer.dpi
  if (field.key === 'label_width') return printer.media?.label_width ?? 4
  if (field.key === 'label_height') return printer.media?.label_height ?? 6
  return field.default
}

/**
 * The printer that gets the labels is chosen together with its box; the one that is set stays, though it may be off now.
 * @param {Field} field
 * @param {Record<string, unknown>} entry
 * @param {{ goals: string[], peers: ReturnType<typeof import('./peers.js').lookForPeers> }} among
 * @returns {Control[]} `backup` and `backup_box`, in one element
 */
function createBackup(field, { backup, backup_box: box = '' }, { goals, peers }) {
  const isSet = typeof backup === 'string' && backup !== ''
  const keyOf = (/** @type {unknown} */ box, /** @type {unknown} */ name) =>
    JSON.stringify([box, name])
  /** @type {Map<string, string>} */
  const choices = new Map(goals.map((name) => [keyOf('', name), name]))
  if (isSet) choices.set(keyOf(box, backup), box === '' ? backup : nameElsewhere(backup, box))
  const words = Object.fromEntries(choices)
  const value = isSet ? keyOf(box, backup) : undefined
  const control = createField({ ...field, choices: [...choices.keys()], words }, value)
  const select = control.element.querySelector('select')
  void peers.then((printers) => {
    for (const { name, boxName } of printers) {
      const value = keyOf(boxName, name)
      if (choices.has(value)) continue
      choices.set(value, name)
      select?.append(el('option', { value }, nameElsewhere(name, boxName)))
    }
  })
  const read = () => (select?.value ? JSON.parse(select.value) : [])
  return [
    { ...control, read: () => read()[1] },
    { ...control, key: 'backup_box', read: () => read()[0] || undefined },
  ]
}

/**
 * @param {string} name
 * @param {unknown} box
 */
function nameElsewhere(name, box) {
  return `${name} (${t('onBox', { box: String(box) })})`
}
