/** @import { Job, Printer } from './shapes.js' */
/** @import { Api } from './api.js' */

import { createOpenLabels } from '../labels/open-labels.js'
import { hasEnded } from '../labels/words.js'
import { CallError } from './api.js'

const PAGE = 40
/** Statuses that say that a label is gone or its secret is no longer valid; a lost answer says neither. */
const GONE = [401, 403, 404]
/** Labels that are asked about one by one; of more the list begins again. */
const STALE_MAX = 100

/**
 * Keeps the page's printers and jobs, and tells listeners of changes.
 * @param {Api} api
 */
export function createStore(api) {
  /** @type {Map<string, Printer>} */
  const printers = new Map()
  /** @type {Map<string, Job>} */
  const jobs = new Map()
  /** @type {((printers: Printer[]) => void)[]} */
  const printerListeners = []
  /** @type {JobListener[]} */
  const jobListeners = []
  /** @type {(() => void)[]} */
  const resetListeners = []
  /** @type {(() => void)[]} */
  const lockListeners = []
  /** The secrets of labels that this page sent. @type {Map<string, string>} */
  const secrets = new Map()
  /** Labels that a search has brought, beyond those that are listed in turn. @type {Set<string>} */
  const found = new Set()
  let isLocked = false
  /** The refreshes under way: what is told meanwhile is newer than their answers. @type {Set<News>} */
  const awaited = new Set()
  /** For each answer under way, the labels that were reported meanwhile: the answer is older than those reports. @type {Set<Set<string>>} */
  const asking = new Set()
  /** Labels that were first heard of while the newest were asked for: between them and the list may be others. @type {Set<string>} */
  const ahead = new Set()
  let oldest = ''
  let hasOlder = false
  const open = createOpenLabels(api, jobs)

  function tellPrinters() {
    for (const listen of printerListeners) listen([...printers.values()])
  }

  /** Answers and events overtake each other: a label that has ended stays ended. @param {Job} job @param {boolean} [isTold] */
  function putJob(job, isTold = false) {
    const before = jobs.get(job.id)
    if (before !== undefined && hasEnded(before) && !hasEnded(job)) return
    const secret = secrets.get(job.id)
    const known = secret === undefined ? job : { ...job, secret }
    jobs.set(job.id, known)
    for (const listen of jobListeners) listen(known, before, isTold)
  }

  /** A label that was told of, or sent, by itself. @param {Job} job */
  function hear(job) {
    if (awaited.size > 0 && !jobs.has(job.id)) ahead.add(job.id)
    putJob(job, true)
  }

  /** @template T @param {Promise<T>} answer @returns {Promise<[T, Set<string>]>} it, and which labels were told of meanwhile */
  async function listen(answer) {
    /** @type {Set<string>} */
    const told = new Set()
    asking.add(told)
    return [await answer.finally(() => asking.delete(told)), told]
  }

  /** @param {Printer} printer */
  function keepPrinter(printer) {
    if (printer.removed) printers.delete(printer.name)
    else printers.set(printer.name, printer)
  }

  /** @param {Job[]} page newest first @param {Pick<Set<string>, 'has'>} told of since the page was asked for */
  function putPage(page, told) {
    for (const job of page.toReversed()) if (!told.has(job.id)) putJob(job)
  }

  /** @param {Job[]} page the newest jobs @param {News} news */
  function startOver(page, news) {
    jobs.clear()
    for (const listen of resetListeners) listen()
    for (const job of news.jobs.values()) putJob(job)
    oldest = page.at(-1)?.id ?? ''
    hasOlder = page.length === PAGE
  }

  /** The newest labels; undefined for whoever has to log in first. @returns {Promise<Job[] | undefined>} */
  async function loadNewest() {
    // Somebody may have logged in elsewhere in this browser, or opened the labels to all.
    if (isLocked) api.forgetSession()
    const { labels } = await api.loadSession()
    if (!labels) return undefined
    return await api.call('GET', `/jobs?limit=${PAGE}`).catch((error) => {
      if (error instanceof CallError && error.code === 'LOGIN_NEEDED') return undefined
      throw error
    })
  }

  /** @param {boolean} now */
  function setLocked(now) {
    if (now === isLocked) return
    isLocked = now
    oldest = ''
    hasOlder = false
    jobs.clear()
    for (const listen of [...resetListeners, ...lockListeners]) listen()
  }

  /** Without a login the page follows what it sent itself. */
  async function refreshOwn() {
    for (const [id, secret] of secrets) {
      const job = jobs.get(id)
      if (job !== undefined && hasEnded(job)) continue
      const own = { 'X-Platen-Job-Secret': secret }
      const path = `/jobs/${encodeURIComponent(id)}`
      await api.call('GET', path, undefined, own).then(putJob, (error) => {
        if (error instanceof CallError && GONE.includes(error.status)) secrets.delete(id)
      })
    }
  }

  /** Labels further down the list may have moved while nobody told us. @param {Job[]} told */
  function staleOf(told) {
    const fresh = new Set(told.map((job) => job.id))
    return [...jobs.values()].filter((job) => !hasEnded(job) && !fresh.has(job.id))
  }

  /** Fetches labels as they are now; undefined for one that is gone from the server. @param {Job[]} stale */
  async function askAbout(stale) {
    /** @type {Job[]} */
    const asked = []
    for (const { id } of stale) {
      const job = await api.call('GET', `/jobs/${encodeURIComponent(id)}`).catch((error) => {
        if (!(error instanceof CallError) || error.code !== 'JOB_UNKNOWN') throw error
      })
      if (job === undefined) return undefined
      asked.push(job)
    }
    return asked
  }

  /** All that has not ended, besides the newest page. @param {Job[]} page @param {News} news */
  async function refreshOpen(page, news) {
    const unfinished = await open.load()
    const stale = staleOf([...page, ...unfinished])
    const asked = stale.length > STALE_MAX ? undefined : await askAbout(stale)
    if (asked === undefined) startOver(page, news)
    for (const some of [asked ?? page, unfinished]) putPage(some, news.jobs)
  }

  /** Printers and the newest jobs again. @param {News} news */
  async function askAnew(news) {
    const [list, page] = await Promise.all([api.call('GET', '/printers'), loadNewest()])
    printers.clear()
    for (const printer of list) keepPrinter(printer)
    for (const printer of news.printers.values()) keepPrinter(printer)
    tellPrinters()
    setLocked(page === undefined)
    if (page === undefined) return await refreshOwn()
    // More new labels than a page holds: there would be a gap in the list.
    const isKnown = page.some(({ id }) => jobs.has(id) && !ahead.has(id) && !found.has(id))
    if (oldest === '' || !isKnown) startOver(page, news)
    putPage(page, news.jobs)
    ahead.clear()
    for (const job of page) found.delete(job.id)
    await refreshOpen(page, news)
  }

  return {
    jobs,
    printers,
    /** A job as an event or the answer to a button says it is now. @param {Job} job */
    putJob(job) {
      for (const news of awaited) news.jobs.set(job.id, job)
      for (const told of asking) told.add(job.id)
      hear(job)
    },
    /**
     * The job of an answer. Events may overtake it, and no other one comes then.
     * @template {{ job?: Job } | void} T
     * @param {Promise<T>} asked
     * @returns {Promise<T>}
     */
    async take(asked) {
      const [answer, told] = await listen(asked)
      if (answer?.job && !told.has(answer.job.id)) this.putJob(answer.job)
      return answer
    },
    /** A label that this page sent. @param {Job} job */
    putOwn(job) {
      if (job.secret !== undefined) secrets.set(job.id, job.secret)
      if (!jobs.has(job.id)) hear(job)
    },
    /** @param {Printer} printer */
    putPrinter(printer) {
      for (const news of awaited) news.printers.set(printer.name, printer)
      keepPrinter(printer)
      tellPrinters()
    },
    /** @param {(printers: Printer[]) => void} listen */
    onPrinters: (listen) => printerListeners.push(listen),
    /** @param {JobListener} listen */
    onJob: (listen) => jobListeners.push(listen),
    /** @param {() => void} listen the list begins again */
    onReset: (listen) => resetListeners.push(listen),
    /** The labels are for whoever logs in, or not any more. @param {() => void} listen */
    onLock: (listen) => lockListeners.push(listen),
    isLocked: () => isLocked,

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

    /** Printers and the newest jobs again. @returns {Promise<boolean>} true when there are older jobs to load */
    async refresh() {
      /** @type {News} */
      const news = { printers: new Map(), jobs: new Map() }
      awaited.add(news)
      try {
        await askAnew(news)
      } finally {
        awaited.delete(news)
      }
      return hasOlder
    },

    /**
     * Labels that fit, wherever they are in the history: they are on the page until `dropFound`.
     * @param {Record<string, string>} query of `GET /jobs`
     * @returns {Promise<Job[]>}
     */
    async find(query) {
      const all = new URLSearchParams({ ...query, limit: '100' })
      const [page, told] = await listen(api.call('GET', `/jobs?${all}`))
      for (const job of page) {
        if (told.has(job.id)) continue
        if (!jobs.has(job.id)) found.add(job.id)
        putJob(job)
      }
      return page
    },
    /** @param {import('./shapes.js').Counts} now */
    putCounts(now) {
      open.setCounts(now)
      tellPrinters()
    },
    /** Labels of a printer that have not ended and are not on the page: there are more than it holds. */
    moreOf: open.moreOf,
    /** @param {string} printer */
    async loadMoreOf(printer) {
      const [page, told] = await listen(open.loadMoreOf(printer))
      putPage(page.toReversed(), told)
    },
    /** The last label of the list. */
    oldest: () => jobs.get(oldest),
    /** Tells whether only a search has brought the label. @param {string} id */
    isFound: (id) => found.has(id),
    /** @returns {string[]} the ids of ended labels that only a search had brought */
    dropFound() {
      const gone = [...found].filter((id) => {
        const job = jobs.get(id)
        return job !== undefined && hasEnded(job)
      })
      for (const id of gone) jobs.delete(id)
      found.clear()
      return gone
    },
    /** @returns {Promise<boolean>} true when there are still older ones */
    async loadOlder() {
      const end = oldest
      const asked = api.call('GET', `/jobs?limit=${PAGE}&before=${encodeURIComponent(end)}`)
      const [page, told] = await listen(asked)
      // The list began again meanwhile: between its end and these are others.
      if (oldest !== end) return hasOlder
      for (const job of page) found.delete(job.id)
      putPage(page, told)
      oldest = page.at(-1)?.id ?? oldest
      hasOlder = page.length === PAGE
      return hasOlder
    },
  }
}

/** @typedef {(job: Job, before: Job | undefined, isTold: boolean) => void} JobListener `isTold`: by an event or an answer, not found in a list */
/** @typedef {{ printers: Map<string, Printer>, jobs: Map<string, Job> }} News what was told while an answer was under way */
/** @typedef {ReturnType<typeof createStore>} Store */
