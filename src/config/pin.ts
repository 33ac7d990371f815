import { randomInt } from 'node:crypto'
import type { ConfigStore } from './store.ts'

/** A small text that is kept over restarts. */
interface Kept {
  load(): string | undefined
  save(text: string): void
}

const DIGITS = 8
/** Stands in place of a PIN once somebody chose a password. */
const USED_UP = 'used'

/** What the PIN needs. */
export interface PinParts {
  readonly store: Pick<ConfigStore, 'current' | 'masked' | 'put' | 'onChange'>
  readonly kept: Kept
  /** Told before a PIN takes the place of one that is used up: the start label has to tell the new one. */
  readonly onNew: () => void
}

/**
 * Gives a box without a password one: a PIN that is made once, kept, and set as the password of user `admin`, also after a
 * configuration without one was imported. A password that somebody chose uses it up for good: a box that loses that one
 * gets a new PIN at its next start. Resolves with a function that gives the PIN while it is the password.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function ensurePin(parts: PinParts): Promise<() => string | undefined> {
  const { store, kept } = parts
  let pin = findPin(parts)
  const useUp = (): void => {
    const { password } = store.current
    if (pin === undefined || !password || password === pin) return
    pin = undefined
    kept.save(USED_UP)
  }
  const { username, password } = store.current
  if (!username || !password) {
    const chosen = { username: username || 'admin', password: password || pin }
    await store.put({ ...store.masked(), ...chosen })
  }
  useUp()
  store.onChange(useUp)
  return () => (store.current.password === pin ? pin : undefined)
}

/** The PIN that is kept, or a new one for a box without a password; undefined when it is used up. */
function findPin({ store, kept, onNew }: PinParts): string | undefined {
  const known = kept.load()?.trim()
  if (known !== undefined && known !== USED_UP) return known
  if (store.current.password) {
    kept.save(USED_UP)
    return undefined
  }
  if (known === USED_UP) onNew()
  const pin = makePin()
  kept.save(pin)
  return pin
}

function makePin(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}
