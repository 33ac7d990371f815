import { randomInt } from 'node:crypto'
import type { PluginConfig } from '../plugin.ts'

/** A small text that is kept over restarts. */
interface KeptText {
  load(): string | undefined
  save(text: string): void
}

const DIGITS = 8
const PIN = new RegExp(`^\\d{${DIGITS}}$`)
/** Replaces the PIN once a person chose a password. */
const USED_UP = 'used'

/** The parts of the PIN. */
interface PinParts {
  readonly store: Pick<PluginConfig<object>, 'current' | 'masked' | 'put' | 'onChange'>
  readonly kept: KeptText
  /** Called before a new PIN replaces one that is used up or lost: the start label has to show the new one. */
  readonly onNew: () => void
  /** Called with faults. A note that cannot be read counts as lost, and one that cannot be written is not a reason to stop printing. */
  readonly fault: (error: unknown) => void
}

/**
 * Gives a box without a password one: a PIN that is made once, kept, and set as the password of user `admin`, also after a configuration
 * without one was imported. A password that a person chose uses it up for good: a box that loses that one gets a new PIN at its next start.
 * Resolves with a function that returns the PIN while it is the password.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function ensurePin(parts: PinParts): Promise<() => string | undefined> {
  const { store } = parts
  const kept = withFaults(parts)
  let pin = findPin({ ...parts, kept })
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

function withFaults({ kept, fault }: PinParts): KeptText {
  return {
    load() {
      try {
        return kept.load()
      } catch (error) {
        fault(error)
        return ''
      }
    },
    save(text) {
      try {
        kept.save(text)
      } catch (error) {
        fault(error)
      }
    },
  }
}

/** Returns the kept PIN, or a new one for a box without a password; undefined when it is used up. */
function findPin({ store, kept, onNew }: PinParts): string | undefined {
  const known = kept.load()?.trim()
  // Blank or zeros after a damage of the card, which are no password.
  if (known !== undefined && PIN.test(known)) return known
  if (store.current.password) {
    if (known !== USED_UP) kept.save(USED_UP)
    return undefined
  }
  if (known !== undefined) onNew()
  const pin = makePin()
  kept.save(pin)
  return pin
}

function makePin(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}
