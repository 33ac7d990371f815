import { timeWords } from '../labels/words.js'
import { t, tell } from '../shell/texts.js'
import { createDialog } from '../widgets/dialog.js'
import { drawDetails, el } from '../widgets/element.js'

/**
 * A paired box: `GET /peers`.
 * @typedef {object} Peer
 * @property {string} id
 * @property {string} name
 * @property {string} address
 * @property {string} message why it cannot be used now; '' = it answered
 * @property {string} hint
 * @property {string} [detail]
 * @property {import('../shell/shapes.js').SaidTexts} [texts]
 * @property {string | null} contact
 * @property {{ name: string }[]} printers
 */

/** The one dialog for pairing, however often the settings are opened: screen readers find its title by its id. */
const dialog = createDialog('pair-dialog')

/**
 * The boxes that are paired with this one, and what pairs one more.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function drawBoxes({ api, notice }) {
  const list = el('ul', { class: 'plain' })
  const section = el(
    'section',
    { class: 'panel boxes', id: 'group-boxes' },
    el('h2', {}, t('boxes')),
    el('p', { class: 'help' }, t('boxesHelp')),
    list,
    el(
      'div',
      { class: 'dialog-buttons' },
      el('button', { type: 'button', onclick: showCode }, t('showCode')),
      el('button', { type: 'button', onclick: openPairing }, t('pairBox')),
    ),
  )
  void look()
  return section

  async function look() {
    const answer = await api.call('GET', '/peers').catch(notice.fault)
    if (answer !== undefined) list.replaceChildren(...answer.peers.map(drawPeer))
  }

  /** @param {Peer} peer */
  function drawPeer({ id, name, address, message, hint, detail, texts, contact, printers }) {
    const names = printers.map((printer) => printer.name).join(', ')
    const last =
      contact === null ? '' : t('boxSeen', { time: timeWords(new Date(contact), new Date()) })
    const remove = () => call('POST', `/peers/${encodeURIComponent(id)}/remove`)
    return el(
      'li',
      {},
      el('strong', {}, name),
      el('p', { class: 'facts' }, [address, names, last].filter(Boolean).join(' · ')),
      message !== '' && el('p', { class: 'why' }, tell(texts?.message, message)),
      hint !== '' && el('p', { class: 'todo' }, tell(texts?.hint, hint)),
      drawDetails(detail),
      el('button', { type: 'button', onclick: remove }, t('removeBox', { name })),
    )
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  async function call(method, path, body = {}) {
    notice.clear()
    const answer = await api.call(method, path, body).catch(notice.fault)
    await look()
    return answer
  }

  async function showCode() {
    const answer = await call('POST', '/peers/code')
    if (answer === undefined) return
    dialog.open(
      t('showCode'),
      el('p', {}, t('codeHelp')),
      el('p', {}, el('strong', { class: 'pair-code' }, answer.code)),
    )
    // The other box is in the list once the code was typed there.
    dialog.dialog.addEventListener('close', () => void look(), { once: true })
  }

  async function openPairing() {
    const address = el('input', { name: 'address', required: true, placeholder: '192.168.1.7' })
    const code = el('input', { name: 'code', required: true, autocomplete: 'off' })
    const found = el('div', {}, t('lookingForBoxes'))
    /** @param {Event} event */
    const pair = async (event) => {
      event.preventDefault()
      dialog.close()
      const body = { address: address.value, code: code.value }
      const answer = await call('POST', '/peers', body)
      if (answer !== undefined) notice.tell(t('paired', { name: answer.peer.name }))
    }
    dialog.open(
      t('pairBox'),
      found,
      el(
        'form',
        { onsubmit: pair },
        el('label', {}, t('boxAddress'), address),
        el('label', {}, t('boxCode'), code),
        el('button', { type: 'submit', class: 'primary' }, t('pairBox')),
      ),
    )
    const answer = await api.call('POST', '/peers/find', {}).catch(() => undefined)
    /** @type {{ name: string, address: string, paired: boolean }[]} */
    const boxes = answer?.found ?? []
    const choices = boxes.map((box) => {
      const take = () => {
        address.value = box.address
        code.focus()
      }
      return el('button', { type: 'button', class: 'wide choice', onclick: take }, box.name)
    })
    found.replaceChildren(...(choices.length > 0 ? choices : [t('noBoxes')]))
  }
}
