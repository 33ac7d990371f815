import { readCode } from '../config/write.ts'
import { PlatenError } from '../errors.ts'
import { type CommandEnd, isAlive, postHere, type ServerPlace } from '../system/commands.ts'
import { SHIPPING_BOUNDS } from './envelope.ts'
import { Keys, SCOPES, type Scope, type ShownKey, USUAL_SCOPES } from './keys.ts'
import { isSent } from './outbound.ts'

/** `platen key …`: what is done with the API keys of this box. */
export interface KeyCommand {
  readonly verb: 'add' | 'list' | 'revoke'
  /** '' with `list`. */
  readonly keyName: string
  /** Separated by commas; '' = the usual ones. */
  readonly scopes: string
}

/** `add` prints the key and nothing else, so that a script can take it over. */
export function runKey({ verb, keyName, scopes }: KeyCommand, folder: string): CommandEnd {
  const keys = new Keys(folder)
  return orFailure(() => {
    if (verb === 'list') return listKeys(keys.list())
    if (verb === 'add') return keys.add(keyName, readScopes(scopes)).key
    keys.revoke(keyName)
    return `The key ${JSON.stringify(keyName)} is revoked.`
  })
}

function orFailure(work: () => string): CommandEnd {
  try {
    return { code: 0, text: `${work()}\n` }
  } catch (error) {
    if (!(error instanceof PlatenError)) throw error
    return { code: 1, text: `${error.whole} ${error.hint}\n` }
  }
}

function readScopes(text: string): readonly Scope[] {
  if (text === '') return USUAL_SCOPES
  return text.split(',').map((name) => {
    const scope = SCOPES.find((one) => one === name.trim())
    if (scope !== undefined) return scope
    throw new PlatenError(
      'FIELD_INVALID',
      `There is no scope ${JSON.stringify(name.slice(0, 40))}.`,
      {
        hint: `Wanted some of ${SCOPES.join(', ')}.`,
      },
    )
  })
}

function listKeys(keys: readonly ShownKey[]): string {
  if (keys.length === 0) return 'There is no API key yet. Make one with: platen key add NAME'
  return keys
    .map(({ id, name, scopes, created, last_used: used }) => {
      const last = used === '' ? 'never used' : `last used ${used}`
      return `${name}  pk_${id}_…  ${scopes.join(',')}  made ${created}  ${last}`
    })
    .join('\n')
}

/**
 * `platen ship < call.json`: hands one call to the running server of this computer, with a key that lives as long as the call, and
 * prints the answer. Exit code 0 also when the carrier refused: the answer says so.
 */
export async function runShip(
  input: AsyncIterable<Buffer>,
  place: ServerPlace,
  folder: string,
): Promise<CommandEnd> {
  const body = await readAll(input)
  if (body === undefined) {
    return { code: 1, text: `The call has more than ${SHIPPING_BOUNDS.bodyBytes} bytes.\n` }
  }
  const keys = new Keys(folder)
  const name = `${PASSING}${process.pid}`
  try {
    revokeLeft(keys)
    const { key } = keys.add(name, SCOPES)
    try {
      return {
        code: 0,
        text: `${await postHere(place, '/v1', { body, headers: { 'x-api-key': key }, bytesMost: 3 * SHIPPING_BOUNDS.replyBytes })}\n`,
      }
    } finally {
      revokeIfThere(keys, name)
    }
  } catch (error) {
    if (error instanceof PlatenError) return { code: 1, text: `${error.whole} ${error.hint}\n` }
    return { code: 1, text: `${explain(error, place)}\n` }
  }
}

/** How the keys of `platen ship` begin. */
export const PASSING = 'platen ship '

/** Keys of calls that were ended in the middle: nobody has their text, and a hundred of them leave no room for others. */
function revokeLeft(keys: Keys): void {
  for (const { name, scopes } of keys.list()) {
    const pid = name.startsWith(PASSING) ? Number(name.slice(PASSING.length)) : Number.NaN
    const isPassing = Number.isSafeInteger(pid) && scopes.length === SCOPES.length
    if (isPassing && (pid === process.pid || !isAlive(pid))) revokeIfThere(keys, name)
  }
}

/** The answer counts for more: a key that cannot be revoked stands in the list, and another command may have been quicker. */
function revokeIfThere(keys: Keys, name: string): void {
  try {
    keys.revoke(name)
  } catch (error) {
    if (!(error instanceof PlatenError)) throw error
  }
}

function explain(error: unknown, { port }: ServerPlace): string {
  const why = readCode(error)
  return isSent(error)
    ? `No answer came from port ${port} (${why}), but the call may have been done. With the same request_id it is not done twice; if it has none, look at the list of shipments first.`
    : `The print server does not answer at port ${port} (${why}). Is it running? Start it, then try again.`
}

async function readAll(input: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of input) {
    bytes += chunk.length
    if (bytes > SHIPPING_BOUNDS.bodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
