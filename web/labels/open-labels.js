/** @import { Counts, Job } from '../shell/shapes.js' */
/** @import { Api } from '../shell/api.js' */
import { hasEnded } from './words.js'

/** Labels that have not ended are all on the page, up to so many; a page of them has so many. */
const OPEN_MAX = 1_000
const OPEN_PAGE = 200
/** The states in the order of loading: labels that need a person's word come first, so that none of them is left out. */
const OPEN_STATES = ['pending-held,processing-stopped', 'not-completed']

/**
 * The labels that have not ended, as the server lists them, and how many more there are than the page has.
 * @param {Api} api
 * @param {ReadonlyMap<string, Job>} jobs those that the page has
 */
export function createOpenLabels(api, jobs) {
  /** True when there are more labels than were loaded. */
  let isCut = false
  /** The last one that was loaded in turn, of all and by printer. */
  let last = ''
  /** @type {Map<string, string>} */
  const lastOf = new Map()
  /** The number of labels that have not ended, by printer, as the server counts them. @type {Map<string, number>} */
  let counts = new Map()

  /**
   * Oldest first.
   * @param {Record<string, string>} query
   * @param {string} after the id of a label; '' = none
   * @returns {Promise<Job[]>}
   */
  async function loadPage(query, after) {
    const all = { ...query, order: 'oldest', limit: String(OPEN_PAGE), after }
    return await api.call('GET', `/jobs?${new URLSearchParams(all)}`)
  }

  return {
    /** All, or those that print next; newest first. @returns {Promise<Job[]>} */
    async load() {
      /** @type {Map<string, Job>} */
      const all = new Map()
      isCut = false
      lastOf.clear()
      for (const state of OPEN_STATES) {
        last = ''
        for (let isWhole = false, end = ''; !isWhole && !isCut; last = end) {
          const page = await loadPage({ state }, end)
          for (const job of page) all.set(job.id, job)
          end = page.at(-1)?.id ?? end
          isWhole = page.length < OPEN_PAGE
          isCut = !isWhole && all.size >= OPEN_MAX
        }
      }
      return [...all.values()].toSorted((one, other) => seqOf(other) - seqOf(one))
    },

    /** Counts the labels of a printer that are not on the page when there are more than it holds. @param {string} printer */
    moreOf(printer) {
      if (!isCut) return 0
      const here = [...jobs.values()].filter((job) => job.printer === printer && !hasEnded(job))
      return Math.max(0, (counts.get(printer) ?? 0) - here.length)
    },

    /** The next ones of a printer, oldest first. @param {string} printer */
    async loadMoreOf(printer) {
      const end = lastOf.get(printer) ?? last
      const page = await loadPage({ state: 'not-completed', printer }, end)
      lastOf.set(printer, page.at(-1)?.id ?? end)
      return page
    },

    /** @param {Counts} now */
    setCounts(now) {
      counts = new Map(now.printers.map((one) => [one.printer, one.not_completed]))
    },
  }
}

/**
 * The newest label that the page knows: what a person says of all labels is said of none that comes later.
 * @param {{ jobs: ReadonlyMap<string, Job> }} store
 */
export function newestOf({ jobs }) {
  const [newest] = [...jobs.values()].toSorted((one, other) => seqOf(other) - seqOf(one))
  return newest?.id
}

/** @param {Job} job */
function seqOf({ id }) {
  return Number(id.split('-').at(-1))
}
