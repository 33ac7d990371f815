/** @import { Job, Printer } from '../shell/shapes.js' */

import { actionsFor, buttonWords } from '../labels/job-buttons.js'
import { nameOf, previewOf, titleOf } from '../labels/job-card.js'
import { ABOUT, drawJob, isDrawnHere } from '../labels/label-pictures.js'
import {
  deliveryWords,
  formatWords,
  isOtherLanguage,
  jobWords,
  sizeWords,
  sourceWords,
  whyForeign,
} from '../labels/words.js'
import { printerWords } from '../printers/printer-words.js'
import { language, t, tell } from '../shell/texts.js'
import { createDialog } from './dialog.js'
import { el } from './element.js'
import { icon } from './icons.js'

/**
 * A label in the large: its picture as it was printed, or what a raw label begins with, what happened to it, and what
 * can be done.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {import('../shell/store.js').Store} parts.store
 * @param {(action: import('../labels/job-buttons.js').Action, job: Job) => void} parts.act
 */
export function createLabelDialog({ api, notice, store, act }) {
  const dialog = createDialog('label-dialog', 'label-dialog')
  /** The number of labels asked for so far; only the last one counts. */
  let asked = 0

  /** @param {Job} job */
  async function drawLabel(job) {
    if (job.has_preview) {
      return [
        el('img', { src: previewOf(job), alt: t('asPrinted', { name: nameOf(job) }) }),
        el('p', { class: 'facts' }, t('asPrintedShort')),
      ]
    }
    if (!job.has_label) return [el('p', {}, t('noLabelKept'))]
    const label = await api.call('GET', `/jobs/${encodeURIComponent(job.id)}/label`)
    const values = { format: formatWords(label.format), size: sizeWords(label.bytes) }
    return [
      ...(isDrawnHere(job) ? [drawnHere(job)] : []),
      el('p', {}, t('beginsWith', values)),
      el('pre', { tabindex: 0 }, label.lines.join('\n')),
    ]
  }

  /** The picture comes when it is drawn. @param {Job} job */
  function drawnHere(job) {
    const caption = el('p', { class: 'facts' }, t('beingDrawn'))
    const figure = el('div', { class: 'drawn-label' }, caption)
    drawJob(job, store.printers.get(job.printer)).then(
      (drawn) => {
        if (drawn === undefined) return figure.remove()
        const { url, warnings } = drawn
        figure.prepend(el('img', { src: url, alt: t('aboutOf', { name: nameOf(job) }) }))
        caption.textContent = ABOUT
        figure.append(...warnings.map((warning) => el('p', { class: 'why' }, warning)))
      },
      (error) => {
        caption.textContent = error.message
      },
    )
    return figure
  }

  /** @param {Job} job */
  function drawButtons(job) {
    const names = [...store.printers.keys()]
    const buttons = actionsFor(job, names).map((action) => {
      const onclick = () => {
        dialog.close()
        // As it is now, but the attempt that is answered for is the one that was seen here.
        act(action, { ...(store.jobs.get(job.id) ?? job), attempts: job.attempts })
      }
      return el('button', { type: 'button', onclick }, buttonWords(action, job, names))
    })
    return el('div', { class: 'dialog-buttons' }, ...buttons)
  }

  return {
    /** @param {Job} job */
    async open(job) {
      /** @type {Record<string, string>} */
      const own = job.secret === undefined ? {} : { 'X-Platen-Job-Secret': job.secret }
      const path = `/jobs/${encodeURIComponent(job.id)}`
      asked += 1
      const turn = asked
      const whole = api.call('GET', path, undefined, own).catch(() => job)
      await Promise.all([drawLabel(job), whole]).then(([content, facts]) => {
        if (turn !== asked) return
        const { tone, words, icon: sign } = jobWords(job)
        dialog.open(
          job.title ? titleOf(job) : nameOf(job),
          el('p', { class: `state pill tone-${tone}` }, icon(sign), words),
          el('p', {}, deliveryWords(job)),
          drawButtons(job),
          el('div', { class: 'label-picture' }, ...content),
          drawFacts({ ...job, ...facts }),
        )
      }, notice.fault)
    },
  }
}

/** Draws the history of a label with the times, and its source. @param {Job} job */
function drawFacts(job) {
  const steps = (job.history ?? []).map(({ at, state, reasons }) => {
    const step = { ...job, state, reasons, message: '', hint: '' }
    return [fullTime(at), jobWords(step).words]
  })
  const ends = [
    [fullTime(job.created), t('received')],
    [fullTime(job.started), t('begun')],
    [fullTime(job.ended), t('ended')],
  ]
  const facts = [
    [t('printer'), job.printer],
    [t('size'), `${formatWords(job.format)}, ${sizeWords(job.bytes)}`],
    [t('cameFrom'), sourceWords(job) || t('thisPage')],
    [t('details'), job.detail],
    ...(job.attempts > 1 ? [[t('attempts'), String(job.attempts)]] : []),
  ]
  const rows = [...(steps.length > 0 ? steps : ends), ...facts].filter(([, what]) => what)
  return el(
    'dl',
    { class: 'job-facts', 'aria-label': t('history') },
    ...rows
      .filter(([when]) => when !== '')
      .flatMap(([name = '', value = '']) => [el('dt', {}, name), el('dd', {}, value)]),
  )
}

/** @param {string | null | undefined} when */
function fullTime(when) {
  if (!when) return ''
  return new Date(when).toLocaleString(language, { hourCycle: 'h23' })
}

/** Asks on which printer. @param {string} [id] */
export function createPrinterChoice(id = 'choose-dialog') {
  const dialog = createDialog(id, 'choices')
  /** The number of questions so far: a late answer belongs to its own question. */
  let asked = 0

  /**
   * @param {Iterable<Printer>} printers
   * @param {(name: string) => void} choose
   * @param {{ title?: string, formats?: string[] }} [how] `formats` of the labels: a printer that prints none of them cannot be chosen
   * @returns {typeof add} for printers of paired boxes, once they are known
   */
  function open(printers, choose, { title = t('printItOn'), formats = [] } = {}) {
    asked += 1
    const own = asked
    const buttons = [...printers].map((printer) => {
      const { tone, words, icon: sign } = printerWords(printer)
      const pick = () => {
        dialog.close()
        choose(printer.name)
      }
      const isForeign =
        formats.length > 0 && formats.every((format) => isOtherLanguage(format, printer))
      return el(
        'button',
        { type: 'button', class: 'wide choice', onclick: pick, disabled: isForeign },
        el('strong', {}, printer.name),
        isForeign
          ? el(
              'span',
              { class: 'state tone-quiet' },
              icon('stop'),
              whyForeign(formats[0] ?? '', printer),
            )
          : el('span', { class: `state tone-${tone}` }, icon(sign), words),
      )
    })
    dialog.open(title, ...buttons)
    return (others, take) => {
      if (own === asked) add(others, take)
    }
  }

  /**
   * @param {import('../printers/peers.js').PeerPrinter[]} printers
   * @param {(printer: import('../printers/peers.js').PeerPrinter) => void} choose
   */
  function add(printers, choose) {
    if (!dialog.dialog.open) return
    const buttons = printers.map((printer) => {
      const pick = () => {
        dialog.close()
        choose(printer)
      }
      return el(
        'button',
        { type: 'button', class: 'wide choice', onclick: pick },
        el('strong', {}, printer.name),
        el('span', {}, onBox(printer)),
      )
    })
    dialog.body.append(...buttons)
  }

  return { open, close: dialog.close, isOpen: () => dialog.dialog.open }
}

/** Describes the place and the state of a printer of another box. @param {import('../printers/peers.js').PeerPrinter} printer */
function onBox({ boxName, texts, message }) {
  return [t('onBox', { box: boxName }), tell(texts?.message, message)].join(' ').trim()
}
