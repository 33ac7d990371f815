/** @import { Job, Printer } from './shapes.js' */
/** @import { Api } from './api.js' */
import { CallError } from './api.js'
import { hasEnded } from './words.js'

const PAGE = 40
/** Labels that have not ended are all on the page, up to so many; a page of them has so many. */
const OPEN_MAX = 1_000
const OPEN_PAGE = 200

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
  /** @type {(() => void)[]} */
  const lockListeners = []
  /** Of labels that this page sent. @type {Map<string, string>} */
  const secrets = new Map()
  /** Labels that a search has brought, beyond those that are listed in turn. @type {Set<string>} */
  const found = new Set()
  let isLocked = false
  /** The refreshes under way: what is told meanwhile is newer than their answers. @type {Set<News>} */
  const awaited = new Set()
  let oldest = ''
  let hasOlder = false

  function tellPrinters() {
    for (const listen of printerListeners) listen([...printers.values()])
  }

  /** Answers and events overtake each other: a label that has ended stays ended. @param {Job} job */
  function putJob(job) {
    const before = jobs.get(job.id)
    if (before !== undefined && hasEnded(before) && !hasEnded(job)) return
    const secret = secrets.get(job.id)
    const known = secret === undefined ? job : { ...job, secret }
    jobs.set(job.id, known)
    for (const listen of jobListeners) listen(known, before)
  }

  /** @param {Printer} printer */
  function keepPrinter(printer) {
    if (printer.removed) printers.delete(printer.name)
    else printers.set(printer.name, printer)
  }

  /** @param {Job[]} page newest first @param {News} [news] what was told since the page was asked for */
  function putPage(page, news) {
    for (const job of page.toReversed()) if (!news?.jobs.has(job.id)) putJob(job)
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

  /** All labels that have not ended, however old. @returns {Promise<Job[]>} */
  async function loadOpen() {
    /** @type {Job[]} */
    const all = []
    while (all.length < OPEN_MAX) {
      const last = all.at(-1)?.id
      const before = last === undefined ? '' : `&before=${encodeURIComponent(last)}`
      const path = `/jobs?state=not-completed&limit=${OPEN_PAGE}${before}`
      const page = await api.call('GET', path)
      all.push(...page)
      if (page.length < OPEN_PAGE) break
    }
    return all
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
      await api.call('GET', path, undefined, own).then(putJob, () => secrets.delete(id))
    }
  }

  /** Labels further down the list may have moved while nobody told us. @param {Job[]} page @param {News} news */
  async function refreshWaiting(page, news) {
    const fresh = new Set(page.map((job) => job.id))
    const stale = [...jobs.values()].filter((job) => !hasEnded(job) && !fresh.has(job.id))
    for (const { id } of stale) {
      const job = await api.call('GET', `/jobs/${encodeURIComponent(id)}`)
      if (!news.jobs.has(id)) putJob(job)
    }
  }

  /** Printers and the newest jobs anew. @param {News} news */
  async function askAnew(news) {
    const [list, page] = await Promise.all([api.call('GET', '/printers'), loadNewest()])
    printers.clear()
    for (const printer of list) keepPrinter(printer)
    for (const printer of news.printers.values()) keepPrinter(printer)
    tellPrinters()
    setLocked(page === undefined)
    if (page === undefined) return await refreshOwn()
    // More new labels than a page holds: there would be a gap in the list.
    const isKnown = page.some((job) => jobs.has(job.id))
    if (oldest === '' || !isKnown) startOver(page, news)
    putPage(page, news)
    const open = await loadOpen()
    putPage(open, news)
    await refreshWaiting([...page, ...open], news)
  }

  return {
    jobs,
    printers,
    /** A job as an event or the answer to a button says it is now. @param {Job} job */
    putJob(job) {
      for (const news of awaited) news.jobs.set(job.id, job)
      putJob(job)
    },
    /** A label that this page sent. @param {Job} job */
    putOwn(job) {
      if (job.secret !== undefined) secrets.set(job.id, job.secret)
      if (!jobs.has(job.id)) putJob(job)
    },
    /** @param {Printer} printer */
    putPrinter(printer) {
      for (const news of awaited) news.printers.set(printer.name, printer)
      keepPrinter(printer)
      tellPrinters()
    },
    /** @param {(printers: Printer[]) => void} listen */
    onPrinters: (listen) => printerListeners.push(listen),
    /** @param {(job: Job, before: Job | undefined) => void} listen */
    onJob: (listen) => jobListeners.push(listen),
    /** @param {() => void} listen the list begins anew */
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

    /** Printers and the newest jobs anew. @returns {Promise<boolean>} true when there are older jobs to load */
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
     */
    async find(query) {
      const page = await api.call('GET', `/jobs?${new URLSearchParams({ ...query, limit: '100' })}`)
      for (const job of /** @type {Job[]} */ (page)) {
        if (!jobs.has(job.id)) found.add(job.id)
        putJob(job)
      }
    },
    /** The last label of the list. */
    oldest: () => jobs.get(oldest),
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
      const page = await api.call('GET', `/jobs?limit=${PAGE}&before=${encodeURIComponent(oldest)}`)
      for (const job of page) found.delete(job.id)
      putPage(page)
      oldest = page.at(-1)?.id ?? oldest
      hasOlder = page.length === PAGE
      return hasOlder
    },
  }
}

/** @typedef {{ printers: Map<string, Printer>, jobs: Map<string, Job> }} News what was told while an answer was under way */
/** @typedef {ReturnType<typeof createStore>} Store */
