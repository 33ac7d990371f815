/** @import { Job } from '../shell/shapes.js' */

import { t } from '../shell/texts.js'
import { matches } from './filter.js'
import { titleOf } from './job-card.js'

/**
 * A carrier's bar code holds more than the number that people know: a USPS code begins with 420 and the ZIP code, FedEx's 34
 * digits end with the tracking number.
 */
const ENDS = [22, 20, 15, 14, 12]

/**
 * Finds the label whose bar code was scanned and opens it, the newest of several; the list shows what fits.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {import('./filter.js').Filter} parts.filter
 * @param {(job: Job) => void} parts.open
 */
export function createFindScanned({ store, notice, filter, open }) {
  /** The number of scans so far; only the last one counts. */
  let asked = 0

  /** Returns the reason why no search is made now; undefined = one is. */
  function whyNot() {
    const question = document.querySelector('dialog[open]')
    // It stays as it is, and nothing is lost: the code can be scanned again.
    if (question !== null && question.id !== 'label-dialog') return t('scanBusy')
    return store.isLocked() ? t('scanLocked') : undefined
  }

  /** @param {string} code */
  return async (code) => {
    asked += 1
    const own = asked
    const why = whyNot()
    if (why !== undefined) return notice.warn(why, '')
    for (const wanted of candidatesOf(code)) {
      const page = await store.find({ title: wanted })
      if (own !== asked) return
      const newest = page.find((job) => matches(titleOf(job), wanted))
      if (newest !== undefined) return show(newest, wanted)
    }
    notice.warn(t('scanUnknown', { code: code.slice(0, 60) }), t('scanUnknownHint'))
  }

  /** @param {Job} job @param {string} wanted */
  function show(job, wanted) {
    notice.clear()
    location.hash = '#labels'
    filter.look(wanted)
    open(job)
  }
}

/** Lists the titles that a code may stand for, the likeliest first. @param {string} code */
function candidatesOf(code) {
  // The separator of GS1, and the signs around what an identifier is called, stand on no label.
  const plain = code.replace(/\p{Cc}|\]C1|\(\d{2,4}\)/gu, '')
  const ends = /^\d{20,}$/.test(plain) ? ENDS.filter((length) => length < plain.length) : []
  return [...new Set([code, plain, ...ends.map((length) => plain.slice(-length))])]
}
