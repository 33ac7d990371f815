import { type Context, Hono } from 'hono'
import { PlatenError } from '../../words/errors.ts'
import { type Calls, route } from '../call.ts'
import { ok, ref, text } from '../json-schema.ts'
import { explain, type Gatekeeper } from './gatekeeper.ts'
import type { GuessNotice } from './login-limit.ts'
import { FAILED_LOGINS } from './rules.ts'
import { dropCookie, readCookie, readSmallBody, type Sessions, writeCookie } from './session.ts'

/** The answer of `GET /session`, for the page. */
export interface SessionAnswer {
  readonly Status: 'OK'
  readonly Message: ''
  /** Goes back in `X-Platen-Token` with everything that changes something. */
  readonly token: string
  /** May change the settings. */
  readonly admin: boolean
  /** A login would help. */
  readonly loginNeeded: boolean
  /** May see the labels and move them. */
  readonly labels: boolean
  readonly version: string
  /** The box prints its start label when it is asked to; only the SD image does. */
  readonly startLabel: boolean
  /** A service manager starts the program again when it ends: its page may offer a restart. */
  readonly restarts: boolean
  /** Wrong passwords of the last hour, for clients that may change the settings. */
  readonly guesses: readonly GuessNotice[]
}

/** The facts of the server itself that the answers tell. */
type ServerFacts = Pick<SessionAnswer, 'version' | 'startLabel' | 'restarts'>

const TAG = 'The print server'

const form = () => ({
  'application/x-www-form-urlencoded': {
    type: 'object',
    properties: { username: text(), password: text(), token: text() },
  },
})
const session = () => [
  { status: 200, about: 'The session.', schema: ref('Session') },
  { status: 303, about: 'Back to the page.' },
]

/** The calls about the login and its rights. */
export const loginCalls = {
  getSession: {
    method: 'get',
    path: '/session',
    tag: TAG,
    summary: 'What whoever asks may do',
    answers: () => ok('The session.', ref('Session')),
  },
  logIn: {
    method: 'post',
    path: '/login',
    tag: TAG,
    summary: "Log in from the print server's own page",
    content: form,
    answers: session,
  },
  logOut: {
    method: 'post',
    path: '/logout',
    tag: TAG,
    summary: 'Log out',
    content: form,
    answers: session,
  },
} as const satisfies Calls

/** `GET /session`, `POST /login`, `POST /logout`. */
export function createLoginRoutes(gate: Gatekeeper, sessions: Sessions, about: ServerFacts): Hono {
  const app = new Hono()
  route(app, loginCalls.getSession, async (c) => {
    await gate.check(c, 'read')
    return c.json(await describeSession(c, gate, about))
  })
  route(app, loginCalls.logIn, async (c) => {
    const fields = await readPageForm(c, gate)
    const wanted = gate.credentials
    if (wanted === undefined) {
      throw new PlatenError('LOCAL_ONLY', 'No username and password are set, so nobody can log in.')
    }
    const given = { username: fields.get('username') ?? '', password: fields.get('password') ?? '' }
    const failed = FAILED_LOGINS[gate.tryLogin(c, given, wanted)]
    if (failed !== undefined) throw explain(c, failed)
    closeSession(c, sessions)
    writeCookie(c, 'login', sessions.open(), sessions.lifeSeconds)
    return answer(c, describe(c, gate, about, { admin: true, loginNeeded: false, labels: true }))
  })
  route(app, loginCalls.logOut, async (c) => {
    await readPageForm(c, gate)
    closeSession(c, sessions)
    dropCookie(c, 'login')
    const loginNeeded = gate.credentials !== undefined
    const labels = gate.mayStillRead(c, 'labels')
    return answer(c, describe(c, gate, about, { admin: !loginNeeded, loginNeeded, labels }))
  })
  return app
}

async function describeSession(
  c: Context,
  gate: Gatekeeper,
  about: ServerFacts,
): Promise<SessionAnswer> {
  const refusal = await gate.judge(c, 'admin')
  const loginNeeded = refusal !== undefined && gate.credentials !== undefined
  const labels = (await gate.judge(c, 'labels')) === undefined
  return describe(c, gate, about, { admin: refusal === undefined, loginNeeded, labels })
}

function describe(
  c: Context,
  gate: Gatekeeper,
  about: ServerFacts,
  may: Pick<SessionAnswer, 'admin' | 'loginNeeded' | 'labels'>,
): SessionAnswer {
  const guesses = may.admin ? gate.guesses : []
  return { Status: 'OK', Message: '', token: gate.openPage(c), ...may, ...about, guesses }
}

/** A login form, too, must come from the box's own page: else a foreign one could log a victim in as somebody else. */
async function readPageForm(c: Context, gate: Gatekeeper): Promise<ReadonlyMap<string, string>> {
  await gate.check(c, 'read')
  const fields = await readSmallBody(c, gate.formMs)
  if (gate.hasPageToken(c, c.req.header('x-platen-token') ?? fields.get('token'))) return fields
  throw explain(c, { code: 'ORIGIN_REFUSED', why: 'token' })
}

function closeSession(c: Context, sessions: Sessions): void {
  const cookie = readCookie(c, 'login')
  if (cookie !== undefined) sessions.close(cookie)
}

/** JSON for the page's script; a browser that sent the form itself goes back to the page. */
function answer(c: Context, session: SessionAnswer): Response {
  const wantsPage = c.req.header('accept')?.startsWith('text/html') === true
  return wantsPage ? c.redirect('/', 303) : c.json(session)
}
