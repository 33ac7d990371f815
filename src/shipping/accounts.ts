import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readCode } from '../config/write.ts'
import { quoteShort } from '../errors.ts'
import type { Account, CredentialField } from './carrier.ts'
import { ServiceError } from './envelope.ts'
import { isRecord } from './params.ts'

const NAME = /^[\w][\w.-]{0,39}$/
const BYTES_MOST = 16 * 1024

/** Where accounts lie: `NAME.json` in the box's own folder, or systemd credentials `platen-account-NAME`. */
export interface AccountFolders {
  readonly own: string
  /** `CREDENTIALS_DIRECTORY`; undefined = none were passed. */
  readonly credentials: string | undefined
}

/** Names of `params` that any carrier may take as credentials. */
const COMMON = ['key', 'client_id', 'client_secret', 'child_key', 'child_secret', 'account_number']

/**
 * The credentials of a call: those in `params`, or of the account of the box that `params.account` names.
 * @throws ServiceError 400
 */
export function readAccount(
  params: Readonly<Record<string, unknown>>,
  fields: readonly CredentialField[],
  folders: AccountFolders,
): Account {
  const names = new Set([...COMMON, ...fields.map(({ name }) => name)])
  const ofBox = new Set(fields.filter(({ isOfBox }) => isOfBox).map(({ name }) => name))
  const { account: named } = params
  const own = named === undefined || named === null || named === '' ? {} : load(named, folders)
  const account: Record<string, string> = {}
  for (const name of names) {
    const value = own[name] ?? (ofBox.has(name) ? undefined : params[name])
    if (typeof value === 'string' && value !== '') account[name] = value
    if (typeof value === 'number') account[name] = String(value)
  }
  return account
}

function load(
  name: unknown,
  { own, credentials }: AccountFolders,
): Readonly<Record<string, unknown>> {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new ServiceError(400, 'account must be the name of an account of this box.')
  }
  const files = [
    ...(credentials === undefined ? [] : [join(credentials, `platen-account-${name}`)]),
    join(own, `${name}.json`),
  ]
  for (const file of files) {
    const text = read(file)
    if (text !== undefined) return parse(text, name)
  }
  throw new ServiceError(400, `There is no account ${quoteShort(name)} on this box.`)
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
    if (isRecord(value)) return value
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  // Nothing of the text: it holds credentials.
  throw new ServiceError(500, `The file of the account ${quoteShort(name)} is not a JSON object.`)
}
