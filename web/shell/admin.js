import { createDialog } from '../widgets/dialog.js'
import { CallError } from './api.js'
import { createLoginForm } from './login-form.js'
import { t } from './texts.js'

/**
 * Calls that only the admin may make: where the server wants a login it is asked for, and the call made again.
 * @param {import('./api.js').Api} api
 */
export function createAdmin(api) {
  const dialog = createDialog('login-dialog')
  /** The open question, shared by all calls that wait for it. @type {Promise<boolean> | undefined} */
  let asking

  /** @returns {Promise<boolean>} false when the person gave up */
  function logIn() {
    return new Promise((resolve) => {
      let isIn = false
      const login = createLoginForm({
        api,
        title: t('loginAdmin'),
        onLeave: dialog.close,
        onLogin() {
          isIn = true
          dialog.close()
        },
      })
      dialog.dialog.addEventListener('close', () => resolve(isIn), { once: true })
      dialog.open(t('logIn'), login.element)
      login.focus()
    })
  }

  return {
    /**
     * @param {string} method
     * @param {string} path
     * @param {unknown} [body]
     * @returns {Promise<any>} undefined when the person did not log in
     * @throws CallError
     */
    async call(method, path, body) {
      try {
        return await api.call(method, path, body)
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== 'LOGIN_NEEDED') throw error
        asking ??= logIn().finally(() => {
          asking = undefined
        })
        return (await asking) ? await api.call(method, path, body) : undefined
      }
    },
  }
}

/** @typedef {ReturnType<typeof createAdmin>} Admin */
