import type { HttpCall, HttpReply } from './carrier.ts'
import { isObject, jsonOf } from './reading.ts'

const HIDDEN = '***'
/** Fields that hold secrets, whatever is in them. */
const SECRET_NAME =
  /^(key|(x-)?api[-_]?key|pass(word|phrase)?|user_?name|client_?.*|child_?.*|account_?number|meter_?number|shipper_?number|contract_?id|.*token.*|authorization|.*cookie.*|.*secret.*|.*credential.*)$/i
const NAME_MOST = 200
/** Shorter values occur inside many words. */
const VALUE_LEAST = 4
const TEXT_MOST = 512
const SHOWN = 64
const BLOCK_MOST = 256 * 1024

/** A name that no carrier has is hidden unread. */
function isSecret(name: string): boolean {
  return name.length > NAME_MOST || SECRET_NAME.test(name)
}

/**
 * Takes credentials out of what is shown. By the names of fields, and by every value itself: raw, in base64 at any of its three
 * offsets, URL-encoded, as in a form, and as JSON writes it.
 */
export class Redaction {
  readonly #forms: readonly string[]
  /** A value that is too short to be looked for: nothing but names is shown then. */
  readonly #hasShort: boolean

  constructor(secrets: Iterable<string>) {
    const values = [...new Set(secrets)].filter((one) => one !== '')
    this.#hasShort = values.some((one) => one.length < VALUE_LEAST)
    const forms = values.filter((one) => one.length >= VALUE_LEAST).flatMap(formsOf)
    // The longest first, so that no part of one is left.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length)
  }

  /** A text without any of the values. */
  text(text: string): string {
    if (this.#hasShort) return text === '' ? '' : HIDDEN
    let clean = text
    for (const form of this.#forms) clean = clean.replaceAll(form, HIDDEN)
    return clean
  }

  /** A carrier's words: of these nothing but values is taken out. */
  words(text: string): string {
    let clean = text
    for (const form of this.#forms) clean = clean.replaceAll(form, HIDDEN)
    return clean
  }

  /** Records a call and its reply. */
  exchange(
    carrier: string,
    url: string,
    call: HttpCall,
    ending: { readonly ms: number; readonly reply?: HttpReply; readonly fault?: string },
  ): object {
    const { reply, ms, fault } = ending
    const request = {
      method: call.method,
      url: this.text(url),
      headers: this.#headers(call.headers),
      body: this.#body(call.body ?? ''),
    }
    if (reply === undefined) return { carrier, ms, request, fault: this.words(fault ?? '') }
    const { status, headers, text } = reply
    return {
      carrier,
      ms,
      request,
      response: { status, headers: this.#headers(headers), body: this.#body(text) },
    }
  }

  #headers(headers: Readonly<Record<string, string>>): object {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        isSecret(name) ? HIDDEN : this.text(value),
      ]),
    )
  }

  #body(text: string): unknown {
    const json = jsonOf(text)
    if (isObject(json) || Array.isArray(json)) return this.#value(json)
    if (/^[\w.-]+=/.test(text)) return this.#form(text)
    return cut(this.text(text))
  }

  #form(text: string): string {
    const pairs = text.split('&').map((pair) => {
      const name = pair.split('=', 1)[0] ?? ''
      return isSecret(decodeURIComponent(name.replace(/%(?![0-9a-f]{2})/gi, '%25')))
        ? `${name}=${HIDDEN}`
        : pair
    })
    return cut(this.text(pairs.join('&')))
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#value(one))
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [
          this.words(name),
          isSecret(name) && !isObject(one) && !Array.isArray(one) ? HIDDEN : this.#value(one),
        ]),
      )
    }
    if (typeof value === 'string') return cut(this.text(value))
    return typeof value === 'number' ? this.#number(value) : value
  }

  /** An account number may be written as a number. */
  #number(value: number): unknown {
    const text = String(value)
    return this.words(text) === text ? value : HIDDEN
  }
}

/** Labels and pictures are useless to the reader. */
function cut(text: string): string {
  return text.length > TEXT_MOST ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text
}

/** The ways in which a value may stand in a request, a reply or a message. */
function formsOf(value: string): readonly string[] {
  const url = encodeURIComponent(value)
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const json = JSON.stringify(value).slice(1, -1)
  const forms = [value, url, url.toLowerCase(), form, json, JSON.stringify(json).slice(1, -1)]
  return [...forms, ...base64FormsOf(value)].filter((one) => one.length >= VALUE_LEAST)
}

/** Gives the parts that base64 of a longer text holds of this value, less the digits that it shares with its neighbors. */
function base64FormsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const first = before === 0 ? 0 : before + 1
    // The last digit holds bits of what follows unless the bytes end with it.
    const last = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1
    const inner = text.slice(first, last)
    return inner.length < 6 ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Collects exchanges for `meta.debug_information`, bounded. */
export class DebugTrace {
  readonly entries: object[] = []
  #bytes = 0

  note(entry: object): void {
    this.#bytes += JSON.stringify(entry).length
    if (this.#bytes <= BLOCK_MOST) this.entries.push(entry)
  }
}
