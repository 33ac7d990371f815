/** @import { Job, Printer, Words } from './shapes.js' */

/**
 * What to say when a label was sent off and its card may be out of sight.
 * @param {string} what
 * @param {Printer | undefined} printer
 */
export function onItsWay(what, printer) {
  const name = printer?.name ?? 'the printer'
  return printer?.state === 'stopped'
    ? `${what} waits for ${name}.`
    : `${what} is on its way to ${name}.`
}

/** A label that is ended, by how sure the print server is of the paper. */
const ENDS = {
  confirmed: { tone: 'good', icon: 'check', words: 'Printed' },
  sent: { tone: 'good', icon: 'sent', words: 'Sent to the printer' },
  unknown: { tone: 'warn', icon: 'ask', words: 'Perhaps printed' },
  none: { tone: 'good', icon: 'check', words: 'Done' },
}

/**
 * What became of a label, in words; never the name of a state.
 * @param {Job} job
 * @returns {Words}
 */
export function jobWords(job) {
  const more = { why: job.message, todo: job.hint }
  switch (job.state) {
    case 'pending':
      if (waitsForPrinter(job)) {
        return { tone: 'warn', icon: 'warn', words: 'Waiting for the printer', ...more }
      }
      return { tone: 'wait', icon: 'wait', words: 'Waiting its turn', ...more }
    case 'pending-held':
      if (isInterrupted(job) && !isNoLabel(job)) {
        return { tone: 'warn', icon: 'ask', words: 'Did it come out?', ...more }
      }
      if (isDuplicate(job)) {
        const question = { ...more, todo: 'Does it need to be printed again?' }
        return { tone: 'warn', icon: 'ask', words: 'Same label again', ...question }
      }
      if (isNoLabel(job)) return { tone: 'warn', icon: 'warn', words: 'Cannot be printed', ...more }
      return { tone: 'warn', icon: 'wait', words: 'On hold', ...more }
    case 'processing':
      return { tone: 'busy', icon: 'printer', words: 'Printing', ...more }
    case 'processing-stopped':
      return { tone: 'warn', icon: 'warn', words: 'Printer needs help', ...more }
    case 'aborted':
      return { tone: 'bad', icon: 'cross', words: 'Did not print', ...more }
    case 'canceled':
      if (job.reasons.includes('job-canceled-after-timeout')) {
        return { tone: 'bad', icon: 'stop', words: 'Too late, not printed', ...more }
      }
      return { tone: 'quiet', icon: 'stop', words: 'Canceled', ...more }
    case 'completed':
      return /** @type {Words} */ ({ ...ENDS[job.delivery], ...withDoubt(job), ...more })
  }
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
export function isQuiet({ reasons, message, hint }) {
  if (!reasons.includes('platen-printer-command') || hint !== '') return false
  return !reasons.includes('platen-language-mismatch') && !message.includes('"Calibrate"')
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
 * How sure it is that a label is on paper.
 * @param {Job} job
 */
export function deliveryWords(job) {
  if (job.state !== 'completed') return ''
  if (job.delivery === 'sent') {
    return 'The printer took the whole label; it cannot say whether it came out.'
  }
  return job.delivery === 'confirmed' ? 'It came out: the printer or a person said so.' : ''
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
  return waits && !reasons.includes('platen-interrupted')
}

/**
 * What became of a label while somebody chose another printer for it.
 * @param {Job} job
 * @returns {[message: string, hint: string]}
 */
export function whyNotMoved(job) {
  const again = 'Print it again on another printer if you want another copy.'
  switch (job.state) {
    case 'completed':
      return [`The label has been printed on ${job.printer} meanwhile.`, again]
    case 'canceled':
      return ['The label was canceled meanwhile.', job.message]
    case 'aborted':
      return ['The label was given up meanwhile.', job.message]
    case 'pending-held':
      return [`The label was cut off on ${job.printer} meanwhile.`, job.hint]
    default:
      return [`The label is being printed on ${job.printer} now.`, again]
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

/** What is said of a label itself, not of its printer. */
const REMARKS = new Set([
  'platen-interrupted',
  'platen-language-mismatch',
  'platen-printer-command',
])

const FORMATS = {
  png: 'PNG picture',
  jpeg: 'JPEG picture',
  gif: 'GIF picture',
  tiff: 'TIFF picture',
  pwg: 'Print dialog page',
  urf: 'Print dialog page',
  pdf: 'PDF',
  packlist: 'Pack list',
  test: 'Test label',
  start: 'Start label',
  unknown: 'Message',
}

/**
 * @param {string} format
 * @returns {string} e.g. `PNG picture`, `ZPL label`
 */
export function formatWords(format) {
  return FORMATS[/** @type {keyof typeof FORMATS} */ (format)] ?? `${format.toUpperCase()} label`
}

/** What people call where labels come from. */
const SOURCES = /** @type {Record<string, string>} */ ({
  sqs: 'Amazon SQS',
  mqtt: 'MQTT',
  heartbeat: 'the heartbeat',
  shipping: 'the shipping API',
})

/**
 * Where a label came from, when that is worth a word.
 * @param {Job} job
 */
export function sourceWords(job) {
  if (job.reprint_of !== '') return 'printed again'
  if (['http', 'packlist', 'test', 'start'].includes(job.source)) return ''
  if (job.source === 'ipp') return `from ${job.user || 'a print dialog'}`
  return `from ${SOURCES[job.source] ?? job.source}`
}

/**
 * @param {number} bytes
 * @returns {string} e.g. `812 bytes`, `41 KB`, `1.3 MB`
 */
export function sizeWords(bytes) {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1e6) return `${Math.round(bytes / 1000)} KB`
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/**
 * The time of day; of another day with its date.
 * @param {Date} then
 * @param {Date} now
 */
export function timeWords(then, now) {
  const time = then.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  if (then.toDateString() === now.toDateString()) return time
  return `${then.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`
}
