import { createActions } from './labels/actions.js'
import { createFilter } from './labels/filter.js'
import { createFindScanned } from './labels/find-scanned.js'
import { createJobList } from './labels/job-list.js'
import { drawWhenSeen } from './labels/label-pictures.js'
import { createTray } from './labels/tray.js'
import { lookForPeers } from './printers/peers.js'
import { createPrinterPanel } from './printers/printer-panel.js'
import { createPrinterStrip } from './printers/printer-strip.js'
import { createAdmin } from './shell/admin.js'
import { CallError, createApi } from './shell/api.js'
import { createFilling } from './shell/filling.js'
import { followGuesses } from './shell/guesses.js'
import { keepFocus } from './shell/keep-focus.js'
import { createLabelsLogin } from './shell/labels-login.js'
import { followEvents } from './shell/live.js'
import { SESSION_CHANGED } from './shell/login-form.js'
import { createNotice } from './shell/notice.js'
import { keepPresses } from './shell/press.js'
import { readScanner } from './shell/scan.js'
import { createStore } from './shell/store.js'
import { createTabDots } from './shell/tab-dots.js'
import { t, translatePage } from './shell/texts.js'
import { confirm, createDialog } from './widgets/dialog.js'
import { byId } from './widgets/element.js'

translatePage()
keepFocus()
keepPresses()

const api = createApi()
const notice = createNotice(byId('notice'), byId('said'))
const store = createStore(api)
const filling = createFilling(byId('filling'))
const filter = createFilter({ api, store, notice })
const actions = createActions({ store, api, notice })
const list = createJobList({ store, notice, filter, ...actions })
const findScanned = createFindScanned({
  store,
  notice,
  filter,
  open: (job) => actions.act('open', job),
})
readScanner((code) => void findScanned(code).catch(notice.fault))
drawWhenSeen(byId('view-labels'), { store, api })
const panel = createPrinterPanel({ store, api, notice })
createPrinterStrip({ store, api, filter, panel })
createTabDots({ store, api })
createTray({ store, api, notice, panel })
createLabelsLogin({ api, store })
followGuesses({ api, notice })

const SHOW = { job: store.putJob, printer: store.putPrinter, spool: filling.draw }

const live = followEvents({
  onEvent: (type, value) => SHOW[type](value),
  mayFollow: () => !store.isLocked(),
  refresh: async () => list.setHasOlder(await store.refresh()),
  onConnection: drawConnection,
})

/**
 * Shows one line on top while the page cannot do its work.
 * @param {unknown} trouble undefined when all is well
 */
function drawConnection(trouble) {
  const line = byId('connection')
  line.hidden = trouble === undefined
  document.body.classList.toggle('offline', trouble !== undefined)
  const isRefusal = trouble instanceof CallError && trouble.status > 0
  line.textContent = isRefusal ? `${trouble.message} ${trouble.hint}` : t('notConnected')
}

/**
 * A view of the page that is loaded when it is first looked at.
 * @typedef {object} View
 * @property {(part: string) => unknown} open
 * @property {() => void} [close]
 * @property {() => boolean} [hasUnsaved] something would be lost
 */

const parts = { api, store, notice, admin: createAdmin(api) }

/** @type {Record<string, (root: HTMLElement) => Promise<View>>} */
const LATER = {
  printers: async (root) =>
    (await import('./printers/printers.js')).createPrintersView({ ...parts, lookForPeers, root }),
  sources: async (root) =>
    (await import('./sources/sources.js')).createSourcesView({ ...parts, root }),
  shipping: async (root) =>
    (await import('./shipping/shipping.js')).createShippingView({ ...parts, root }),
  settings: async (root) => {
    const { openSettings, hasUnsaved } = await import('./settings/settings.js')
    return { open: (part) => openSettings({ ...parts, root, part }), hasUnsaved }
  },
}

/** @type {Map<string, Promise<View>>} */
const views = new Map()

/** @param {string} name */
function loadView(name) {
  const load = LATER[name]
  if (load === undefined) return undefined
  const view = views.get(name) ?? load(byId(`view-${name}`))
  views.set(name, view)
  view.catch(() => views.delete(name))
  return view
}

/** Shows the view that the address names: `#labels`, `#printers`, `#settings/sources`. */
async function showView() {
  const [first = '', part = ''] = location.hash.slice(1).split('/')
  const name = first in LATER ? first : 'labels'
  if (byId(`view-${name}`).hidden) scrollTo(0, 0)
  for (const other of ['labels', ...Object.keys(LATER)]) {
    byId(`view-${other}`).hidden = other !== name
    byId(`to-${other}`).setAttribute('aria-current', other === name ? 'page' : 'false')
    if (other !== name) views.get(other)?.then((view) => view.close?.())
  }
  const view = await loadView(name)
  if (location.hash.slice(1).split('/')[0] === name) await view?.open(part)
}

/** The address of the view that is shown. */
let hash = location.hash
const question = createDialog('leave-dialog')

/** Goes to the view of the address, unless the one that is shown would lose something and the person stays. */
async function leaveView() {
  const next = location.hash
  const name = hash.slice(1).split('/')[0] ?? ''
  const view = await views.get(name)
  if (next !== hash && view?.hasUnsaved?.()) {
    history.replaceState(null, '', hash)
    const words = { title: t('leaveTitle'), text: t('leaveText'), yes: t('leaveYes') }
    if (!(await confirm(question, { ...words, no: t('leaveNo') }))) return
    history.replaceState(null, '', next)
  }
  hash = next
  await showView()
}

/** The version, and where this page is found. */
async function drawFoot() {
  const info = await api.call('GET', '/info').catch(() => undefined)
  if (info === undefined) return
  byId('version').textContent = `platen ${info.version}`
  byId('formats').textContent = info.formats.join(', ')
  const { drawAddress } = await import('./printers/address.js')
  drawAddress(info)
}

addEventListener('hashchange', () => void leaveView().catch(notice.fault))
document.addEventListener(SESSION_CHANGED, () => live.restart())
addEventListener('unhandledrejection', () => notice.broken())
void showView().catch(notice.fault)
void drawFoot()
