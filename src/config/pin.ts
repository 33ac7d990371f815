import { randomInt } from 'node:crypto'
import type { ConfigStore } from './store.ts'

/** A small text that is kept over restarts. */
interface Kept {
  load(): string | undefined
  save(text: string): void
}

const DIGITS = 8

/**
 * Gives a box without a password one: a PIN that is made once, kept, and set as the password of user `admin`, also after a
 * configuration without one was imported. Resolves with the PIN while it is the password, so that the start label tells it;
 * undefined when somebody chose another.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function ensurePin(
  store: Pick<ConfigStore, 'current' | 'masked' | 'put'>,
  kept: Kept,
): Promise<string | undefined> {
  const known = kept.load()
  const pin = known ?? String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  if (known === undefined) kept.save(pin)
  const { username, password } = store.current
  if (!username || !password) {
    const chosen = { username: username || 'admin', password: password || pin }
    await store.put({ ...store.masked(), ...chosen })
  }
  return store.current.password === pin ? pin : undefined
}
