/** Pictures of raw labels, drawn in a thread of this page: no label leaves it for that, and the box does no work. */
import { t } from '../shell/texts.js'

/**
 * @typedef {object} PaperSize
 * @property {string} format the name of a printer language
 * @property {number | null} width_in of the printer's paper; null = what the label says, else 4x6 inches
 * @property {number | null} height_in
 * @property {number} dpi
 */

/** @typedef {{ url: string, warnings: string[], alarms: string[] }} Picture an object URL of a PNG, sentences for whoever looks at it, and those of them that tell of a label that will not do */

/** @typedef {{ id: number, png?: Blob, warnings?: import('../preview/draw.js').Warning[], isUnknown?: true, fault?: string, ready?: true }} Answer `isUnknown`: of a language that is not drawn */

const LIMIT_MS = 10_000 // of one label; a carrier's takes a tenth of a second
const START_MS = 60_000 // until the thread is there, over a slow network
const IDLE_MS = 60_000 // then it is ended
/** Nobody can scan, or read, what is so. @type {string[]} */
const ALARMS = ['fineBars', 'codeCut', 'beyondPaper']
const KEPT = 200 // pictures, some 10 KB each

const TOO_LONG = t('tooLong')
const NOT_DRAWN = t('notDrawn')

/** By label and size. @type {Map<string, Promise<Picture | undefined>>} */
const pictures = new Map()
/** Drawn one after the other. @type {Promise<unknown>} */
let line = Promise.resolve()
/** @type {{ worker: Worker, ready: Promise<void> } | undefined} */
let thread
/** @type {ReturnType<typeof setTimeout> | undefined} */
let idle
let orders = 0

/**
 * About how a raw label will look. The same label in the same size is drawn once.
 * @param {Uint8Array} bytes
 * @param {PaperSize} size
 * @returns {Promise<Picture | undefined>} undefined of a language that is not drawn
 * @throws Error whose message is a sentence for whoever waits
 */
export function drawLabel(bytes, size) {
  const key = [
    hash(bytes),
    bytes.length,
    size.format,
    size.width_in,
    size.height_in,
    size.dpi,
  ].join(' ')
  const known = pictures.get(key)
  const picture = known ?? queue(() => order(bytes, size))
  // The one that was looked at last is the last to be let go of.
  pictures.delete(key)
  pictures.set(key, picture)
  if (known === undefined) {
    picture.catch(() => pictures.delete(key))
    letGo()
  }
  return picture
}

/** FNV-1a: subtle hashes are missing on plain http pages. @param {Uint8Array} bytes */
function hash(bytes) {
  let value = 0x811c9dc5
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193)
  return value >>> 0
}

function letGo() {
  const [oldest] = pictures
  if (oldest === undefined || pictures.size <= KEPT) return
  pictures.delete(oldest[0])
  oldest[1].then(
    (picture) => picture && URL.revokeObjectURL(picture.url),
    () => undefined,
  )
}

/** @template T @param {() => Promise<T>} task @returns {Promise<T>} */
function queue(task) {
  const done = line.then(task)
  line = done.catch(() => undefined)
  return done
}

/** @param {Uint8Array} bytes @param {PaperSize} size @returns {Promise<Picture | undefined>} */
async function order(bytes, size) {
  clearTimeout(idle)
  const { worker, ready } = start()
  await within(START_MS, ready)
  const id = ++orders
  /** @type {Promise<Answer>} */
  const answered = new Promise((resolve) => {
    const listen = (/** @type {MessageEvent<Answer>} */ { data }) => {
      if (data.id !== id) return
      worker.removeEventListener('message', listen)
      resolve(data)
    }
    worker.addEventListener('message', listen)
  })
  worker.postMessage({ id, bytes, size })
  const { png, warnings = [], isUnknown } = await within(LIMIT_MS, answered)
  idle = setTimeout(end, IDLE_MS)
  if (isUnknown) return undefined
  if (png === undefined) throw new Error(NOT_DRAWN)
  return {
    url: URL.createObjectURL(png),
    warnings: warnings.map(({ key, values }) => t(key, values)),
    alarms: warnings.filter(({ key }) => ALARMS.includes(key)).map(({ key }) => t(key)),
  }
}

function start() {
  if (thread !== undefined) return thread
  const worker = new Worker('/web/preview/worker.js', { type: 'module' })
  /** @type {Promise<void>} */
  const ready = new Promise((resolve, reject) => {
    worker.addEventListener('message', () => resolve(), { once: true })
    worker.addEventListener('error', () => reject(new Error(NOT_DRAWN)), { once: true })
  })
  thread = { worker, ready }
  return thread
}

function end() {
  thread?.worker.terminate()
  thread = undefined
}

/** A thread that takes too long, or fails, is ended; the next label has a new one. @template T @param {number} ms @param {Promise<T>} work @returns {Promise<T>} */
async function within(ms, work) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(TOO_LONG)), ms)
  })
  try {
    return await /** @type {Promise<T>} */ (Promise.race([work, late]))
  } catch (error) {
    end()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
