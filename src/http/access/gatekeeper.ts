import type { Context } from 'hono'
import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'
import {
  canonicalName,
  DOCUMENTED_NAME,
  findRemote,
  findSender,
  type HostKind,
  type HostName,
  isOwnConnection,
  judgeHost,
  parseHost,
} from './addresses.ts'
import type { Guesses, GuessNotice, LoginLimit } from './login-limit.ts'
import {
  isLink,
  isNamedReader,
  judgeSite,
  type PageTokens,
  readTraces,
  type Site,
  shorten,
} from './origin.ts'
import { judge, type Login, type Refusal, type RequestFacts, type Rule } from './rules.ts'
import {
  type Credentials,
  matchCredentials,
  parseBasic,
  readCookie,
  readCredentials,
  readFormToken,
  type Sessions,
  writeCookie,
} from './session.ts'

/** Context key: the page cookie that goes out with the answer. */
const ISSUED = 'issuedPageCookie'
/** Context key: whose name its Host is. */
const HOST_KIND = 'hostKind'
/** Context key: how the request authenticates. */
const LOGIN = 'login'

/** The keys of the configuration that decide who may do what. */
export interface AccessConfig {
  readonly host?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly open_bench?: boolean | undefined
  readonly allowed_hosts?: readonly string[] | undefined
  readonly allowed_origins?: readonly string[] | undefined
}

/** The parts that the gatekeeper knows and remembers. */
export interface GateParts {
  readonly config: () => AccessConfig
  readonly ownNames: () => readonly string[]
  /** Names by which parts of the program are reached; as the settings have them. */
  readonly furtherNames: () => readonly string[]
  readonly tokens: PageTokens
  readonly sessions: Sessions
  readonly limit: LoginLimit
  readonly guesses: Guesses
  /** The time that a small form may take to arrive. */
  readonly formMs: number
}

/** Gathers what a request shows and asks the rules. */
export class Gatekeeper {
  readonly #parts: GateParts

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  /**
   * Lets a request pass or refuses it.
   * @throws PlatenError HOST_REFUSED, ORIGIN_REFUSED, LOCAL_ONLY, LOGIN_NEEDED, LOGIN_WRONG, LOGIN_LIMIT
   */
  async check(c: Context, rule: Rule): Promise<void> {
    const refusal = await this.judge(c, rule)
    if (refusal !== undefined) throw explain(c, refusal)
  }

  /** @throws PlatenError HOST_REFUSED when the request does not name the box by one of its own names */
  checkHost(c: Context): void {
    if (!this.isOwnHost(c)) throw explain(c, { code: 'HOST_REFUSED', why: 'name' })
  }

  /** Judges like `check`, for a page that needs to know what it may offer. */
  async judge(c: Context, rule: Rule): Promise<Refusal | undefined> {
    const isChange = c.req.method !== 'GET' && c.req.method !== 'HEAD'
    const page = readCookie(c, 'page')
    const { tokens } = this.#parts
    const login = (): Login => this.#judgeLogin(c)
    const judgeWith = (hasToken: boolean): Refusal | undefined =>
      judge(rule, this.#facts(c, { isChange, hasToken, login }))
    const refusal = judgeWith(false)
    // Nothing of a body is read for a token that would change nothing.
    if (refusal === undefined || !tokens.isIssued(page) || judgeWith(true) !== undefined)
      return refusal
    const token = await this.#tokenOf(c, isChange)
    return tokens.belongs(token, page) ? undefined : refusal
  }

  #tokenOf(c: Context, isChange: boolean): string | undefined | Promise<string | undefined> {
    return c.req.header('x-platen-token') ?? (isChange ? readFormToken(c, this.formMs) : undefined)
  }

  /** Tells whether what was read once may still be read: looks at the login without trying a password. */
  mayStillRead(c: Context, rule: Rule): boolean {
    const login = (): Login => this.#lookAtLogin(c)
    return judge(rule, this.#facts(c, { isChange: false, hasToken: false, login })) === undefined
  }

  #facts(c: Context, shown: Pick<RequestFacts, 'isChange' | 'hasToken' | 'login'>): RequestFacts {
    const { tokens, config } = this.#parts
    const { isLoopback } = findRemote(c)
    return {
      ...shown,
      host: this.#judgeHost(c, hostOf(c)),
      site: siteOf(c),
      isLink: isLink(readTraces(c)),
      isNamedSite: isNamedReader(c, config().allowed_origins),
      isLoopback,
      isThisMachine: isLoopback || isOwnConnection(c),
      isOpenBench: config().open_bench === true,
      hasPage: tokens.isIssued(readCookie(c, 'page')),
    }
  }

  /** Tells whether a name, in the form of `parseHost`, is one of this box. */
  isOwnName(name: string): boolean {
    return judgeHost(name, () => this.#names()) !== 'foreign'
  }

  /** Tells whether the request names the box by one of its own names or addresses. */
  isOwnHost(c: Context): boolean {
    return this.#judgeHost(c, hostOf(c)) !== 'foreign'
  }

  /** The page's cookie of this request, or a new one that goes out with the answer; and its token. */
  openPage(c: Context): string {
    const { tokens } = this.#parts
    const seen = c.get(ISSUED) ?? readCookie(c, 'page')
    if (tokens.isIssued(seen)) return tokens.tokenOf(seen)
    const page = tokens.issue()
    writeCookie(c, 'page', page)
    c.set(ISSUED, page) // one answer, one cookie: its token may be in the answer already
    return tokens.tokenOf(page)
  }

  /** Tells whether the request carries a page's cookie and its token. */
  hasPageToken(c: Context, token: string | undefined): boolean {
    const page = readCookie(c, 'page')
    return this.#parts.tokens.isIssued(page) && this.#parts.tokens.belongs(token, page)
  }

  /** Compares a user name and password; a wrong one counts against the sender's network. */
  tryLogin(
    c: Context,
    given: Credentials,
    wanted: Credentials,
  ): 'right' | 'wrong' | 'limited' | 'crowded' {
    const { limit, guesses, ownNames } = this.#parts
    const sender = findSender(c, ownNames)
    const wait = limit.waits(sender)
    if (wait !== undefined) return wait === 'own' ? 'limited' : 'crowded'
    if (!matchCredentials(given, wanted)) {
      limit.fail(sender)
      guesses.note(sender)
      return 'wrong'
    }
    limit.pass(sender)
    return 'right'
  }

  /** The admin's credentials of now; sessions of former ones end when it is asked. */
  get credentials(): Credentials | undefined {
    const credentials = readCredentials(this.#parts.config())
    this.#parts.sessions.follow(credentials)
    return credentials
  }

  get formMs(): number {
    return this.#parts.formMs
  }

  /** Wrong passwords of the last hour. */
  get guesses(): readonly GuessNotice[] {
    return this.#parts.guesses.list()
  }

  /** Judges the login once a request, however many rules ask. */
  #judgeLogin(c: Context): Login {
    const known: Login | undefined = c.get(LOGIN)
    if (known !== undefined) return known
    const wanted = this.credentials
    const given = parseBasic(c.req.header('authorization'))
    const login =
      wanted === undefined || given === undefined
        ? this.#lookAtLogin(c)
        : this.tryLogin(c, given, wanted)
    c.set(LOGIN, login)
    return login
  }

  /** Tries no password: one that was right may be compared again. */
  #lookAtLogin(c: Context): Login {
    const wanted = this.credentials
    if (wanted === undefined) return 'unset'
    const given = parseBasic(c.req.header('authorization'))
    if (given !== undefined) return matchCredentials(given, wanted) ? 'right' : 'absent'
    const cookie = readCookie(c, 'login')
    return cookie !== undefined && this.#parts.sessions.has(cookie) ? 'session' : 'absent'
  }

  /** The worse of the Host header and the request's target, which may name a host of its own. */
  #judgeHost(c: Context, host: HostName | undefined): HostKind {
    const known: HostKind | undefined = c.get(HOST_KIND)
    if (known !== undefined) return known // several rules ask, and the addresses of the machine cost 0.1 ms
    const target = parseHost(new URL(c.req.url).host)
    const names = new Set([host?.name ?? '', target?.name ?? ''])
    const kinds = [...names].map((name) => judgeHost(name, () => this.#names()))
    const kind =
      kinds.find((one) => one === 'foreign') ?? kinds.find((one) => one === 'own') ?? 'local'
    c.set(HOST_KIND, kind)
    return kind
  }

  *#names(): Iterable<string> {
    const { config, ownNames, furtherNames } = this.#parts
    const { host, allowed_hosts: allowed = [] } = config()
    yield DOCUMENTED_NAME
    if (host) yield host
    for (const one of [...allowed, ...furtherNames()]) yield canonicalName(one) ?? ''
    yield* ownNames()
  }
}

function hostOf(c: Context): HostName | undefined {
  return parseHost(c.req.header('host') ?? new URL(c.req.url).host)
}

function siteOf(c: Context): Site {
  const host = hostOf(c)
  return host === undefined ? 'foreign' : judgeSite(readTraces(c), host)
}

/** The sentence of a refusal. It names no name of the box: a page that rebinds DNS would read it. */
export function explain(c: Context, { code, why }: Refusal): PlatenError {
  const address = findRemote(c).address || 'an unknown address'
  const seen: Readonly<Record<Refusal['why'], () => Sentences | string>> = {
    name: () =>
      code === 'LOCAL_ONLY'
        ? 'No username and password are set, so this is for the print server itself, under the name localhost.'
        : `${shorten(c.req.header('host') ?? 'A request without Host')} is not a name of this print server; wanted one of its own names or addresses.`,
    page: () =>
      `${causeOf(c)} may only print here; wanted the print server's own page, or a program.`,
    token: () =>
      'The token of the page is missing or stale; wanted that of GET /session in the header X-Platen-Token.',
    remote: () =>
      `No username and password are set, so this is for the print server itself; the request came from ${address}.`,
    login: () => explainLogin(code, address),
    crowd: () => say('manyGuesses'),
  }
  return new PlatenError(code, seen[why](), why === 'crowd' ? { hint: say('waitAMinute') } : {})
}

function explainLogin(code: Refusal['code'], address: string): Sentences | string {
  if (code === 'LOGIN_WRONG') return say('wrongLogin')
  if (code === 'LOGIN_LIMIT') return `Too many wrong passwords came from ${address}.`
  return say('pressLogin')
}

function causeOf(c: Context): string {
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== 'null') return `The page ${shorten(origin)}`
  return 'A page of another site'
}
