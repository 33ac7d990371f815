import { t } from '../shell/texts.js'
import { cardButton, createCards } from '../widgets/cards.js'
import { el } from '../widgets/element.js'

/** @typedef {{ id: string, name: string, scopes: string[], created: string, last_used: string }} ApiKey */

/**
 * The keys with which programs ship: made, shown once, revoked.
 * @param {object} parts
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createApiKeys({ admin, notice }) {
  const list = el('ol', { class: 'cards', 'aria-label': t('keys') })
  const name = el('input', { name: 'key-name', required: true, maxlength: 40, autocomplete: 'off' })
  const made = el('p', { class: 'facts', role: 'status' })
  const form = el(
    'form',
    {},
    el('label', { class: 'field' }, t('keyName'), name),
    el('button', { type: 'submit' }, t('makeKey')),
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
    made.replaceChildren(`${t('keyMade', { name: key.name })} `, el('code', {}, key.key))
    await look()
  }

  /** @param {string} which */
  async function revoke(which) {
    const gone = await admin.call('POST', `/shipping/keys/${encodeURIComponent(which)}/revoke`)
    if (gone === undefined) return
    notice.tell(t('keyRevoked', { name: which }), t('keyRevokedHint'))
    made.replaceChildren()
    await look()
  }

  /** @param {ApiKey} key */
  function drawKey(key) {
    const used =
      key.last_used === '' ? t('neverUsed') : t('lastUsed', { day: key.last_used.slice(0, 10) })
    const made = t('madeOn', { day: key.created.slice(0, 10) })
    return [
      el('div', { class: 'card-head' }, el('h3', {}, key.name)),
      el('p', { class: 'facts' }, [`pk_${key.id}_…`, made, used].join(' · ')),
      cardButton(
        t('revoke'),
        t('revokeOf', { name: key.name }),
        () => revoke(key.name).catch(notice.fault),
        'plain danger',
      ),
    ]
  }

  const element = el(
    'section',
    {},
    el('h2', {}, t('keysTitle')),
    el('p', { class: 'help' }, t('keysHelp')),
    list,
    form,
    made,
  )
  return { element, draw: (/** @type {ApiKey[]} */ keys) => cards.update(keys) }
}
