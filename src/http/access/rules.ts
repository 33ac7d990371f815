import type { HostKind } from './addresses.ts'
import type { Site } from './origin.ts'

/** The purpose of a request, apart from printing, which is open. */
export type Rule = 'read' | 'labels' | 'operate' | 'admin' | 'shutdown'

/** The login state of a request. `unset`: no credentials are configured. */
export type Login = 'unset' | 'absent' | 'right' | 'wrong' | 'limited' | 'crowded' | 'session'

/** All that the rules look at. */
export interface RequestFacts {
  readonly host: HostKind
  readonly site: Site
  /** A link that a person followed. */
  readonly isLink: boolean
  /** A script of a site that `allowed_origins` names. */
  readonly isNamedSite: boolean
  /** Neither GET nor HEAD. */
  readonly isChange: boolean
  readonly isLoopback: boolean
  /** Also by another of its addresses, which lets a program only shut down. */
  readonly isThisMachine: boolean
  /** The owner lets everybody at a bench see and reprint labels. */
  readonly isOpenBench: boolean
  /** Asked for only when host and site are in order, so that no foreign page can try passwords. */
  readonly login: () => Login
  /** The cookie that only requests of the box's own page carry. */
  readonly hasPage: boolean
  /** The token that belongs to that cookie. */
  readonly hasToken: boolean
}

/** The failure code of a refusal, with the reason that makes its message. */
export type Refusal =
  | { readonly code: 'HOST_REFUSED'; readonly why: 'name' }
  | { readonly code: 'ORIGIN_REFUSED'; readonly why: 'page' | 'token' }
  | { readonly code: 'LOCAL_ONLY'; readonly why: 'remote' | 'name' }
  | { readonly code: 'LOGIN_NEEDED' | 'LOGIN_WRONG' | 'LOGIN_LIMIT'; readonly why: 'login' }
  | { readonly code: 'LOGIN_LIMIT'; readonly why: 'crowd' }

const FOREIGN_PAGE: Refusal = { code: 'ORIGIN_REFUSED', why: 'page' }
const NO_TOKEN: Refusal = { code: 'ORIGIN_REFUSED', why: 'token' }
const REMOTE: Refusal = { code: 'LOCAL_ONLY', why: 'remote' }
const LOGIN: Refusal = { code: 'LOGIN_NEEDED', why: 'login' }

/** The refusal of a password that was sent and is not right, or was not looked at. */
export const FAILED_LOGINS: Readonly<Partial<Record<Login, Refusal>>> = {
  wrong: { code: 'LOGIN_WRONG', why: 'login' },
  limited: { code: 'LOGIN_LIMIT', why: 'login' },
  crowded: { code: 'LOGIN_LIMIT', why: 'crowd' },
}

/** Decides on a request: undefined when it may proceed. The table is in docs/security.md. */
export function judge(rule: Rule, facts: RequestFacts): Refusal | undefined {
  if (facts.host === 'foreign') return { code: 'HOST_REFUSED', why: 'name' }
  const mayRead = rule === 'read' && (facts.isLink || facts.isNamedSite)
  if (facts.site === 'foreign' && !mayRead) return FOREIGN_PAGE
  if (rule === 'read') return undefined
  const login = facts.login()
  const failed = FAILED_LOGINS[login]
  if (failed !== undefined) return failed
  if (login === 'right') return undefined
  return judgeLogin(rule, facts, login)
}

function judgeLogin(rule: Rule, facts: RequestFacts, login: Login): Refusal | undefined {
  const isOpen = login === 'unset' || facts.isOpenBench
  if (rule === 'labels') return isOpen ? judgeOperate(facts, login) : judgeLabels(facts, login)
  if (rule === 'operate') return judgeOperate(facts, login)
  if (rule === 'shutdown' && isShutdownHere(facts)) return undefined
  return login === 'unset' ? judgeLocalAdmin(rule, facts) : judgeSession(rule, facts, login)
}

/** The box's own page, with or without a login; else a program of this machine. */
function judgeOperate(facts: RequestFacts, login: Login): Refusal | undefined {
  if (facts.site === 'own' || facts.hasPage || login === 'session') {
    if (facts.hasToken || !facts.isChange) return undefined
    if (facts.site === 'own' || !facts.isLoopback) return NO_TOKEN
  }
  if (facts.isLoopback) return undefined
  return login === 'unset' ? REMOTE : LOGIN
}

/**
 * Credentials are set: a logged-in client, else a program on this machine. A page needs the login on this machine too:
 * anybody may be at its screen.
 */
function judgeLabels(facts: RequestFacts, login: Login): Refusal | undefined {
  const isPage = facts.site === 'own' || facts.hasPage
  if ((isPage || login === 'session') && facts.isChange && !facts.hasToken) return NO_TOKEN
  return login === 'session' || (facts.isLoopback && !isPage) ? undefined : LOGIN
}

/**
 * A program of this machine that says localhost, or a page of it. With any other name (printserver.local in the hosts
 * file) a browser sends no Sec-Fetch-Site over http, and an <img> of a foreign page would look like a program.
 */
function isShutdownHere(facts: RequestFacts): boolean {
  if (!facts.isThisMachine) return false
  if (facts.isLoopback && facts.hasPage && facts.hasToken) return true
  return facts.host === 'local' && (!facts.isChange || facts.site === 'none')
}

/** No credentials are set: this machine only. */
function judgeLocalAdmin(rule: Rule, facts: RequestFacts): Refusal | undefined {
  if (!facts.isLoopback) return REMOTE
  const isChange = facts.isChange || rule === 'shutdown'
  if (facts.hasPage && (facts.hasToken || !isChange)) return undefined
  if (facts.site === 'own') return isChange ? NO_TOKEN : undefined
  return facts.host === 'local' ? undefined : { code: 'LOCAL_ONLY', why: 'name' }
}

/** Credentials are set: the page of somebody who has logged in. */
function judgeSession(rule: Rule, facts: RequestFacts, login: Login): Refusal | undefined {
  if (login !== 'session') return LOGIN
  const isChange = facts.isChange || rule === 'shutdown'
  return !isChange || (facts.hasPage && facts.hasToken) ? undefined : NO_TOKEN
}
