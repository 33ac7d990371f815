/** @import { Job } from '../shell/shapes.js' */
import { hasPeers } from '../printers/peers.js'
import { t } from '../shell/texts.js'
import {
  hasEnded,
  isDuplicate,
  isInterrupted,
  isMoving,
  isNoLabel,
  waitsForPrinter,
} from './words.js'

/**
 * What a person can do with a label.
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

/** What the buttons of a label say that is held because it was printed before. */
const ANYWAY = /** @type {Record<string, string>} */ ({
  release: t('printAnyway'),
  cancel: t('doNotPrint'),
})

/**
 * What can be done with a label now, the likeliest first.
 * @param {Job} job
 * @param {string[]} printers names of those that there are
 * @returns {Exclude<Action, 'open'>[]}
 */
export function actionsFor(job, printers) {
  if (isNoLabel(job)) return hasEnded(job) ? [] : ['cancel']
  if (isInterrupted(job)) return ['printed', 'again', 'cancel']
  if (hasEnded(job)) return actionsAfter(job, printers)
  if (isMoving(job)) return ['release', 'cancel']
  if (job.state === 'pending-held' && printers.includes(job.printer)) return ['release', 'cancel']
  const waits = job.state === 'pending-held' || waitsForPrinter(job)
  return waits ? [...elsewhere(job, printers), 'cancel'] : ['cancel']
}

/**
 * @param {Job} job
 * @param {string[]} printers
 * @returns {Exclude<Action, 'open'>[]}
 */
function actionsAfter(job, printers) {
  /** @type {Exclude<Action, 'open'>[]} */
  const more = job.message.includes('"Calibrate"') ? ['calibrate'] : []
  // A start label shows the PIN: the printers' tab prints a new one.
  if (!job.has_label || job.format === 'start') return more
  /** @type {Exclude<Action, 'open'>[]} */
  const again = printers.includes(job.printer) ? ['reprint'] : []
  return [...again, ...elsewhere(job, printers), ...more]
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
 * What a button says of this label.
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
