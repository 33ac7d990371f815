import { createActions } from './actions.js'
import { CallError, createApi } from './api.js'
import { byId } from './element.js'
import { createJobList } from './job-list.js'
import { followEvents } from './live.js'
import { createNotice } from './notice.js'
import { createPrinterPanel } from './printer-panel.js'
import { createStore } from './store.js'
import { createTray } from './tray.js'

const NOT_CONNECTED =
  'Not connected to the print server. Trying again. Labels already sent are safe.'

const api = createApi()
const notice = createNotice(byId('notice'), byId('said'))
const store = createStore(api)
const act = createActions({ store, api, notice })
const list = createJobList({ store, notice, act })
const panel = createPrinterPanel({ store, api, notice })
createTray({ store, api, notice, panel })

followEvents({
  onEvent: (type, value) => (type === 'job' ? store.putJob(value) : store.putPrinter(value)),
  refresh: async () => list.setHasOlder(await store.refresh()),
  onConnection: drawConnection,
})

/**
 * One line on top while the page cannot do its work.
 * @param {unknown} trouble undefined when all is well
 */
function drawConnection(trouble) {
  const line = byId('connection')
  line.hidden = trouble === undefined
  document.body.classList.toggle('offline', trouble !== undefined)
  const isRefusal = trouble instanceof CallError && trouble.status > 0
  line.textContent = isRefusal ? `${trouble.message} ${trouble.hint}` : NOT_CONNECTED
}

/** Shows the page that the address names: `#labels`, `#settings` or `#settings/add`. */
async function showView() {
  const [name, part] = location.hash.slice(1).split('/')
  const isSettings = name === 'settings'
  byId('labels').hidden = isSettings
  byId('settings').hidden = !isSettings
  byId('to-labels').setAttribute('aria-current', isSettings ? 'false' : 'page')
  byId('to-settings').setAttribute('aria-current', isSettings ? 'page' : 'false')
  if (!isSettings) return
  const { openSettings } = await import('./settings.js')
  await openSettings({ root: byId('settings'), api, store, notice, part: part ?? '' })
}

/** The address of the box, for those who want to open it elsewhere. */
async function drawFoot() {
  const info = await api.call('GET', '/info').catch(() => undefined)
  if (info === undefined) return
  byId('version').textContent = `platen ${info.version}`
  byId('address').textContent = `This print server: ${location.origin}`
  if (['localhost', '127.0.0.1', '[::1]'].includes(location.hostname) && info.ip) {
    byId('address').textContent += ` (${info.ip})`
  }
}

addEventListener('hashchange', showView)
addEventListener('unhandledrejection', () => notice.broken())
void showView()
void drawFoot()
