/** @import { Job } from '../shell/shapes.js' */
import { hasPeers } from '../printers/peers.js'
import { t } from '../shell/texts.js'
import { hasEnded, isDuplicate, isInterrupted, isMoving, waitsForPrinter } from './words.js'

/**
 * An action of a person on a label.
 * @typedef {'cancel' | 'release' | 'printed' | 'again' | 'reprint' | 'elsewhere' | 'calibrate' | 'open'} Action
 */

/** @type {Record<Exclude<Action, 'open'>, string>} */
const BUTTONS = {
  printed: t('itCameOut'),
  again: t('printAgain'),
  release: t('release'),
  reprint: t('reprint'),
  elsewhere: t('otherPrinter'),
  calibrate: t('calibrate'),
  cancel: t('cancelThis'),
}

/** The button texts of a label that is held because it was printed before. */
const ANYWAY = /** @type {Record<string, string>} */ ({
  release: t('printAnyway'),
  cancel: t('doNotPrint'),
})

/**
 * The buttons for what can be done, as far as the page knows where to; none for what is done elsewhere on the page.
 * @type {Record<string, (job: Job, printers: string[]) => Exclude<Action, 'open'>[]>}
 */
const FOR_ACTION = {
  resolve: (job) => (isInterrupted(job) ? ['printed', 'again'] : []),
  release: (job, printers) => (printers.includes(job.printer) || isMoving(job) ? ['release'] : []),
  reprint: (job, printers) => [
    ...(printers.includes(job.printer) ? /** @type {const} */ (['reprint']) : []),
    ...elsewhere(job, printers),
  ],
  move: (job, printers) => {
    const isHeldHere = job.state === 'pending-held' && printers.includes(job.printer)
    const waits = job.state === 'pending-held' || waitsForPrinter(job)
    return waits && !isHeldHere ? elsewhere(job, printers) : []
  },
  calibrate: (job) => (hasEnded(job) ? ['calibrate'] : []),
  cancel: () => ['cancel'],
}

/**
 * The buttons of a label, the likeliest first.
 * @param {Job} job
 * @param {string[]} printers names of those that there are
 */
export function actionsFor(job, printers) {
  return job.actions.flatMap((action) => FOR_ACTION[action]?.(job, printers) ?? [])
}

/**
 * @param {Job} job
 * @param {string[]} printers
 * @returns {'elsewhere'[]} empty when there is no other printer
 */
function elsewhere(job, printers) {
  const isSome = printers.some((name) => name !== job.printer) || (!hasEnded(job) && hasPeers())
  return isSome ? ['elsewhere'] : []
}

/**
 * Returns the text of a button for this label.
 * @param {Exclude<Action, 'open'>} action
 * @param {Job} job
 * @param {string[]} printers
 */
export function buttonWords(action, job, printers) {
  if (action === 'release' && isMoving(job)) return t('printHere')
  const anyway = isDuplicate(job) ? ANYWAY[action] : undefined
  if (anyway !== undefined) return anyway
  if (action !== 'elsewhere' || hasEnded(job) || printers.includes(job.printer)) {
    return BUTTONS[action]
  }
  return job.printer === '' ? t('choosePrinter') : t('printOnOther')
}

/**
 * True of the button that most people will want.
 * @param {Exclude<Action, 'open'>} action
 * @param {Job} job
 */
export function isPrimary(action, job) {
  // Not one of the answers to "Did it come out?": the wrong one is a lost label, or a second one.
  if (action === 'release') return isDuplicate(job)
  return action === 'elsewhere' && job.state === 'pending-held'
}
