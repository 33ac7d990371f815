/** @import { Job } from '../shell/shapes.js' */

/** Pages that are brought at a time: more would keep the page from answering. */
const PAGES_MOST = 10

/**
 * Brings the labels of a day onto the page, wherever they are in the history: the newest of them, or those before `end`.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/store.js').Store} parts.store
 * @param {Record<string, string>} parts.query of `GET /jobs`: what else is asked for
 * @param {Date} parts.from
 * @param {Date} parts.to
 * @param {() => boolean} parts.isWanted false: somebody looks for something else by now
 * @param {string} [end] the id of the last one that was brought
 * @returns {Promise<string | undefined>} the last one now; undefined: there are no more
 */
export async function findBetween({ api, store, query, from, to, isWanted }, end) {
  let before = end ?? (await findFirst(api, to))
  for (let pages = 0; before !== undefined && pages < PAGES_MOST && isWanted(); pages += 1) {
    const page = await store.find({ ...query, before })
    const last = page.at(-1)
    const isEnd = last === undefined || Date.parse(last.created ?? '') < from.getTime()
    before = isEnd ? undefined : last.id
  }
  return before
}

/**
 * Labels have numbers in the order in which they came, so halving finds a time in a few steps.
 * @param {import('../shell/api.js').Api} api
 * @param {Date} time
 * @returns {Promise<string | undefined>} an id: the labels before it came before that time; '' = all of them, undefined = there are none
 */
async function findFirst(api, time) {
  /** @param {string} before @returns {Promise<Job | undefined>} */
  const newest = async (before) =>
    (await api.call('GET', `/jobs?limit=1&before=${encodeURIComponent(before)}`))[0]
  /** @param {Job} job */
  const isLater = ({ created }) => Date.parse(created ?? '') >= time.getTime()
  const last = await newest('')
  if (last === undefined || !isLater(last)) return last && ''
  const [series = '', number] = last.id.split('-')
  let [low, high] = [1, Number(number)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const job = await newest(`${series}-${middle}`)
    if (job !== undefined && isLater(job)) high = Number(job.id.split('-').at(-1))
    else low = middle
  }
  return `${series}-${low}`
}
