import { cardButton, createCards } from './cards.js'
import { el } from './element.js'

/** @typedef {{ id: string, name: string, scopes: string[], created: string, last_used: string }} ApiKey */

/**
 * The keys with which programs ship: made, shown once, revoked.
 * @param {object} parts
 * @param {import('./admin.js').Admin} parts.admin
 * @param {import('./notice.js').Notice} parts.notice
 */
export function createApiKeys({ admin, notice }) {
  const list = el('ol', { class: 'cards', 'aria-label': 'API keys' })
  const name = el('input', { name: 'key-name', required: true, maxlength: 40, autocomplete: 'off' })
  const made = el('p', { class: 'facts', role: 'status' })
  const form = el(
    'form',
    {},
    el('label', { class: 'field' }, 'Name of the shop or program', name),
    el('button', { type: 'submit' }, 'Make a key'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    make().catch(notice.fault)
  })

  const cards = createCards(list, { keyOf: (/** @type {ApiKey} */ key) => key.id, draw: drawKey })

  async function look() {
    const keys = await admin.call('GET', '/shipping/keys')
    if (keys !== undefined) cards.update(keys)
  }

  async function make() {
    const key = await admin.call('POST', '/shipping/keys', { name: name.value.trim() })
    if (key === undefined) return
    name.value = ''
    made.replaceChildren(
      `The key of ${key.name}. Copy it now, it is not shown again: `,
      el('code', {}, key.key),
    )
    await look()
  }

  /** @param {string} which */
  async function revoke(which) {
    await admin.call('POST', `/shipping/keys/${encodeURIComponent(which)}/revoke`)
    notice.tell(`The key of ${which} is revoked.`, 'The program can no longer buy labels.')
    made.replaceChildren()
    await look()
  }

  /** @param {ApiKey} key */
  function drawKey(key) {
    const used = key.last_used === '' ? 'never used' : `last used ${key.last_used.slice(0, 10)}`
    return [
      el('div', { class: 'card-head' }, el('h3', {}, key.name)),
      el('p', { class: 'facts' }, `pk_${key.id}_… · made ${key.created.slice(0, 10)} · ${used}`),
      cardButton(
        'Revoke',
        `Revoke the key of ${key.name}`,
        () => revoke(key.name).catch(notice.fault),
        'plain danger',
      ),
    ]
  }

  const help =
    'A program needs a key to buy labels. Give each program its own, and keep keys out of web pages.'
  const element = el(
    'section',
    {},
    el('h2', {}, 'Keys for programs'),
    el('p', { class: 'help' }, help),
    list,
    form,
    made,
  )
  return { element, draw: (/** @type {ApiKey[]} */ keys) => cards.update(keys) }
}
