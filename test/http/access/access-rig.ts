import { Hono } from 'hono'
import { type AccessSettings, createAccess } from '../../../src/http/access/access.ts'
import { PlatenError } from '../../../src/words/errors.ts'

/** A request as one line of a table: who sends what. */
export interface Try {
  readonly method?: string
  readonly path: string
  readonly from?: string
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookie?: string
  readonly body?: string
  readonly scheme?: 'http' | 'https'
}

/** The names of a box that is called bench-3 and has one address. */
export const OWN_NAMES = ['bench-3', 'bench-3.local', '10.0.0.7', 'fe80::1']

/**
 * The checks of access with nothing behind them: what a request changes would be in the way of the next of many thousands.
 * access.test.ts holds the checks of the whole print server to their table.
 */
export function createRig(settings: Partial<AccessSettings> = {}) {
  const access = createAccess({
    config: () => ({}),
    ownNames: () => OWN_NAMES,
    version: '1.2.3',
    ...settings,
  })
  const app = new Hono()
  app.use('*', access.headers())
  app.use('*', access.guard())
  app.onError((error, c) =>
    error instanceof PlatenError
      ? c.json({ Status: 'Error', Message: error.message, code: error.code }, error.status)
      : c.text(String(error), 500),
  )
  app.get('/', access.read(), (c) => c.html('<h1>platen</h1>'))
  app.post('/', access.print(), async (c) => c.text(`printed ${await c.req.text()}`))
  app.post('/packlist', access.print(), (c) => c.json({ Status: 'OK', Message: '' }))
  app.get('/info', access.read(), (c) => c.json({ name: 'platen' }))
  app.get('/jobs', access.labels(), (c) => c.json([]))
  app.post('/jobs/1/cancel', access.labels(), async (c) => c.text(await c.req.text()))
  app.get('/printers/found', access.operate(), (c) => c.json([]))
  app.post('/printers/1/test', access.operate(), async (c) => c.text(await c.req.text()))
  app.get('/config', access.admin(), (c) => c.json({}))
  app.put('/config', access.admin(), (c) => c.json({}))
  app.get('/shutdown', access.shutdown(), (c) => c.json({ Status: 'OK', Message: '' }))
  app.route('/', access.routes())

  const send = (one: Try): ReturnType<typeof sendTo> => sendTo(app, one)

  /** Opens the box's own page: its cookie and the token. */
  async function openPage(host = 'localhost:8080', from = '127.0.0.1') {
    const { headers, text } = await send({ path: '/session', host, from })
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    return { cookie, token: (JSON.parse(text) as { token: string }).token }
  }

  return { app, access, send, openPage }
}

/** An app of Hono's, whatever it keeps for a request. */
interface Asked {
  request(url: string, init: RequestInit, env: object): Response | Promise<Response>
}

/** Sends a request as if a socket of `from` had brought it. */
export async function sendTo(app: Asked, one: Try) {
  const { method = 'GET', path, from = '127.0.0.1', host = 'localhost:8080' } = one
  const url = `${one.scheme ?? 'http'}://${host}${path}`
  const headers = { host, ...one.headers, ...(one.cookie ? { cookie: one.cookie } : {}) }
  const init = { method, headers, ...(one.body === undefined ? {} : { body: one.body }) }
  const answer = await app.request(url, init, { incoming: { socket: { remoteAddress: from } } })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** The failure code of an answer, `ok` when there is none. */
export function codeOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'code' in value
      ? String(value.code)
      : 'ok'
  } catch {
    return 'ok'
  }
}
