import type { CommandEnd } from '../../system/commands.ts'
import { PlatenError } from '../../words/errors.ts'
import { Keys, SCOPES, type Scope, type ShownKey, USUAL_SCOPES } from './keys.ts'

/** A command `platen key …` about the API keys of this box. */
export interface KeyCommand {
  readonly verb: 'add' | 'list' | 'revoke'
  /** '' with `list`. */
  readonly keyName: string
  /** Separated by commas; '' = the default ones. */
  readonly scopes: string
}

/** Runs a key command; `add` prints the key and nothing else, so that a script can use it. */
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
