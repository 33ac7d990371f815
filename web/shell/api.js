/** @import { Session } from './shapes.js' */

import { t, tell } from './texts.js'

/** The failure of a call, with a sentence and what to do; the server may have refused it or not answered. */
export class CallError extends Error {
  /**
   * @param {{ Message?: string, hint?: string, code?: string, texts?: import('./shapes.js').SaidTexts, plain?: { message: string, hint: string }, detail?: string, faults?: import('./shapes.js').Fault[] }} answer
   * @param {number} status 0 when nobody answered
   */
  constructor(answer, status) {
    const { texts, plain, Message, hint = '' } = answer
    super(tell(texts?.message, plain?.message || Message || t('serverAnswered', { status })))
    this.hint = tell(texts?.hint, plain?.hint ?? hint)
    /** Technical words, or ''. */
    this.detail = answer.detail ?? ''
    this.code = answer.code ?? ''
    this.faults = (answer.faults ?? []).map(({ key, message, plain: said, texts: keys }) => ({
      key,
      message: tell(keys, said ?? message),
    }))
    this.status = status
  }
}

const NOBODY = {
  Message: t('serverSilent'),
  hint: t('serverSilentHint'),
}

/** The error codes that a page with an old cookie or token gets. */
const STALE = ['ORIGIN_REFUSED', 'LOCAL_ONLY', 'LOGIN_NEEDED']

/**
 * The calls to the print server. The session gives the page its cookie, which reading needs, and the token that
 * changes carry; one that a restart made stale is fetched again, once, and the call made again.
 */
export function createApi() {
  /** @type {Promise<Session> | undefined} */
  let session

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body] sent as JSON; a file or a form as it is
   * @param {Record<string, string>} [headers]
   * @returns {Promise<any>}
   * @throws CallError
   */
  async function call(method, path, body, headers = {}) {
    const send = async () => {
      const { token } = await loadSession()
      if (method === 'GET') return await answer(path, { cache: 'no-store', headers })
      const own = { ...typeOf(body), Accept: 'application/json', 'X-Platen-Token': token }
      const isRaw = body instanceof Blob || body instanceof FormData
      const sent = isRaw ? body : JSON.stringify(body ?? {})
      return await answer(path, {
        method,
        headers: { ...own, ...headers },
        body: sent,
        // What was pressed is done though the page is left; browsers allow that for short bodies only.
        keepalive: typeof sent === 'string' && sent.length < 1_000,
      })
    }
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof CallError) || !STALE.includes(error.code)) throw error
      forgetSession()
      return await send()
    }
  }

  /** @returns {Promise<Session>} */
  function loadSession() {
    session ??= answer('/session', { cache: 'no-store' })
    session.catch(forgetSession)
    return session
  }

  function forgetSession() {
    session = undefined
  }

  return { call, loadSession, forgetSession }
}

/** @typedef {ReturnType<typeof createApi>} Api */

/** A form's own type comes with it. @param {unknown} body @returns {Record<string, string>} */
function typeOf(body) {
  if (body instanceof FormData) return {}
  const type = body instanceof Blob ? 'application/octet-stream' : 'application/json'
  return { 'Content-Type': type }
}

/**
 * @param {string} path
 * @param {RequestInit} init
 */
async function answer(path, init) {
  const response = await fetch(path, init).catch(() => {
    throw new CallError(NOBODY, 0)
  })
  const value = await response.json().catch(() => {
    // Broken off, or of something in between.
    if (response.ok) throw new CallError(NOBODY, 0)
    return {}
  })
  if (!response.ok) throw new CallError(value, response.status)
  return value
}
