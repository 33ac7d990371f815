/** @import { Job, Printer } from '../shell/shapes.js' */

import { t } from '../shell/texts.js'
import { el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { isRaw } from './words.js'

const MOST_BYTES = 4 * 2 ** 20 // the server gives no more

/** The caption of a picture that this page drew. */
export const ABOUT = t('aboutHow')

/** True when this page may draw the label: of a language that it does not know the picture is undefined. @param {Job} job */
export function isDrawnHere(job) {
  return job.has_label && isRaw(job.format) && job.bytes <= MOST_BYTES
}

/**
 * A file that is not printed yet, as that printer would print it; undefined where it is not a raw label, or of a
 * language that is not drawn.
 * @param {Blob} file
 * @param {string} format
 * @param {Printer | undefined} printer
 */
export async function drawFile(file, format, printer) {
  if (!isRaw(format) || file.size > MOST_BYTES) return undefined
  return await drawRaw(await file.arrayBuffer(), format, printer)
}

/**
 * @param {ArrayBuffer} bytes
 * @param {string} format
 * @param {Printer | undefined} printer
 */
async function drawRaw(bytes, format, printer) {
  const { drawLabel } = await import('./preview.js')
  return await drawLabel(new Uint8Array(bytes), {
    format,
    width_in: printer?.label_width ?? printer?.media?.label_width ?? null,
    height_in: printer?.label_height ?? printer?.media?.label_height ?? null,
    dpi: printer?.dpi || 203,
  })
}

/** The warnings about the pictures of labels, by id. @type {Map<string, string[]>} */
const alarms = new Map()

/** Makes the warnings for the card of a label that will not print as its picture shows. @param {Job} job */
export function drawAlarms({ id }) {
  return (alarms.get(id) ?? []).map((text) =>
    el('p', { class: 'alarm tone-warn' }, icon('warn'), el('span', {}, text)),
  )
}

/** The formats of labels drawn by the print server itself: their bar codes add nothing to their kind. */
const OWN = ['test', 'start', 'packlist']

/** True where the bar codes of its picture may say what it is called. @param {Job} job */
export function canBeNamed(job) {
  return !job.title && !OWN.includes(job.format)
}

/**
 * A label as its printer has it loaded.
 * @param {Job} job
 * @param {Printer | undefined} printer
 * @returns {Promise<import('./preview.js').Picture | undefined>} undefined of a language that is not drawn
 */
export async function drawJob(job, printer) {
  const own = job.secret === undefined ? '' : `?secret=${encodeURIComponent(job.secret)}`
  const response = await fetch(`/jobs/${encodeURIComponent(job.id)}/label.bin${own}`)
  if (!response.ok) throw new Error(t('serverAnswered', { status: response.status }))
  return await drawRaw(await response.arrayBuffer(), job.format, printer)
}

/**
 * Draws what has `data-draw`, the id of a job, once it is looked at, and reads the bar codes of pictures with
 * `data-name`.
 * @param {HTMLElement} list
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/api.js').Api} parts.api
 */
export function drawWhenSeen(list, { store, api }) {
  const name = createNaming({ store, api })
  /** Places that could not be drawn: tried again with the next change of the list. @type {Set<Element>} */
  const failed = new Set()
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue
        seen.unobserve(target)
        if (target instanceof HTMLImageElement) nameAfter(target)
        else void draw(target)
      }
    },
    { rootMargin: '200px' },
  )

  /** @param {HTMLImageElement} picture of a label without a name */
  function nameAfter(picture) {
    name(picture, picture.dataset['name'] ?? '')
    delete picture.dataset['name']
  }

  /** @param {HTMLElement} place that a picture takes the place of */
  async function draw(place) {
    const id = place.dataset['draw'] ?? ''
    const job = store.jobs.get(id)
    if (job === undefined) return // its card goes, too
    const drawn = await drawJob(job, store.printers.get(job.printer)).catch(() => {
      failed.add(place)
    })
    if (drawn === undefined) return
    const picture = el('img', { src: drawn.url, alt: '', title: ABOUT, width: 80, height: 120 })
    if (drawn.alarms.length > 0) alarms.set(id, drawn.alarms)
    place
      .closest('.job')
      ?.querySelector('.job-text')
      ?.append(...drawAlarms(job))
    place.replaceWith(picture)
    if (canBeNamed(job)) name(picture, id)
  }

  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes])
    const places = added.flatMap((node) => (node instanceof Element ? placesIn(node) : []))
    for (const place of [...places, ...failed]) seen.observe(place)
    failed.clear()
  }).observe(list, { childList: true, subtree: true })
}

/** @param {Element} node */
function placesIn(node) {
  const wanted = '[data-draw], [data-name]'
  return [...(node.matches(wanted) ? [node] : []), ...node.querySelectorAll(wanted)]
}

/**
 * Reads the bar codes of a label without a name and tells them to the server, which knows a tracking number by its check
 * digits and names the label for everybody. Each label once, one after the other; the picture never leaves the page.
 * @param {Pick<Parameters<typeof drawWhenSeen>[1], 'store' | 'api'>} parts
 */
function createNaming({ store, api }) {
  /** @type {Set<string>} */
  const asked = new Set()
  let line = Promise.resolve()

  /** @param {HTMLImageElement} picture @param {string} id */
  async function read(picture, id) {
    await picture.decode()
    const { readPicture } = await import('../preview/read-picture.js')
    const codes = readPicture(picture).slice(0, 20)
    if (codes.length === 0) return
    const answer = await api.call('POST', `/jobs/${encodeURIComponent(id)}/codes`, { codes })
    if (answer.job.title) store.putJob(answer.job)
  }

  /** @param {HTMLImageElement} picture @param {string} id */
  return (picture, id) => {
    if (asked.has(id) || store.isLocked()) return
    asked.add(id)
    // A label without a name is no fault.
    line = line.then(() => read(picture, id)).catch(() => undefined)
  }
}
