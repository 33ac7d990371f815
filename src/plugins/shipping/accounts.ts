import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, type CredentialField, isBlank } from '#carriers'
import { isObject } from '../../settings/field.ts'
import { keepFile, readCode } from '../../settings/write.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import { findCarrier } from './carriers.ts'
import { ServiceError } from './envelope.ts'

const NAME = /^[\w][\w.-]{0,39}$/
const BYTES_MOST = 16 * 1024

/** The folders of accounts: `NAME.json` in the box's own folder, or systemd credentials `platen-account-NAME`. */
export interface AccountFolders {
  readonly own: string
  /** `CREDENTIALS_DIRECTORY`; undefined = none were passed. */
  readonly credentials: string | undefined
}

/** Names of `params` that any carrier may take as credentials. */
const COMMON = ['key', 'client_id', 'client_secret', 'child_key', 'child_secret', 'account_number']

/**
 * Reads the credentials of a call: those in `params`, or those of the account of the box that `params.account` names.
 * @throws ServiceError 400
 */
export function readAccount(
  params: Readonly<Record<string, unknown>>,
  { name: carrier, credentials: fields }: AccountOwner,
  folders: AccountFolders,
): Account {
  const { account: named } = params
  const own = named === undefined || named === null || named === '' ? {} : load(named, folders)
  refuseForeign(own, carrier)
  const common = COMMON.filter((name) => !fields.some((field) => field.name === name))
  const all: readonly KnownField[] = [...common.map((name) => ({ name })), ...fields]
  const values = all.map((field) => [field.name, readField(field, own, params)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

type KnownField = Pick<CredentialField, 'name' | 'aliases' | 'isOfBox' | 'isSetting'>

/** Reads a credential; '' = it is missing, or is not one. */
function readField(
  { name, aliases = [], isOfBox, isSetting }: KnownField,
  own: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): string {
  const names = [name, ...aliases]
  const value = givenBy(own, names) ?? (isOfBox ? undefined : givenBy(params, names))
  const isText = typeof value === 'string' || typeof value === 'number'
  const isSwitch = typeof value === 'boolean' && isSetting === true
  return isText || isSwitch ? String(value) : ''
}

/**
 * Returns the value under one of the names; undefined = none.
 * @throws ServiceError 400
 */
function givenBy(from: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const given = names.filter((name) => !isBlank(from[name]))
  const [first, other] = given
  if (first === undefined) return undefined
  if (other === undefined || from[first] === from[other]) return from[first]
  // Nothing of the values: they are credentials.
  throw new ServiceError(400, `${first} and ${other} are the same, and differ; wanted one of them.`)
}

/** The owner of an account. */
interface AccountOwner {
  /** The name in `carriers/index.ts`. */
  readonly name: string
  readonly credentials: readonly CredentialField[]
}

/** Refuses an account of another carrier: credentials go only to the carrier that they were saved for. */
function refuseForeign(
  { carrier: owner }: Readonly<Record<string, unknown>>,
  carrier: string,
): void {
  if (typeof owner !== 'string' || owner === '' || findCarrier(owner)?.name === carrier) return
  throw new ServiceError(400, `The account is one of ${quoteShort(owner)}, not of ${carrier}.`)
}

function load(
  name: unknown,
  { own, credentials }: AccountFolders,
): Readonly<Record<string, unknown>> {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new ServiceError(400, 'account must be the name of an account of this print server.')
  }
  const files = [
    ...(credentials === undefined ? [] : [join(credentials, `platen-account-${name}`)]),
    join(own, `${name}.json`),
  ]
  for (const file of files) {
    const text = read(file)
    if (text !== undefined) return parse(text, name)
  }
  throw new ServiceError(400, `There is no account ${quoteShort(name)} on this print server.`)
}

function read(file: string): string | undefined {
  try {
    const { size, mode } = statSync(file)
    if (size > BYTES_MOST) throw new ServiceError(500, 'The file of the account is too large.')
    // Windows has no such modes.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new ServiceError(500, `Others may read the file of the account; wanted mode 0600.`)
    }
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (readCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function parse(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  // Nothing of the text: it holds credentials.
  throw new ServiceError(500, `The file of the account ${quoteShort(name)} is not a JSON object.`)
}

const ACCOUNTS_MOST = 100

/** An account in the form that the page gets: never its content. */
export interface ShownAccount {
  readonly name: string
  /** The name in `carriers/index.ts`; blank in a file that was written by hand without it. */
  readonly carrier: string
  /** Names of the credentials that are set. */
  readonly fields: readonly string[]
  /** True for one passed by the service manager: it cannot be changed here. */
  readonly fixed: boolean
}

/** The accounts of carriers that the box keeps, for its page. */
export class Accounts {
  readonly #folders: AccountFolders

  constructor(folders: AccountFolders) {
    this.#folders = folders
  }

  list(): readonly ShownAccount[] {
    const { own, credentials } = this.#folders
    const prefix = 'platen-account-'
    const passed = namesIn(credentials, prefix, '').map((name) => this.#show(name, true))
    const kept = namesIn(own, '', '.json')
      .filter((name) => !passed.some((one) => one.name === name))
      .map((name) => this.#show(name, false))
    return [...passed, ...kept].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /**
   * Writes an account. A credential that is left out keeps its value, a blank one is removed; with another carrier, or another address,
   * none is kept: a secret goes only where it was saved for.
   * @throws PlatenError FIELD_INVALID, STATE_UNWRITABLE
   */
  save(name: string, owner: AccountOwner, given: Readonly<Record<string, unknown>>): ShownAccount {
    this.#check(name)
    const { name: carrier, credentials } = owner
    const old = this.#read(name)
    const isMoved = credentials.some(
      ({ name: field, isOfBox }) =>
        isOfBox && given[field] !== undefined && given[field] !== old[field],
    )
    // A file that was written by hand may have another of its names.
    const isSame =
      typeof old['carrier'] === 'string' && findCarrier(old['carrier'])?.name === carrier
    const kept = isSame && !isMoved ? old : {}
    const values = credentials.map(
      (field) => [field, readCredential(field, given[field.name] ?? kept[field.name])] as const,
    )
    const missing = values.find(([{ isRequired }, value]) => isRequired && value === '')
    if (missing !== undefined) {
      const [{ title }] = missing
      throw new PlatenError('FIELD_INVALID', `${title} is missing.`, {
        hint: 'Type it again as the carrier gave it to you.',
      })
    }
    const left = values.flatMap(([field, value]) => (value === '' ? [] : [[field.name, value]]))
    const account = { carrier, ...Object.fromEntries(left) }
    keepFile(join(this.#folders.own, `${name}.json`)).save(`${JSON.stringify(account, null, 2)}\n`)
    return this.#show(name, false)
  }

  /** @throws PlatenError FIELD_INVALID when there is none */
  remove(name: string): void {
    if (!this.list().some((one) => one.name === name && !one.fixed)) throw unknownAccount(name)
    rmSync(join(this.#folders.own, `${name}.json`))
  }

  #check(name: string): void {
    if (!NAME.test(name)) {
      throw new PlatenError(
        'FIELD_INVALID',
        `The name of an account is ${quoteShort(name)}, wanted 1 to 40 letters, digits, dots and dashes.`,
        { hint: 'Name it after the carrier and the shop, such as ups-main.' },
      )
    }
    const known = this.list()
    if (known.some((one) => one.name === name && one.fixed)) {
      throw new PlatenError(
        'FIELD_INVALID',
        `The account ${quoteShort(name)} comes from the service manager.`,
        { hint: 'Change it there, or choose another name.' },
      )
    }
    if (known.length >= ACCOUNTS_MOST && !known.some((one) => one.name === name)) {
      throw new PlatenError('FIELD_INVALID', `There are ${ACCOUNTS_MOST} accounts, the most.`, {
        hint: 'Remove one that is no longer used.',
      })
    }
  }

  #show(name: string, fixed: boolean): ShownAccount {
    const account = this.#read(name)
    const { carrier } = account
    const fields = Object.keys(account).filter((field) => field !== 'carrier')
    return { name, carrier: typeof carrier === 'string' ? carrier : '', fields, fixed }
  }

  /** Reads an account; an unreadable file is shown as an account without content. */
  #read(name: string): Readonly<Record<string, unknown>> {
    try {
      return load(name, this.#folders)
    } catch (error) {
      if (error instanceof ServiceError) return {}
      throw error
    }
  }
}

const CREDENTIAL_MOST = 2_048 // characters

/** @throws PlatenError FIELD_INVALID */
function readCredential({ title }: CredentialField, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && value.length <= CREDENTIAL_MOST && !/\p{Cc}/u.test(value)) {
    return value.trim()
  }
  throw new PlatenError('FIELD_INVALID', `${title} is not one line of text.`, {
    hint: 'Copy it again from the carrier.',
  })
}

function unknownAccount(name: string): PlatenError {
  return new PlatenError('FIELD_INVALID', `There is no account ${quoteShort(name)} to remove.`, {
    hint: 'Look at the list of accounts again.',
  })
}

/** Lists the names of the files of a folder, which need not exist. */
function namesIn(folder: string | undefined, prefix: string, ending: string): readonly string[] {
  if (folder === undefined) return []
  try {
    return readdirSync(folder)
      .filter((file) => file.startsWith(prefix) && file.endsWith(ending))
      .map((file) => file.slice(prefix.length, file.length - ending.length))
      .filter((name) => NAME.test(name))
  } catch (error) {
    if (readCode(error) === 'ENOENT') return []
    throw error
  }
}
