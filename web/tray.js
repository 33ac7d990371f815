/** @import { TrayItem } from './tray-item.js' */
import { byId } from './element.js'
import { createTrayItem } from './tray-item.js'

/** How a label of each language begins, for text that is pasted. */
const LABEL_TEXT = /^\s*(\^XA|~|N\r?\n|SIZE )/i

/**
 * Files that were dropped, chosen or pasted, and the button that prints them.
 * @param {object} parts
 * @param {import('./store.js').Store} parts.store
 * @param {import('./api.js').Api} parts.api
 * @param {import('./notice.js').Notice} parts.notice
 * @param {import('./printer-panel.js').PrinterPanel} parts.panel
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
      const item = createTrayItem(file, { store, api, onRemove: removeByHand })
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
    const open = [...items].filter((item) => !item.isAccepted()).length
    const name = panel.chosen()?.name
    button.disabled = open === 0 || name === undefined
    const what = open > 1 ? ` ${open} labels` : ''
    button.textContent = `Print${what}${name === undefined ? '' : ` on ${name}`}`
  }

  /** One request a file, in order: a file that is refused does not hold back the others. */
  async function printAll() {
    const printer = panel.chosen()
    if (printer === undefined || isSending) return
    const options = { printer: printer.name, ...readOptions(form) }
    isSending = true
    drawButton()
    for (const item of items) {
      if (!item.isAccepted()) await item.print(options).catch(notice.fault)
    }
    isSending = false
    drawButton()
    // The keyboard goes on with the next label.
    if (button.disabled && document.activeElement === button) files.focus()
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void printAll()
  })
  // A field that is folded away cannot say what is wrong with it.
  form.addEventListener('invalid', () => byId('more').setAttribute('open', ''), true)
  files.addEventListener('change', () => {
    add(files.files ?? [])
    files.value = ''
  })
  acceptDrops(byId('drop'), add)
  acceptPaste(add)
  panel.onChange(drawButton)
  store.onJob((job) => {
    for (const item of items) if (item.owns(job.id)) item.follow()
  })
}

/**
 * What was filled in under "More"; blank fields are the printer's own.
 * @param {HTMLFormElement} form
 * @returns {Record<string, number>}
 */
function readOptions(form) {
  /** @type {Record<string, number>} */
  const options = {}
  for (const name of ['label_width', 'label_height', 'dpi', 'copies']) {
    const text = String(new FormData(form).get(name) ?? '')
    if (text !== '' && !(name === 'copies' && text === '1')) options[name] = Number(text)
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
    location.hash = '#labels'
    add(event.dataTransfer?.files ?? [])
  })
}

/** @param {(files: Iterable<File>) => void} add */
function acceptPaste(add) {
  document.addEventListener('paste', (event) => {
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea')) return
    const pasted = [...(event.clipboardData?.files ?? [])]
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (pasted.length === 0 && LABEL_TEXT.test(text)) pasted.push(new File([text], 'Pasted label'))
    if (pasted.length === 0) return
    event.preventDefault()
    add(pasted)
  })
}
