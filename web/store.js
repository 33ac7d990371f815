/** @import { Job, Printer } from './shapes.js' */
/** @import { Api } from './api.js' */
import { hasEnded } from './words.js'

const PAGE = 40

/**
 * What the page knows of printers and jobs, and who wants to hear of changes.
 * @param {Api} api
 */
export function createStore(api) {
  /** @type {Map<string, Printer>} */
  const printers = new Map()
  /** @type {Map<string, Job>} */
  const jobs = new Map()
  /** @type {((printers: Printer[]) => void)[]} */
  const printerListeners = []
  /** @type {((job: Job, before: Job | undefined) => void)[]} */
  const jobListeners = []
  /** @type {(() => void)[]} */
  const resetListeners = []
  let oldest = ''
  let hasOlder = false

  function tellPrinters() {
    for (const listen of printerListeners) listen([...printers.values()])
  }

  /** Answers and events overtake each other: a label that has ended stays ended. @param {Job} job */
  function putJob(job) {
    const before = jobs.get(job.id)
    if (before !== undefined && hasEnded(before) && !hasEnded(job)) return
    jobs.set(job.id, job)
    for (const listen of jobListeners) listen(job, before)
  }

  /** @param {Job[]} page newest first */
  function putPage(page) {
    for (const job of page.toReversed()) putJob(job)
  }

  /** @param {Job[]} page the newest jobs */
  function startOver(page) {
    jobs.clear()
    for (const listen of resetListeners) listen()
    oldest = page.at(-1)?.id ?? ''
    hasOlder = page.length === PAGE
  }

  /** Labels further down the list may have moved while nobody told us. @param {Job[]} page */
  async function refreshWaiting(page) {
    const fresh = new Set(page.map((job) => job.id))
    const stale = [...jobs.values()].filter((job) => !hasEnded(job) && !fresh.has(job.id))
    for (const job of stale) putJob(await api.call('GET', `/jobs/${encodeURIComponent(job.id)}`))
  }

  return {
    jobs,
    printers,
    putJob,
    /** @param {Printer} printer */
    putPrinter(printer) {
      if (printer.removed) printers.delete(printer.name)
      else printers.set(printer.name, printer)
      tellPrinters()
    },
    /** @param {(printers: Printer[]) => void} listen */
    onPrinters: (listen) => printerListeners.push(listen),
    /** @param {(job: Job, before: Job | undefined) => void} listen */
    onJob: (listen) => jobListeners.push(listen),
    /** @param {() => void} listen the list begins anew */
    onReset: (listen) => resetListeners.push(listen),

    /**
     * Lets go of the label at the end of the list, which can be loaded again.
     * @param {string} id
     * @param {string} last the label that is the last one now
     */
    forget(id, last) {
      jobs.delete(id)
      oldest = last
      hasOlder = true
    },

    /** Printers and the newest jobs anew. @returns {Promise<boolean>} true when there are older jobs to load */
    async refresh() {
      const [list, page] = await Promise.all([
        api.call('GET', '/printers'),
        api.call('GET', `/jobs?limit=${PAGE}`),
      ])
      printers.clear()
      for (const printer of list) printers.set(printer.name, printer)
      tellPrinters()
      // More new labels than a page holds: there would be a gap in the list.
      const isKnown = page.some((/** @type {Job} */ job) => jobs.has(job.id))
      if (oldest === '' || !isKnown) startOver(page)
      putPage(page)
      await refreshWaiting(page)
      return hasOlder
    },

    /** @returns {Promise<boolean>} true when there are still older ones */
    async loadOlder() {
      const page = await api.call('GET', `/jobs?limit=${PAGE}&before=${encodeURIComponent(oldest)}`)
      putPage(page)
      oldest = page.at(-1)?.id ?? oldest
      hasOlder = page.length === PAGE
      return hasOlder
    },
  }
}

/** @typedef {ReturnType<typeof createStore>} Store */
