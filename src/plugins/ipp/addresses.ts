import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { isSamePlace } from '#printers'
import type { Printers } from '../../core/printers/registry.ts'

export const ROOT = '/ipp/print'

/** The most names remembered; any more get an address that no other name can have. Decision `dialog-addresses`. */
const NAMES_MOST = 1_000
const KEPT = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()))

/** A text that survives a restart. */
interface IdentityStore {
  /** Returns the text; undefined when there is none yet. */
  load(): string | undefined
  /** Saves the text. @throws PlatenError STATE_UNWRITABLE */
  save(text: string): void
}

/**
 * The addresses that printers were given. `Bench 1` and `bench-1` want the same one: it stays with the name that had it first, even when
 * that printer is gone. Print dialogs know only an address, and it must not lead to another bench.
 */
export class DialogAddresses {
  readonly #kept: IdentityStore | undefined
  readonly #fault: (error: unknown) => void
  #owners: Map<string, string> | undefined

  /** @param fault called when the addresses cannot be read or kept; printing goes on */
  constructor(kept?: IdentityStore, fault: (error: unknown) => void = () => undefined) {
    this.#kept = kept
    this.#fault = fault
  }

  /** Lists the addresses, such as `/ipp/print/bench-1`, one for each name in their order. */
  list(names: readonly string[]): readonly string[] {
    const owners = this.#open()
    const before = owners.size
    const slugs = names.map((name) => {
      const slug = slugOf(name)
      if (!owners.has(slug) && owners.size < NAMES_MOST) owners.set(slug, name)
      return owners.get(slug) === name ? slug : `${slug}-${digestOf(name).slice(0, 12)}`
    })
    if (owners.size > before) this.#save(owners)
    return slugs.map((slug) => `${ROOT}/${slug}`)
  }

  /** Lets a renamed printer keep its address where the new name wants the same one, as `bench 1` does for `Bench 1`. */
  rename(before: string, name: string): void {
    const owners = this.#open()
    const slug = slugOf(name)
    if (owners.get(slug) !== before) return
    owners.set(slug, name)
    this.#save(owners)
  }

  #open(): Map<string, string> {
    this.#owners ??= new Map(Object.entries(this.#load()))
    return this.#owners
  }

  #load(): Readonly<Record<string, string>> {
    try {
      const text = this.#kept?.load()
      return text === undefined ? {} : v.parse(KEPT, text)
    } catch (error) {
      this.#fault(error)
      return {}
    }
  }

  #save(owners: ReadonlyMap<string, string>): void {
    try {
      this.#kept?.save(`${JSON.stringify(Object.fromEntries(owners))}\n`)
    } catch (error) {
      this.#fault(error)
    }
  }
}

/** Keeps the addresses of renamed printers, so that print dialogs find them. */
export function followNames(
  addresses: DialogAddresses,
  printers: Pick<Printers, 'list' | 'onChange'>,
): void {
  let before = listPlaces(printers)
  // All of a changed configuration is there when the first printer is told of.
  printers.onChange(() => {
    const now = listPlaces(printers)
    if (isDeepStrictEqual(now, before)) return
    for (const { name, uri } of before) {
      const there = now.filter((one) => isSamePlace(one.uri, uri)).map((one) => one.name)
      const [after = name] = there
      if (!there.includes(name)) addresses.rename(name, after)
    }
    before = now
  })
}

function listPlaces(printers: Pick<Printers, 'list'>): readonly { name: string; uri: string }[] {
  return printers.list().map(({ name, uri }) => ({ name, uri }))
}

/** Returns the SHA-256 of a printer's name as hexadecimal text. */
export function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

/** Letters of another script: without them the rest of the name may equal that of another. A letter as in Straße leaves a unique name. */
const LOST = /(?!\p{Script=Latin}|[0-9])[\p{L}\p{N}]/u

/**
 * Makes the last part of an address: lower case and ASCII, because Windows asks in lower case whatever it was told. The same name always
 * gives the same part.
 */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  if (slug !== '' && !LOST.test(plain)) return slug
  return `${slug || 'printer'}-${digestOf(name).slice(0, 6)}`
}
