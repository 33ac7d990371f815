/** @import { Job } from '../shell/shapes.js' */

/** After so long on the page somebody can have seen a new label. */
const SEEN_MS = 2_000
/** The age from which a reprint was there before this page, or before a person looked at it. */
const OLD_MS = 60_000

/**
 * Tracks which reprints of a label the person at this page can know of: who presses *Reprint* at the same time as another
 * person, or twice by mistake, gets one copy and is told.
 * @param {import('../shell/store.js').Store} store
 */
export function createReprints(store) {
  /** The reprints that came to this page just now. @type {Set<string>} */
  const fresh = new Set()

  store.onJob((job, before, isTold) => {
    if (before !== undefined || job.reprint_of === '') return
    // What is told of has just been made, whatever the clocks of both computers say.
    if (!isTold && isOld(job)) return
    fresh.add(job.id)
    setTimeout(() => fresh.delete(job.id), SEEN_MS)
  })

  return {
    /**
     * @param {Job} job
     * @returns {string} the id of its newest reprint that was to be seen, or its own
     */
    newestOf(job) {
      const all = [...store.jobs.values()].filter(({ reprint_of }) => reprint_of === job.id)
      const seen = all.filter(({ id }) => !fresh.has(id)).map(({ id }) => id)
      return seen.reduce((newest, id) => (numberOf(id) > numberOf(newest) ? id : newest), job.id)
    },
  }
}

/** @param {Job} job */
function isOld({ created }) {
  return created !== null && Date.now() - Date.parse(created) > OLD_MS
}

/** @param {string} id */
function numberOf(id) {
  return Number(id.slice(id.indexOf('-') + 1))
}
