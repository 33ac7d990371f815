import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A call that failed: `code` is meta.code, or 0 without any answer; `response` the whole answer; `requestId` the id of
 * a purchase, which
 * may have been made: the same call with the same id never buys twice.
 */
export class PlatenError extends Error {
  name = 'PlatenError'

  constructor(message, code = 0, response = undefined, requestId = undefined) {
    super(message)
    this.code = code
    this.response = response
    this.requestId = requestId
  }
}

/** Actions that spend money or ask for it back; each gets an id. */
const PAID = ['submitshipment', 'voidshipment']
/** A gateway that has no answer, and a print server that is busy and has done nothing. */
const NO_ANSWER = [502, 503, 504]
const PAUSES_MS = [500, 1_000, 2_000, 4_000]
/** Errors that another try does not change: the server that answers is not the one meant, or speaks another protocol. */
const LASTING = /CERT|SIGNATURE|TLS|HPE_/
const FIRST_WORDS_MS = 2_000

/** Buys shipping labels (POST /v1) and prints labels (POST /). */
export class Client {
  /**
   * @param {string | undefined} apiKey may be left out where only `print` is used
   * @param {{ baseUrl?: string, timeout?: number, caFile?: string, tries?: number }} [options] timeout of one try in milliseconds, longer
   * than the print server and a carrier take; tries: how often a call is sent while no answer comes; caFile: the
   * authority of the box's
   * own certificate
   */
  constructor(apiKey, options = {}) {
    const {
      baseUrl = 'http://printserver.local:8080',
      timeout = 150_000,
      caFile,
      tries = 5,
    } = options
    this.apiKey = apiKey
    this.baseUrl = baseUrl.replace(/\/+$/, '')
    this.timeout = timeout
    this.tries = tries
    this.ca = caFile === undefined ? undefined : readFileSync(caFile)
  }

  /**
   * Makes one call of the shipping API; resolves with the whole envelope. A carrier's refusal is in data.errors. A
   * purchase without an id gets one, and is sent again with it when the answer is lost: it is never made twice.
   */
  async request(carrier, action, params = {}, requestId = undefined) {
    const isPaid = PAID.includes(String(action).toLowerCase())
    const id = requestId ?? (isPaid ? randomUUID() : undefined)
    const call = { carrier, action, params, request_id: id }
    const headers = { 'x-api-key': this.apiKey ?? '' }
    const progress = new Progress(`${carrier} ${action}`)
    try {
      const answer = await this.#postAgain('/v1', call, headers, progress)
      const { code = 0, error_message: message } = answer.meta ?? {}
      if (message) throw new PlatenError(message, code, answer, id)
      return answer
    } finally {
      progress.end()
    }
  }

  /** Prints a label file (bytes) on a printer, or on the default one; resolves with the answer of POST /. */
  async print(label, printer = undefined) {
    const body = { label: Buffer.from(label).toString('base64'), printer }
    const { answer, fault } = await this.#post('/', body, {})
    if (answer !== undefined) return answer
    throw new PlatenError(`Unable to reach the print server at ${this.baseUrl}: ${fault}`)
  }

  /** The same call while no answer comes, each time after a longer pause. */
  async #postAgain(path, call, headers, progress) {
    for (let n = 1; ; n += 1) {
      const { answer, fault, isLost } = await this.#post(path, call, headers)
      if (!isLost || n >= this.tries) {
        if (answer !== undefined) return answer
        const message = `Unable to reach the shipping API at ${this.baseUrl}: ${fault}`
        throw new PlatenError(message, 0, undefined, call.request_id)
      }
      progress.say(`no answer (${fault}); asking again, try ${n + 1} of ${this.tries}`)
      await sleep(PAUSES_MS[Math.min(n, PAUSES_MS.length) - 1])
    }
  }

  async #post(path, body, headers) {
    try {
      const { status, text } = await this.#send(this.baseUrl + path, JSON.stringify(body), headers)
      const isLost = NO_ANSWER.includes(status)
      const answer = parse(text)
      return { answer, isLost, fault: answer === undefined ? 'no JSON object came' : status }
    } catch (error) {
      return { isLost: !LASTING.test(error.code ?? ''), fault: error.message || error.code }
    }
  }

  #send(url, body, headers) {
    const { request } = url.startsWith('https:') ? https : http
    const all = { 'Content-Type': 'application/json', Accept: 'application/json', ...headers }
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(this.timeout)
      const call = request(url, { method: 'POST', headers: all, ca: this.ca, signal }, (reply) => {
        const chunks = []
        reply.on('data', (chunk) => chunks.push(chunk))
        reply.on('end', () => {
          resolve({ status: reply.statusCode, text: Buffer.concat(chunks).toString('utf8') })
        })
        reply.on('error', reject)
      })
      call.on('error', reject)
      call.end(body)
    })
  }
}

/** Undefined where it is no JSON object. */
function parse(text) {
  try {
    const answer = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}

/** Says on a terminal what is waited for; nothing anywhere else. */
class Progress {
  #what
  #began = performance.now()
  #words = 'waiting'
  #isShown = false
  #timer

  constructor(what) {
    this.#what = what
    if (!process.stderr.isTTY) return
    this.#timer = setInterval(() => this.#show(), 1_000).unref()
  }

  say(words) {
    this.#words = words
    if (process.stderr.isTTY) this.#show(true)
  }

  end() {
    clearInterval(this.#timer)
    if (this.#isShown) process.stderr.write('\r\x1b[K')
  }

  #show(isNow = false) {
    const ms = performance.now() - this.#began
    if (!isNow && ms < FIRST_WORDS_MS) return
    this.#isShown = true
    process.stderr.write(`\r\x1b[K${this.#what}: ${this.#words}, ${Math.round(ms / 1_000)} s`)
  }
}
