/** @import { Job } from '../shell/shapes.js' */
import { CallError } from '../shell/api.js'
import { t } from '../shell/texts.js'
import { drawDetails, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { previewOf } from './job-card.js'
import { lookInto, makeKey } from './label-file.js'
import { ABOUT, drawFile } from './label-pictures.js'
import {
  formatWords,
  hasEnded,
  isOtherLanguage,
  jobWords,
  needsPerson,
  sizeWords,
  whyForeign,
} from './words.js'

/** Larger files are judged when they print. */
const CHECKED_BYTES = 4_000_000
/** Error codes of a file that will never print. */
const REFUSED = ['LABEL_EMPTY', 'LABEL_REFUSED', 'LABEL_UNKNOWN']

/**
 * Makes the item of one file on its way to a printer: its picture before, and after it was printed its picture as printed.
 * @param {File} file
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/api.js').Api} parts.api
 * @param {(item: TrayItem) => void} parts.onRemove
 * @param {(printer: string) => void} parts.onBetter a person chooses the printer that speaks its language
 * @param {() => void} parts.onKnown it is known what the file is
 * @param {() => import('../shell/shapes.js').Printer | undefined} parts.printer the one that is chosen
 */
export function createTrayItem(file, { store, api, onRemove, onKnown, onBetter, printer }) {
  const before = el('div', { class: 'tray-picture' })
  const after = el('div', { class: 'tray-picture', hidden: true })
  const outcome = el('div', { class: 'tray-outcome' })
  const language = el('div', { class: 'tray-language', hidden: true })
  const facts = el('p', { class: 'facts' }, sizeWords(file.size))
  const remove = el('button', {
    type: 'button',
    class: 'close',
    'aria-label': t('remove', { name: file.name }),
    onclick: () => onRemove(item),
  })
  const element = el(
    'li',
    { class: 'tray-item' },
    el('div', { class: 'tray-pictures' }, before, after),
    el('div', { class: 'tray-text' }, el('p', { class: 'tray-name' }, file.name), facts),
    remove,
    language,
    outcome,
  )
  let url = ''
  let isRefused = false
  /** The format that the server reported; '' = none yet. */
  let format = ''
  /** @type {string[]} */
  let jobs = []
  /** By what it was sent with. @type {Map<string, string>} */
  const keys = new Map()

  void lookInto(file).then((seen) => {
    url = seen.url ?? ''
    if (url !== '') before.append(el('img', { src: url, alt: t('asSent', { name: file.name }) }))
    else before.append(el('pre', { 'aria-label': t('firstLines') }, seen.lines ?? ''))
  }, refuseLost)
  void check()

  /** Asks the server what the file is: what it cannot print is said at once, with the way out. */
  async function check() {
    if (file.size > CHECKED_BYTES) return
    await api.call('POST', '/labels/check', file).then(
      (seen) => {
        format = seen.format
        warnOfLanguage()
        facts.textContent = `${formatWords(format)} · ${sizeWords(file.size)}`
        // Its first lines stay where it cannot be drawn.
        void drawFile(file, format, printer()).then(showDrawn, () => undefined)
      },
      (error) => {
        if (error instanceof CallError && REFUSED.includes(error.code)) refuse(error)
      },
    )
    onKnown()
  }

  /** A label of another language may come out as text: that is said before it prints, with a printer that speaks it. */
  function warnOfLanguage() {
    const to = printer()
    const isForeign = to !== undefined && jobs.length === 0 && isOtherLanguage(format, to)
    language.hidden = !isForeign
    if (!isForeign) return
    const better = [...store.printers.values()].find((one) => one.language === format)
    language.replaceChildren(
      el('p', { class: 'alarm tone-warn' }, icon('warn'), whyForeign(format, to)),
      better === undefined
        ? el('p', { class: 'todo' }, t('mayBeWrong'))
        : el(
            'button',
            { type: 'button', onclick: () => onBetter(better.name) },
            t('printOnInstead', { printer: better.name }),
          ),
    )
  }

  /** @param {CallError} error it will never print */
  function refuse(error) {
    isRefused = true
    element.classList.add('refused')
    drawFault(error, t('cannotPrint'))
  }

  /** A browser gives no byte of a folder, nor of a file that was changed or moved since it was chosen. */
  function refuseLost() {
    refuse(new CallError({ Message: t('fileLost'), hint: t('fileLostHint') }, 0))
    onKnown()
  }

  /** @param {import('./preview.js').Picture | undefined} drawn */
  function showDrawn(drawn) {
    if (drawn === undefined) return
    const alt = t('aboutOf', { name: file.name })
    before.replaceChildren(el('img', { src: drawn.url, alt, title: ABOUT }))
    if (jobs.length > 0) return
    const warnings = drawn.alarms.map((text) => el('span', {}, text))
    outcome.append(
      ...warnings.map((text) => el('p', { class: 'alarm tone-warn' }, icon('warn'), text)),
    )
  }

  /**
   * Sends the label. The same label with the same options has the same key, so that trying again after a lost
   * answer never prints twice.
   * @param {Record<string, string | number>} options
   */
  async function print(options) {
    const text = JSON.stringify(options)
    const key = keys.get(text) ?? makeKey()
    keys.set(text, key)
    outcome.replaceChildren(el('p', { class: 'facts' }, t('sending')))
    // As a file: the server makes its name from that of the file, where that says something.
    const body = new FormData()
    body.append('label', file, file.name === t('pastedLabel') ? 'label' : file.name)
    for (const [name, value] of Object.entries({ idempotency_key: key, ...options })) {
      body.append(name, String(value))
    }
    await api.call('POST', '/', body, { Prefer: 'wait=0' }).then(take, async (error) => {
      if (!(error instanceof CallError)) throw error
      drawFault(error)
      if (error.status === 0) await file.slice(0, 1).arrayBuffer().catch(refuseLost)
    })
  }

  /** @param {{ jobs: Job[] }} answer */
  function take(answer) {
    jobs = answer.jobs.map((job) => job.id)
    for (const job of answer.jobs) store.putOwn(job)
    follow()
  }

  /** @param {CallError} error @param {string} [words] */
  function drawFault(error, words = t('notTaken')) {
    outcome.replaceChildren(
      el('p', { class: 'state tone-bad' }, icon('cross'), words),
      el('p', { class: 'why' }, error.message),
      el('p', { class: 'todo' }, error.hint),
      drawDetails(error.detail) || '',
    )
  }

  /** Shows the jobs of this file as they are now; of several copies the one that is furthest behind. */
  function follow() {
    const known = jobs.map((id) => store.jobs.get(id)).filter((job) => job !== undefined)
    const job = known.find(needsPerson) ?? known.find((job) => !hasEnded(job)) ?? known.at(-1)
    if (job === undefined) return
    const { tone, words, why, todo, icon: sign } = jobWords(job)
    const copies =
      jobs.length > 1 && t('copiesDone', { done: known.filter(hasEnded).length, n: jobs.length })
    outcome.replaceChildren(
      el('p', { class: `state tone-${tone}` }, icon(sign), words),
      el('p', { class: 'facts' }, job.printer, copies && ` · ${copies}`),
      why !== '' ? el('p', { class: 'why' }, why) : '',
      todo !== '' ? el('p', { class: 'todo' }, todo) : '',
    )
    const printed = known.find((job) => job.has_preview)
    if (printed === undefined || !after.hidden) return
    after.hidden = false
    after.append(el('img', { src: previewOf(printed), alt: t('asPrinted', { name: file.name }) }))
  }

  const item = {
    element,
    print,
    follow,
    warnOfLanguage,
    /** @param {string} id */
    owns: (id) => jobs.includes(id),
    isAccepted: () => jobs.length > 0,
    /** True when *Print* would send it. */
    isOpen: () => jobs.length === 0 && !isRefused,
    dispose() {
      if (url !== '') URL.revokeObjectURL(url)
      element.remove()
    },
  }
  return item
}

/** @typedef {ReturnType<typeof createTrayItem>} TrayItem */
