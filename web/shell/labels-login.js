import { byId } from '../widgets/element.js'
import { createLoginForm } from './login-form.js'
import { loadStyles } from './styles.js'
import { t } from './texts.js'

/**
 * The login in place of the list of labels, while only who is logged in may see them.
 * @param {object} parts
 * @param {import('./api.js').Api} parts.api
 * @param {import('./store.js').Store} parts.store
 */
export function createLabelsLogin({ api, store }) {
  const place = byId('jobs-login')
  store.onLock(async () => {
    place.hidden = !store.isLocked()
    byId('jobs').hidden = store.isLocked()
    place.replaceChildren()
    await loadStyles('forms.css')
    if (!store.isLocked()) return
    const title = t('loginLabels')
    place.replaceChildren(createLoginForm({ api, title, onLogin: () => undefined }).element)
  })
}
