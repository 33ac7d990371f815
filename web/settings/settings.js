import { CallError } from '../shell/api.js'
import { createLoginForm, SESSION_CHANGED } from '../shell/login-form.js'
import { loadStyles } from '../shell/styles.js'
import { t, tellNotes } from '../shell/texts.js'
import { el } from '../widgets/element.js'
import { drawBackup } from './backup-panel.js'
import { drawBoxes } from './boxes-panel.js'
import { drawLog } from './log-panel.js'
import { drawRestart } from './restart-panel.js'
import { translateFields } from './setting-texts.js'
import { createSettingsForm } from './settings-form.js'
import { drawUpdate } from './update-panel.js'

/** The form that is shown. @type {ReturnType<typeof createSettingsForm> | undefined} */
let shown

/** The number of times that they were opened: a late answer for an earlier time must not replace what is being typed. */
let opened = 0

/** Tells whether something would be lost if the settings were left now. */
export const hasUnsaved = () => shown?.isChanged() ?? false

addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault()
})

/**
 * Fills the settings view: the login when one is needed, else the form.
 * @param {object} parts
 * @param {HTMLElement} parts.root
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {string} parts.part id of the group that is open, e.g. `sources`
 */
export async function openSettings(parts) {
  const { root, api, notice } = parts
  opened += 1
  const own = opened
  await loadStyles('forms.css')
  try {
    const session = await api.loadSession()
    if (!session.admin && session.loginNeeded) return showLogin(parts)
    const [fields, config] = await Promise.all([
      api.call('GET', '/config/schema'),
      api.call('GET', '/config'),
    ])
    if (own !== opened) return
    showForm(parts, translateFields(fields), config, session.startLabel)
    await drawPanels(parts, session.restarts, own)
  } catch (error) {
    if (own !== opened) return
    if (!(error instanceof CallError)) return notice.fault(error)
    if (error.code === 'LOGIN_NEEDED') return showLogin(parts)
    root.replaceChildren(
      el(
        'section',
        { class: 'panel' },
        el('h2', {}, t('settings')),
        el('p', {}, error.message),
        el('p', { class: 'todo' }, error.hint),
      ),
    )
  }
}

/** Draws the panels below the form. @param {Parameters<typeof openSettings>[0]} parts @param {boolean} restarts @param {number} own */
async function drawPanels(parts, restarts, own) {
  const { root } = parts
  root.append(drawBoxes(parts))
  root.append(drawBackup(parts, () => readAnew(parts)))
  const update = await drawUpdate(parts)
  if (own !== opened) return
  if (update !== undefined) root.append(update)
  if (restarts) root.append(drawRestart(parts))
  root.append(drawLog(parts))
}

/** @param {Parameters<typeof openSettings>[0]} parts */
function showLogin(parts) {
  const login = createLoginForm({ api: parts.api, onLogin: () => openSettings(parts) })
  parts.root.replaceChildren(login.element)
  login.focus()
}

/**
 * @param {Parameters<typeof openSettings>[0]} parts
 * @param {import('../shell/shapes.js').Field[]} fields
 * @param {Record<string, unknown>} config
 * @param {boolean} isBox it runs on the SD image
 */
function showForm(parts, fields, config, isBox) {
  const { root, api, admin, store, notice, part } = parts
  const form = createSettingsForm({
    fields,
    config,
    api,
    isBox,
    part,
    printers: [...namesIn(config), ...store.printers.keys()],
    async save(changes) {
      try {
        // A login lasts some hours, and until a restart: what was typed here meanwhile must not be lost with it.
        const now = await admin.call('GET', '/config')
        const saved = now && (await admin.call('PUT', '/config', { ...now, ...changes(now) }))
        if (saved === undefined) return false
        tellSaved(saved)
        // Not waited for: what is typed from here on is a change of what was saved.
        store.refresh().catch(notice.fault)
        return true
      } catch (error) {
        if (!(error instanceof CallError) || error.faults.length === 0) notice.fault(error)
        else {
          notice.clear()
          form.showFaults(error.faults)
        }
        return false
      }
    },
  })
  shown = form
  const leave = el('button', { type: 'button', onclick: () => logOut(parts) }, t('logOut'))
  root.replaceChildren(form.index, form.element, ...(config['password'] ? [leave] : []))
  if (part !== '') root.querySelector(`#group-${CSS.escape(part)}`)?.scrollIntoView()

  /** @param {{ restart?: string[], notes?: import('../shell/shapes.js').Note[] }} answer */
  function tellSaved({ restart = [], notes = [] }) {
    const titles = restart.map((key) => fields.find((field) => field.key === key)?.title ?? key)
    const hint = titles.length === 0 ? '' : t('restartFor', { settings: titles.join(', ') })
    notice.tell(t('saved'), [hint, tellNotes(notes)].filter((text) => text !== '').join(' '))
  }
}

/** @param {Parameters<typeof openSettings>[0]} parts */
async function readAnew(parts) {
  parts.api.forgetSession()
  await Promise.all([openSettings(parts), parts.store.refresh()])
}

/** @param {Parameters<typeof openSettings>[0]} parts */
async function logOut(parts) {
  await parts.api.call('POST', '/logout').catch(parts.notice.fault)
  parts.api.forgetSession()
  document.dispatchEvent(new Event(SESSION_CHANGED))
  await openSettings(parts)
}

/**
 * @param {Record<string, unknown>} config
 * @returns {string[]} the names of its printers
 */
function namesIn({ printers }) {
  return Array.isArray(printers) ? printers.map((printer) => printer.name) : []
}
