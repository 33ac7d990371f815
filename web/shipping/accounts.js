import { t } from '../shell/texts.js'
import { cardButton, createCards } from '../widgets/cards.js'
import { el } from '../widgets/element.js'

/** @typedef {{ name: string, carrier: string, fields: string[], fixed: boolean }} Account */
/** @typedef {{ name: string, title: string, secret: boolean, required: boolean }} Credential */

/**
 * The accounts of carriers that the box keeps, so that programs need none of their secrets.
 * @param {object} parts
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createAccounts({ api, admin, notice }) {
  const list = el('ol', { class: 'cards', 'aria-label': t('accounts') })
  const carrier = el('select', { name: 'account-carrier', required: true })
  const name = el('input', {
    name: 'account-name',
    required: true,
    maxlength: 40,
    autocomplete: 'off',
    pattern: '[A-Za-z0-9_][A-Za-z0-9_.\\-]*',
  })
  const credentials = el('div', { class: 'addresses' })
  const form = el(
    'form',
    {},
    el('label', { class: 'field' }, t('carrier'), carrier),
    el('label', { class: 'field' }, t('accountName'), name),
    credentials,
    el('button', { type: 'submit' }, t('saveAccount')),
  )
  const cards = createCards(list, { keyOf: (/** @type {Account} */ one) => one.name, draw })
  carrier.addEventListener('change', () => askFields().catch(notice.fault))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    save().catch(notice.fault)
  })
  const element = el(
    'details',
    {},
    el('summary', {}, el('h2', {}, t('accounts'))),
    el('p', { class: 'help' }, t('accountsHelp')),
    list,
    form,
  )
  element.addEventListener('toggle', () => {
    if (element.open && !credentials.hasChildNodes()) start().catch(notice.fault)
  })

  async function start() {
    const { carriers } = await api.call('GET', '/info')
    const others = carriers.filter((/** @type {{ name: string }} */ one) => one.name !== 'local')
    carrier.replaceChildren(
      ...others.map((/** @type {{ name: string, title: string }} */ one) =>
        el('option', { value: one.name }, one.title),
      ),
    )
    await Promise.all([askFields(), look()])
  }

  async function look() {
    const accounts = await admin.call('GET', '/shipping/accounts')
    if (accounts !== undefined) cards.update(accounts)
  }

  async function askFields() {
    const { value } = carrier
    // Those of another carrier would be saved for this one.
    credentials.replaceChildren()
    const found = await admin.call('GET', `/shipping/carriers/${encodeURIComponent(value)}`)
    if (found === undefined || carrier.value !== value) return
    credentials.replaceChildren(...found.credentials.map(drawField))
  }

  async function save() {
    const inputs = [...credentials.querySelectorAll('input')]
    const given = inputs.filter((one) => one.value !== '').map((one) => [one.name, one.value])
    const saved = await admin.call('PUT', `/shipping/accounts/${encodeURIComponent(name.value)}`, {
      carrier: carrier.value,
      credentials: Object.fromEntries(given),
    })
    if (saved === undefined) return
    notice.tell(t('accountSaved', { name: saved.name }), t('accountSavedHint'))
    for (const one of inputs) one.value = ''
    name.value = ''
    await look()
  }

  /** @param {string} which */
  async function remove(which) {
    const gone = await admin.call('DELETE', `/shipping/accounts/${encodeURIComponent(which)}`)
    if (gone === undefined) return
    notice.tell(t('accountRemoved', { name: which }), t('accountRemovedHint'))
    await look()
  }

  /** @param {Account} account */
  function draw({ name: which, carrier: whose, fields, fixed }) {
    const facts = [whose || t('anyCarrier'), t('secretsKept', { n: fields.length })]
    if (fixed) facts.push(t('setByService'))
    const button = cardButton(
      t('removeIt'),
      t('removeAccount', { name: which }),
      () => remove(which).catch(notice.fault),
      'plain danger',
    )
    return [
      el('div', { class: 'card-head' }, el('h3', {}, which)),
      el('p', { class: 'facts' }, facts.join(' · ')),
      ...(fixed ? [] : [button]),
    ]
  }

  return { element }
}

/** @param {Credential} credential */
function drawField({ name, title, secret, required }) {
  const words = required ? title : t('ifAny', { title })
  const type = secret ? 'password' : 'text'
  const input = el('input', { name, type, autocomplete: 'off', spellcheck: 'false' })
  return el('label', { class: 'field' }, words, input)
}
