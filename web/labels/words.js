/** @import { Job, Printer, Words } from '../shell/shapes.js' */
import { language, t, tell } from '../shell/texts.js'

/**
 * Returns the message for a label that was sent off and whose card may be out of sight.
 * @param {string} what
 * @param {Printer | undefined} printer
 */
export function onItsWay(what, printer) {
  const values = { what, printer: printer?.name ?? t('thePrinter') }
  return printer?.state === 'stopped' ? t('waitsFor', values) : t('onItsWayTo', values)
}

/** A label that is ended, by how sure the print server is of the paper. */
const ENDS = {
  confirmed: { tone: 'good', icon: 'check', words: t('printed') },
  // Not green: nobody has seen its paper.
  sent: { tone: 'quiet', icon: 'sent', words: t('sent') },
  unknown: { tone: 'warn', icon: 'ask', words: t('perhaps') },
  none: { tone: 'quiet', icon: 'check', words: t('done') },
}

/**
 * Describes the state of a label in words; never the name of a state.
 * @param {Job} job
 * @returns {Words}
 */
export function jobWords(job) {
  const more = { why: messageOf(job), todo: tell(job.texts?.hint, job.hint) }
  switch (job.state) {
    case 'pending':
      if (waitsForPrinter(job)) {
        return { tone: 'warn', icon: 'warn', words: t('waitingPrinter'), ...more }
      }
      return { tone: 'wait', icon: 'wait', words: t('waitingTurn'), ...more }
    case 'pending-held':
      if (isInterrupted(job) && !isNoLabel(job)) {
        return { tone: 'warn', icon: 'ask', words: t('cameOut'), ...more }
      }
      if (isDuplicate(job)) {
        const question = { ...more, todo: t('sameAgainHint') }
        return { tone: 'warn', icon: 'ask', words: t('sameAgain'), ...question }
      }
      if (isNoLabel(job)) return { tone: 'warn', icon: 'warn', words: t('cannotPrint'), ...more }
      return { tone: 'warn', icon: 'wait', words: t('onHold'), ...more }
    case 'processing':
      return { tone: 'busy', icon: 'printer', words: t('printing'), ...more }
    case 'processing-stopped':
      return { tone: 'warn', icon: 'warn', words: t('printerHelp'), ...more }
    case 'aborted':
      return { tone: 'bad', icon: 'cross', words: t('didNotPrint'), ...more }
    case 'canceled':
      if (job.reasons.includes('job-canceled-after-timeout')) {
        return { tone: 'bad', icon: 'stop', words: t('tooLate'), ...more }
      }
      return { tone: 'quiet', icon: 'stop', words: t('canceled'), ...more }
    case 'completed':
      return /** @type {Words} */ ({ ...ENDS[job.delivery], ...withDoubt(job), ...more })
  }
}

/** @param {Job} job */
function messageOf({ texts, message }) {
  return tell(texts?.message, message)
}

/**
 * A label was sent, but something about it deserves a look.
 * @param {Job} job
 */
function withDoubt(job) {
  const isDoubtful = job.message !== '' && job.delivery !== 'confirmed' && !isQuiet(job)
  return isDoubtful ? { tone: 'warn', icon: 'warn' } : {}
}

/**
 * True when what is said of a label is worth knowing and nothing to do about: it holds commands for the printer itself.
 * @param {Job} job
 */
export function isQuiet({ reasons, hint, actions }) {
  if (!reasons.includes('platen-printer-command') || hint !== '') return false
  return !reasons.includes('platen-language-mismatch') && !actions.includes('calibrate')
}

/**
 * True when the label waits because the same one was printed a moment ago.
 * @param {Job} job
 */
export function isDuplicate(job) {
  return job.state === 'pending-held' && job.reasons.includes('platen-duplicate')
}

/**
 * True for what can never print: a message that is not a label, or a label whose end is missing.
 * @param {Job} job
 */
export function isNoLabel(job) {
  return job.format === 'unknown' || (job.state === 'pending-held' && job.code === 'LABEL_CUT')
}

/**
 * Tells how sure it is that a label is on paper.
 * @param {Job} job
 */
export function deliveryWords(job) {
  if (job.state !== 'completed') return ''
  if (job.delivery === 'sent') {
    return t('sentWords')
  }
  return job.delivery === 'confirmed' ? t('confirmedWords') : ''
}

/**
 * True when only a person can say whether this label is on paper.
 * @param {Job} job
 */
export function isInterrupted(job) {
  // Under `on_interrupt: reprint` it waits by itself, but may be behind a printer that waits for the person.
  const waits =
    job.state === 'pending-held' ||
    (job.state === 'pending' && job.reasons.includes('printer-stopped'))
  return waits && job.reasons.includes('platen-interrupted')
}

/**
 * True when nothing more will happen to the label by itself.
 * @param {Job} job
 */
export function hasEnded(job) {
  return ['completed', 'aborted', 'canceled'].includes(job.state)
}

/**
 * True when the label waits for a person.
 * @param {Job} job
 */
export function needsPerson(job) {
  return job.state === 'pending-held' || job.state === 'processing-stopped' || waitsForPrinter(job)
}

/**
 * True when the label can go to another printer instead of its own: no byte of it has left.
 * @param {Job} job
 */
export function canMove({ state, reasons }) {
  const waits = state === 'pending' || state === 'pending-held'
  return waits && !reasons.includes('platen-interrupted') && !reasons.includes('platen-moving')
}

/**
 * True while it is on its way to another box, which has not yet said whether it has it.
 * @param {Job} job
 */
export function isMoving({ state, reasons }) {
  return state === 'pending-held' && reasons.includes('platen-moving')
}

/**
 * Describes what became of a label while somebody chose another printer for it.
 * @param {Job} job
 * @returns {[message: string, hint: string]}
 */
export function whyNotMoved(job) {
  const { printer } = job
  switch (job.state) {
    case 'completed':
      return [t('printedMeanwhile', { printer }), t('anotherCopy')]
    case 'canceled':
      return [t('canceledMeanwhile'), messageOf(job)]
    case 'aborted':
      return [t('abortedMeanwhile'), messageOf(job)]
    case 'pending-held':
      return [t('cutMeanwhile', { printer }), tell(job.texts?.hint, job.hint)]
    default:
      return [t('printingMeanwhile', { printer }), t('anotherCopy')]
  }
}

/**
 * True when the label could be printed if its printer were in order.
 * @param {Job} job
 */
export function waitsForPrinter(job) {
  if (job.state !== 'pending') return false
  if (job.reasons.includes('printer-stopped')) return true
  // These have a sentence, too, but only wait their turn.
  return job.message !== '' && !job.reasons.some((reason) => REMARKS.has(reason))
}

/** The reasons that are about a label itself, not its printer. */
const REMARKS = new Set([
  'platen-interrupted',
  'platen-language-mismatch',
  'platen-printer-command',
])

const FORMATS = /** @type {Record<string, string>} */ ({
  pwg: t('dialogPage'),
  urf: t('dialogPage'),
  pdf: 'PDF',
  packlist: t('packList'),
  test: t('testLabel'),
  start: t('startLabel'),
  unknown: t('message'),
})

const PICTURES = ['png', 'jpeg', 'gif', 'tiff']

/**
 * @param {string} format
 * @returns {string} e.g. `PNG picture`, `ZPL label`
 */
export function formatWords(format) {
  const values = { format: format.toUpperCase() }
  const kind = PICTURES.includes(format) ? t('pictureOf', values) : t('labelOf', values)
  return FORMATS[format] ?? kind
}

/** True for a label of commands in a printer's language, and for nothing else that has a format. @param {string} format '' = not known */
export function isRaw(format) {
  return format !== '' && !PICTURES.includes(format) && FORMATS[format] === undefined
}

/**
 * Tells whether a label is in a language that a printer does not speak; a printer whose language is not known may speak it.
 * @param {string} format
 * @param {import('../shell/shapes.js').Printer} printer
 */
export function isOtherLanguage(format, { language }) {
  return language !== null && isRaw(format) && language !== format
}

/** @param {string} format @param {import('../shell/shapes.js').Printer} printer */
export function whyForeign(format, { name, language }) {
  const values = {
    format: format.toUpperCase(),
    printer: name,
    language: language?.toUpperCase() ?? '',
  }
  return t('printsOther', values)
}

/** The names of the places that labels come from. */
const SOURCES = /** @type {Record<string, string>} */ ({
  sqs: 'Amazon SQS',
  mqtt: 'MQTT',
  heartbeat: t('heartbeat'),
  shipping: t('shippingApi'),
  raw: 'TCP (raw)',
})

/**
 * Returns the place that a label came from, when that is worth a word.
 * @param {Job} job
 */
export function sourceWords(job) {
  if (job.reprint_of !== '') return t('printedAgain')
  if (['http', 'packlist', 'test', 'start'].includes(job.source)) return ''
  if (job.source === 'ipp') return t('from', { source: job.user || t('printDialog') })
  return t('from', { source: SOURCES[job.source] ?? job.source })
}

/**
 * @param {number} bytes
 * @returns {string} e.g. `812 bytes`, `41 KB`, `1.3 MB`
 */
export function sizeWords(bytes) {
  if (bytes < 1000) return t('bytes', { n: bytes })
  if (bytes < 1e6) return `${Math.round(bytes / 1000)} KB`
  return `${numberWords(bytes / 1e6, 1)} MB`
}

/**
 * With the comma or the point of the language.
 * @param {number} value
 * @param {number} digits behind it
 */
export function numberWords(value, digits) {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return value.toLocaleString(language, options)
}

// Made once, as each costs as much as the rest of a card. 24 hours, as in the sentences of the server.
const timeOfDay = new Intl.DateTimeFormat(language, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const dayAndMonth = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })

/**
 * The time of day; of another day with its date.
 * @param {Date} then
 * @param {Date} now
 */
export function timeWords(then, now) {
  const time = timeOfDay.format(then)
  if (then.toDateString() === now.toDateString()) return time
  return `${dayAndMonth.format(then)}, ${time}`
}
