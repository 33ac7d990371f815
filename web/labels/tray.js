/** @import { TrayItem } from './tray-item.js' */

import { t } from '../shell/texts.js'
import { createUnitButton, toInches } from '../shell/units.js'
import { byId } from '../widgets/element.js'
import { createTrayItem } from './tray-item.js'

/** The beginning of a label in each language, for pasted text. */
const LABEL_TEXT = /^\s*(\^XA|~|N\r?\n|SIZE )/i

/**
 * Files that were dropped, chosen or pasted, and the button that prints them.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {import('../printers/printer-panel.js').PrinterPanel} parts.panel
 */
export function createTray({ store, api, notice, panel }) {
  const form = /** @type {HTMLFormElement} */ (byId('tray'))
  const files = /** @type {HTMLInputElement} */ (byId('files'))
  const button = /** @type {HTMLButtonElement} */ (byId('print'))
  const list = byId('tray-items')
  /** @type {Set<TrayItem>} */
  const items = new Set()
  let isSending = false

  /** @param {Iterable<File>} chosen */
  function add(chosen) {
    for (const item of items) if (item.isAccepted()) remove(item)
    for (const file of chosen) {
      const shared = { store, api, printer: panel.chosen }
      const item = createTrayItem(file, {
        ...shared,
        onRemove: removeByHand,
        onKnown: drawButton,
        onBetter: panel.choose,
      })
      items.add(item)
      list.append(item.element)
    }
    drawButton()
    if (items.size > 0) button.focus({ preventScroll: true })
  }

  /** @param {TrayItem} item */
  function remove(item) {
    items.delete(item)
    item.dispose()
  }

  /** @param {TrayItem} item */
  function removeByHand(item) {
    remove(item)
    drawButton()
    files.focus()
  }

  function drawButton() {
    const n = [...items].filter((item) => item.isOpen()).length
    const printer = panel.chosen()?.name
    button.disabled = n === 0 || printer === undefined
    form.classList.toggle('filled', items.size > 0)
    if (n > 1)
      button.textContent = printer ? t('printManyOn', { n, printer }) : t('printMany', { n })
    else button.textContent = printer ? t('printOn', { printer }) : t('print')
  }

  /**
   * Prints each file with its own request, in order: a file that is refused does not hold back the others.
   * @param {Record<string, string | number>} options
   */
  async function printEach(options) {
    // Those that were there when it was pressed: what comes meanwhile may be meant for another printer.
    for (const item of Array.from(items)) {
      if (items.has(item) && item.isOpen()) await item.print(options).catch(notice.fault)
    }
  }

  async function printAll() {
    const printer = panel.chosen()
    if (printer === undefined || isSending) return
    const options = { printer: printer.name, ...readOptions(form) }
    isSending = true
    drawButton()
    await printEach(options).finally(() => {
      isSending = false
      drawButton()
    })
    // The keyboard goes on with the next label.
    if (button.disabled && document.activeElement === button) files.focus()
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void printAll()
  })
  const more = byId('more')
  for (const input of form.querySelectorAll('input[data-length]')) {
    input.after(createUnitButton(/** @type {HTMLInputElement} */ (input)))
  }
  const unfold = byId('more-button')
  const showMore = (/** @type {boolean} */ isOpen) => {
    more.hidden = !isOpen
    unfold.setAttribute('aria-expanded', String(isOpen))
  }
  unfold.addEventListener('click', () => showMore(more.hidden === true))
  // A field that is folded away cannot say what is wrong with it.
  form.addEventListener('invalid', () => showMore(true), true)
  files.addEventListener('change', () => {
    add(files.files ?? [])
    files.value = ''
  })
  /** @param {Iterable<File>} files */
  const bring = (files) => {
    location.hash = '#labels'
    add(files)
  }
  acceptDrops(byId('drop'), bring)
  acceptPaste(bring)
  panel.onChange(() => {
    drawButton()
    for (const item of items) item.warnOfLanguage()
  })
  store.onJob((job) => {
    for (const item of items) if (item.owns(job.id)) item.follow()
  })
}

/**
 * Reads the fields under "More"; blank ones are the printer's own.
 * @param {HTMLFormElement} form
 * @returns {Record<string, number>}
 */
function readOptions(form) {
  /** @type {Record<string, number>} */
  const options = {}
  for (const name of ['label_width', 'label_height', 'dpi', 'copies']) {
    const text = String(new FormData(form).get(name) ?? '').trim()
    if (text === '' || (name === 'copies' && text === '1')) continue
    options[name] = name.startsWith('label_') ? toInches(text) : Number(text)
  }
  return options
}

/**
 * Files may be dropped anywhere: a file that misses would otherwise replace the page.
 * @param {HTMLElement} zone lights up
 * @param {(files: Iterable<File>) => void} add
 */
function acceptDrops(zone, add) {
  /** @param {DragEvent} event */
  const hasFiles = (event) => event.dataTransfer?.types.includes('Files') ?? false
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    zone.classList.add('over')
  })
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) zone.classList.remove('over')
  })
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    zone.classList.remove('over')
    add(event.dataTransfer?.files ?? [])
  })
}

/** @param {(files: Iterable<File>) => void} add */
function acceptPaste(add) {
  document.addEventListener('paste', (event) => {
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea')) return
    const pasted = [...(event.clipboardData?.files ?? [])]
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (pasted.length === 0 && LABEL_TEXT.test(text))
      pasted.push(new File([text], t('pastedLabel')))
    if (pasted.length === 0) return
    event.preventDefault()
    add(pasted)
  })
}
