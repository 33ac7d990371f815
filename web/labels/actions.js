/** @import { Job } from '../shell/shapes.js' */
/** @import { Action } from './job-buttons.js' */

import { calibrate } from '../printers/calibrate.js'
import { haveAllAnswered, lookForPeers } from '../printers/peers.js'
import { CallError } from '../shell/api.js'
import { t, tell } from '../shell/texts.js'
import { confirm, createDialog } from '../widgets/dialog.js'
import { createLabelDialog, createPrinterChoice } from '../widgets/dialogs.js'
import { titleOf } from './job-card.js'
import { newestOf } from './open-labels.js'
import { createReprints } from './reprints.js'
import { canMove, hasEnded, isMoving, isNoLabel, onItsWay, whyNotMoved } from './words.js'

/** A paired box that is off now may be on soon. */
const PEERS_AGAIN_MS = 15_000
const PEERS_TIMES = 8

/**
 * Makes the actions of a label's buttons. A second press while the first is under way does nothing.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @returns {{ act: (action: Action, job: Job) => void, actAll: import('./job-groups.js').GroupActions }}
 */
export function createActions({ store, api, notice }) {
  const labels = createLabelDialog({ api, notice, store, act })
  const choice = createPrinterChoice()
  const question = createDialog('print-here-dialog')
  const reprints = createReprints(store)
  /** The waiting label whose new printer is asked for. @type {string | undefined} */
  let moving
  /** @type {Set<string>} */
  const underWay = new Set()

  /**
   * @param {Job} job
   * @param {string} verb
   * @param {object} [body]
   */
  async function post(job, verb, body) {
    if (underWay.has(job.id)) return
    underWay.add(job.id)
    notice.clear()
    try {
      const path = `/jobs/${encodeURIComponent(job.id)}`
      const asked = api.call('POST', `${path}/${verb}`, body).catch(notice.fault)
      const answer = await store.take(asked)
      if (body && 'box' in body && answer?.job) tellMoved(answer.job)
      else if (verb === 'reprint' && answer?.job) {
        notice.tell(onItsWay(titleOf(job), store.printers.get(answer.job.printer)))
      }
      if (!answer?.job) {
        const now = api.call('GET', path).then((job) => ({ job }))
        await store.take(now.catch(() => undefined))
      }
    } finally {
      underWay.delete(job.id)
    }
  }

  /**
   * Asks on which printer. A label that waits is moved, or stays where it is when it begins to print meanwhile.
   * @param {Job} job
   */
  function chooseFor(job) {
    const how = hasEnded(job) ? { after: reprints.newestOf(job) } : { move: true }
    moving = hasEnded(job) ? undefined : job.id
    const add = choice.open(
      printersFor(job),
      (printer) => post(job, 'reprint', { printer, ...how }),
      { formats: [job.format] },
    )
    if (hasEnded(job)) return
    void lookForPeers(api).then((printers) =>
      add(printers, ({ name, box }) => post(job, 'reprint', { printer: name, box, move: true })),
    )
  }

  /**
   * A label that nothing was sent of can be had back: it is printed from the copy that is kept, as a new one.
   * @param {Job} job
   */
  async function cancel(job) {
    await post(job, 'cancel')
    const now = store.jobs.get(job.id)
    const isClean = now?.state === 'canceled' && now.delivery === 'none' && now.has_label
    if (!isClean || isNoLabel(job) || !store.printers.has(job.printer)) return
    notice.offer(t('wasCanceled', { what: titleOf(job) }), t('undo'), () =>
      post(job, 'reprint', { printer: job.printer, after: reprints.newestOf(job) }),
    )
  }

  /** @param {Job} job that went to another box, or did not */
  function tellMoved({ state, message, hint, texts }) {
    const why = tell(texts?.message, message)
    if (state === 'canceled') notice.tell(why)
    else notice.warn(why, tell(texts?.hint, hint))
  }

  /** A label that is on its way to another box, and shall print here after all. @param {Job} job */
  async function printHere(job) {
    notice.clear()
    const path = `/jobs/${encodeURIComponent(job.id)}/release`
    try {
      await store.take(api.call('POST', path, {}))
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'PEER_UNSURE') return notice.fault(error)
      const [title, text] = [t('printHere'), `${error.message} ${error.hint}`]
      const isMeant = await confirm(question, { title, text, yes: title, no: t('doNotPrint') })
      if (isMeant) await post(job, 'release', { anyway: true })
    }
  }

  store.onJob((job) => {
    if (job.id !== moving || canMove(job) || !choice.isOpen()) return
    choice.close()
    notice.warn(...whyNotMoved(job))
  })

  /** A label that waits goes to another printer than its own. @param {Job} job */
  function printersFor(job) {
    const all = [...store.printers.values()]
    return hasEnded(job) ? all : all.filter(({ name }) => name !== job.printer)
  }

  /** @param {Action} action @param {Job} job */
  function act(action, job) {
    switch (action) {
      case 'open':
        return labels.open(store.jobs.get(job.id) ?? job)
      case 'cancel':
        return cancel(job)
      case 'release':
        if (isMoving(job)) return void printHere(job)
        return post(job, 'release', { attempts: job.attempts })
      case 'printed':
        return post(job, 'resolve', { printed: true, attempts: job.attempts })
      case 'again':
        return post(job, 'resolve', { printed: false, attempts: job.attempts })
      case 'reprint':
        return post(job, 'reprint', {
          after: reprints.newestOf(job),
          ...(store.printers.has(job.printer) ? { printer: job.printer } : {}),
        })
      case 'calibrate':
        return calibrate({ api, notice }, job.printer)
      case 'elsewhere':
        return chooseFor(job)
    }
  }

  /** A box with one printer shows the button too when others are paired. @param {number} times */
  async function showPeers(times) {
    await lookForPeers(api)
    if (!haveAllAnswered() && times > 1) setTimeout(() => void showPeers(times - 1), PEERS_AGAIN_MS)
  }
  void showPeers(PEERS_TIMES)

  return { act, actAll: createActionsForAll({ store, api, notice }) }
}

/**
 * Makes the actions for all labels that wait for a printer.
 * @param {Pick<Parameters<typeof createActions>[0], 'store' | 'api' | 'notice'>} parts
 * @returns {import('./job-groups.js').GroupActions}
 */
function createActionsForAll({ store, api, notice }) {
  const choice = createPrinterChoice('move-all-dialog')
  const question = createDialog('cancel-all-dialog')

  /** @param {string} path @param {object} body @param {string} [words] */
  async function post(path, body, words) {
    notice.clear()
    const answer = await api.call('POST', path, body).catch(notice.fault)
    if (answer === undefined) return
    if (answer.printer?.name) store.putPrinter(answer.printer)
    await store.refresh().catch(() => undefined)
    notice.tell(words ?? tell(answer.texts?.message, answer.Message))
  }

  return {
    moveAll(printer) {
      const others = [...store.printers.values()].filter(({ name }) => name !== printer)
      const title = t('moveAllOn', { printer })
      const waiting = [...store.jobs.values()].filter(
        (job) => job.printer === printer && !hasEnded(job),
      )
      const formats = waiting.map(({ format }) => format)
      const add = choice.open(others, (to) => void post('/jobs/move', { printer, to }), {
        title,
        formats,
      })
      void lookForPeers(api).then((printers) =>
        add(printers, ({ name, box }) => void post('/jobs/move', { printer, to: name, box })),
      )
    },
    async cancelAll(printer) {
      const last = newestOf(store)
      const isMeant = await confirm(question, {
        title: t('cancelAllOf', { printer }),
        text: t('cancelAllText'),
        yes: t('cancelThem'),
        no: t('keepThem'),
      })
      if (isMeant) await post('/jobs/cancel', { printer, last })
    },
    async pause(printer, isPaused) {
      const path = `/printers/${encodeURIComponent(printer)}/${isPaused ? 'pause' : 'resume'}`
      await post(path, {}, t(isPaused ? 'printerPaused' : 'printerResumed', { printer }))
    },
  }
}
