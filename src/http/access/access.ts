import { createHash, randomBytes } from 'node:crypto'
import type { Context, Hono, MiddlewareHandler, Next } from 'hono'
import type { KeySender } from '../../core/intake/requests.ts'
import { PlatenError } from '../../words/errors.ts'
import { boundsWith, type HttpBounds } from '../bounds.ts'
import { findSender, listOwnNames, parseHost, type Sender } from './addresses.ts'
import { type AccessConfig, Gatekeeper } from './gatekeeper.ts'
import { createLoginRoutes } from './login.ts'
import { Guesses, LoginLimit } from './login-limit.ts'
import {
  answerPreflight,
  type CrossSiteUse,
  checkNamedOrigin,
  checkPrintOrigin,
  createPageTokens,
  createSign,
  hasJobSecret,
  isFollowable,
  isForShops,
  isNamedReader,
  jobSecretOf,
  judgeSite,
  readTraces,
  setCorsHeaders,
} from './origin.ts'
import type { Rule } from './rules.ts'
import { type Permit, Permits, Sessions, setSecurityHeaders } from './session.ts'

/**
 * Paths where labels come in, and where a page asks whether it may send some: the only calls that a foreign page may make,
 * under any name of the box.
 */
const PRINT_PATHS: ReadonlySet<string> = new Set(['/', '/packlist', '/can-print'])

/** The script that any page may include: it holds no secret, and tells of the browser only. */
const SHOP_SCRIPT = '/can-print.js'

/** Paths whose calls show an API key: those of scripts as well, of sites that `allowed_origins` names. */
export interface KeyedPaths {
  owns(path: string): boolean
  /** The use that other pages may not make of it, for messages: `print`. */
  readonly use: string
}

const GUESS_HINT =
  'Somebody mistyped the password or is guessing it. One line covers one hour of this address.'

/** Settings of `createAccess`. */
export interface AccessSettings {
  readonly config: () => AccessConfig
  /** Names and addresses of the machine now; asked for each request that names neither localhost nor a configured name. */
  readonly ownNames?: () => readonly string[]
  /** Further names by which parts of the program are reached; none when left out. */
  readonly furtherNames?: () => readonly string[]
  /** Signs the page's cookie: 32 bytes of `loadSecret`, so that open pages survive a restart; generated when left out. */
  readonly secret?: Uint8Array
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number
  /** For tests; defaults apply to the rest. */
  readonly bounds?: Partial<HttpBounds>
  /** For `GET /session`. */
  readonly version?: string
  /** For `GET /session`: there is a start label to print. */
  readonly startLabel?: boolean
  /** For `GET /session`: shutting down only restarts the program. */
  readonly restarts?: boolean
  /** Subscribes to changes of the configuration: sessions of former credentials end at once. */
  readonly onConfigChange?: (listener: () => void) => void
  /** Paths that are behind `keyed`; none when left out. */
  readonly keyed?: readonly KeyedPaths[]
  /** True for paths to which programs may POST under any name; their routes are behind `program`. Left out: there are none. */
  readonly takesAnyName?: ((path: string) => boolean) | undefined
  /** For the first wrong password of each address and hour. */
  readonly log?: { warn(fields: object, event: string): void }
}

/** Access control as middlewares: one for each row of the table in docs/security.md. */
export interface Access {
  /** The first middleware, for every path: security headers on every answer, the page's cookie on every page. */
  headers(): MiddlewareHandler
  /** Second, for every path: the Host check before any routing (printing apart), and the preflights of printing. */
  guard(): MiddlewareHandler
  /** `POST /`, `POST /packlist`: any client; a page only as `allowed_origins` says. */
  print(): MiddlewareHandler
  /** Calls that only programs make, under any name of the box where `takesAnyName` says so: any program; never a web page. */
  program(): MiddlewareHandler
  /**
   * Calls that show an API key: any program that names the box by its own name; a page only when `allowed_origins` names its
   * site. `use`: what others may not do.
   */
  keyed(use: string): MiddlewareHandler
  /** Identifies the sender of a request, as far as senders can be distinguished. */
  senderOf(c: Context): Sender
  /** Names the sender whose idempotency keys those of a print request are. */
  keySender(c: Context): KeySender
  /** Names the network whose share of the spool the labels of a request take. */
  networkOf(c: Context): string
  /**
   * Reading what is not a secret, for every client that names the box by its own name, and pages of sites that `allowed_origins`
   * names.
   */
  read(): MiddlewareHandler
  /** Jobs, previews, events: who logged in, programs of this machine; without a password or with `open_bench` as `operate`. */
  labels(): MiddlewareHandler
  /** Allows reading one label: to whoever has its secret, from pages that may print too; else as `labels`. */
  follow(): MiddlewareHandler
  /** Makes the secret that lets the sender of a label follow it. */
  jobSecret(id: string): string
  /** For a stream of labels: `end` is called once it may not continue. */
  whileAllowed(c: Context, end: () => void): Permit
  /** Test label, calibrate, search: the box's own page, programs with credentials or of this machine. */
  operate(): MiddlewareHandler
  /** Configuration: the admin. */
  admin(): MiddlewareHandler
  /** `GET /shutdown`: the admin, or a program of this machine that says localhost. */
  shutdown(): MiddlewareHandler
  /** `GET /session`, `POST /login`, `POST /logout`; to be mounted at `/`. */
  routes(): Hono
  /** The token for a form in an HTML answer (field `token`); sets the page's cookie when the browser has none. */
  pageToken(c: Context): string
}

/** Builds what guards the HTTP port. @see docs/security.md */
export function createAccess(settings: AccessSettings): Access {
  const { config, ownNames = listOwnNames, furtherNames = () => [] } = settings
  const { now = () => performance.now(), takesAnyName = () => false } = settings
  const sign = createSign(settings.secret ?? randomBytes(32))
  const tokens = createPageTokens(sign)
  const permits = new Permits()
  const sessions = new Sessions(now, () => permits.lookAtAll())
  const guesses = new Guesses(now, (address) =>
    settings.log?.warn({ address, hint: GUESS_HINT }, 'wrong password'),
  )
  const limit = new LoginLimit(now)
  const { formMs } = boundsWith(settings.bounds)
  const gate = new Gatekeeper({
    config,
    ownNames,
    furtherNames,
    tokens,
    sessions,
    limit,
    guesses,
    formMs,
  })
  settings.onConfigChange?.(() => {
    sessions.follow(gate.credentials)
    permits.lookAtAll()
  })
  const { keyed = [] } = settings
  const crossings = checkCrossings(gate, config)
  const { checkPrint, checkKeyed } = crossings
  const rule =
    (name: Rule): (() => MiddlewareHandler) =>
    () =>
    async (c, next) => {
      await gate.check(c, name)
      await next()
    }
  return {
    headers: () => async (c, next) => {
      await next()
      setSecurityHeaders(c, isPrint(c) || c.req.path === SHOP_SCRIPT || hasJobSecret(c, sign))
      if (isPage(c) && gate.isOwnHost(c)) gate.openPage(c)
    },
    guard: () => async (c, next) => {
      const answer = answerAsked(c, crossings, keyed)
      if (answer !== undefined) return answer
      const isForPrograms = c.req.method === 'POST' && takesAnyName(c.req.path)
      if (!isPrint(c) && !isForPrograms && !hasJobSecret(c, sign)) gate.checkHost(c)
      return await next()
    },
    print: () => async (c, next) => {
      checkPrint(c)
      await next()
      setCorsHeaders(c)
    },
    program: () => refuseBrowsers,
    keySender: (c) => findKeySender(c, { isOwnName: (name) => gate.isOwnName(name), ownNames }),
    keyed: (use) => async (c, next) => {
      checkKeyed(c, use)
      await next()
      if (c.req.header('origin') !== undefined) setCorsHeaders(c)
    },
    // What came by no socket has a share, too.
    networkOf: (c) => findSender(c, ownNames).network || 'http',
    senderOf: (c) => findSender(c, ownNames),
    read: () => readWithCors(gate, config),
    labels: rule('labels'),
    follow: () => async (c, next) => {
      if (!hasJobSecret(c, sign)) {
        await gate.check(c, 'labels')
        return await next()
      }
      checkPrint(c)
      await next()
      setCorsHeaders(c)
    },
    jobSecret: (id) => jobSecretOf(sign, id),
    whileAllowed: (c, end) => permits.open(() => gate.mayStillRead(c, 'labels'), end),
    operate: rule('operate'),
    admin: rule('admin'),
    shutdown: rule('shutdown'),
    routes: () => {
      const { version = '', startLabel = false, restarts = false } = settings
      return createLoginRoutes(gate, sessions, { version, startLabel, restarts })
    },
    pageToken: (c) => gate.openPage(c),
  }
}

/** Checks what a page of another site may do: print; and use an API key where the settings name its site. */
function checkCrossings(gate: Gatekeeper, config: () => AccessConfig) {
  const isOwn = (name: string): boolean => gate.isOwnName(name)
  return {
    checkPrint: (c: Context) => checkPrintOrigin(c, config().allowed_origins, isOwn),
    checkRead(c: Context): void {
      gate.checkHost(c)
      checkNamedOrigin(c, config().allowed_origins, isOwn, 'read')
    },
    checkKeyed(c: Context, use: string): void {
      gate.checkHost(c)
      checkNamedOrigin(c, config().allowed_origins, isOwn, use)
    },
  }
}

function readWithCors(gate: Gatekeeper, config: () => AccessConfig): MiddlewareHandler {
  return async (c, next) => {
    await gate.check(c, 'read')
    await next()
    if (isNamedReader(c, config().allowed_origins)) setCorsHeaders(c)
  }
}

/** Answers a page of another site that asks what it may do; undefined = it asks for nothing that such a page may do. */
function answerAsked(
  c: Context,
  { checkPrint, checkRead, checkKeyed }: ReturnType<typeof checkCrossings>,
  keyed: readonly KeyedPaths[],
): Response | undefined {
  const asked = readPreflight(c, keyed)
  if (asked === undefined) return undefined
  if (asked === 'read') checkRead(c)
  else if (typeof asked === 'object') checkKeyed(c, asked.use)
  else checkPrint(c)
  return answerPreflight(c, typeof asked === 'object' ? 'keyed' : asked)
}

/** Reads what a page of another site asks to do, of what it may. */
function readPreflight(
  c: Context,
  keyed: readonly KeyedPaths[],
): Exclude<CrossSiteUse, 'keyed'> | KeyedPaths | undefined {
  if (c.req.method !== 'OPTIONS') return undefined
  if (isPrint(c)) return 'print'
  if (isFollowable(c)) return 'follow'
  if (isForShops(c)) return 'read'
  return keyed.find(({ owns }) => owns(c.req.path))
}

function isPrint(c: Context): boolean {
  return PRINT_PATHS.has(c.req.path) && (c.req.method === 'POST' || c.req.method === 'OPTIONS')
}

/**
 * A browser sends `Origin` with every POST of a page (Fetch, section 3.2), of our own too where the name of the box was
 * rebound; programs never do.
 */
async function refuseBrowsers(c: Context, next: Next): Promise<void> {
  const { origin, fetchSite = 'none' } = readTraces(c)
  if (origin === undefined && fetchSite.toLowerCase() === 'none') return await next()
  throw new PlatenError('ORIGIN_REFUSED', 'A web page may not print as a print dialog does.', {
    hint: 'Let the page send its label to / of the print server.',
  })
}

/** A browser that opens a page; with a page of its cache the answer is a 304 without a type. */
function isPage(c: Context): boolean {
  const isAsked = c.req.method === 'GET' && c.req.header('accept')?.startsWith('text/html') === true
  return isAsked || c.res.headers.get('content-type')?.startsWith('text/html') === true
}

/** The names that distinguish the senders of idempotency keys. */
interface Names {
  readonly isOwnName: (name: string) => boolean
  readonly ownNames: () => readonly string[]
}

/**
 * Finds whose idempotency keys those of a print request are: programs, the box's own page, or pages of one other site. A page
 * under a name that is made to point at the box (DNS rebinding) is of the site of that name. A password says nothing here:
 * printing asks for none, so it would be a way to try some unseen.
 */
function findKeySender(c: Context, { isOwnName, ownNames }: Names): KeySender {
  const traces = readTraces(c)
  const host = parseHost(c.req.header('host') ?? new URL(c.req.url).host)
  const site = host === undefined ? 'foreign' : judgeSite(traces, host)
  const from = findSender(c, ownNames).network
  if (site === 'none') return { kind: 'program', from }
  if (site === 'own' && host !== undefined && isOwnName(host.name)) return { kind: 'own', from }
  // A digest, because an origin is as long as its page likes.
  const origin = createHash('sha256').update(traces.origin ?? 'null')
  return { kind: `page ${origin.digest('base64url')}`, from }
}
