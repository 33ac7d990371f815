/** @import { Job, Printer } from './shapes.js' */
import { el } from './element.js'
import { t } from './texts.js'

const DRAWN = ['zpl', 'epl', 'tspl']
const MOST_BYTES = 4 * 2 ** 20 // the server gives no more

/** What is said of a picture that this page drew, and of one that the printer got. */
export const ABOUT = t('aboutHow')

/** True when this page can draw the label. @param {Job} job */
export function isDrawnHere(job) {
  return job.has_label && DRAWN.includes(job.format) && job.bytes <= MOST_BYTES
}

/**
 * A label as its printer has it loaded.
 * @param {Job} job
 * @param {Printer | undefined} printer
 * @returns {Promise<import('./preview.js').Picture>}
 */
export async function drawJob(job, printer) {
  const own = job.secret === undefined ? '' : `?secret=${encodeURIComponent(job.secret)}`
  const [{ drawLabel }, response] = await Promise.all([
    import('./preview.js'),
    fetch(`/jobs/${encodeURIComponent(job.id)}/label.bin${own}`),
  ])
  if (!response.ok) throw new Error(t('serverAnswered', { status: response.status }))
  return await drawLabel(new Uint8Array(await response.arrayBuffer()), {
    format: job.format,
    width_in: printer?.label_width ?? printer?.media?.label_width ?? null,
    height_in: printer?.label_height ?? printer?.media?.label_height ?? null,
    dpi: printer?.dpi || 203,
  })
}

/**
 * Draws what has `data-draw`, the id of a job, once it is looked at.
 * @param {HTMLElement} list
 * @param {import('./store.js').Store} store
 */
export function drawWhenSeen(list, store) {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue
        seen.unobserve(target)
        void draw(target)
      }
    },
    { rootMargin: '200px' },
  )

  /** @param {HTMLElement} place that a picture takes the place of */
  async function draw(place) {
    const id = place.dataset['draw'] ?? ''
    const job = store.jobs.get(id)
    if (job === undefined) return
    const drawn = await drawJob(job, store.printers.get(job.printer)).catch(() => undefined)
    if (drawn === undefined) return
    place.replaceWith(el('img', { src: drawn.url, alt: '', title: ABOUT, width: 80, height: 120 }))
  }

  new MutationObserver(() => {
    for (const place of list.querySelectorAll('[data-draw]')) seen.observe(place)
  }).observe(list, { childList: true, subtree: true })
}
