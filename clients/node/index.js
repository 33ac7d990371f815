import { readFileSync } from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'

/** A call that failed: `code` is meta.code, or 0 without any answer; `response` the whole answer. */
export class PlatenError extends Error {
  name = 'PlatenError'

  constructor(message, code = 0, response = undefined) {
    super(message)
    this.code = code
    this.response = response
  }
}

/** Buys shipping labels (POST /v1) and prints labels (POST /). */
export class Client {
  /**
   * @param {string | undefined} apiKey may be left out where only `print` is used
   * @param {{ baseUrl?: string, timeout?: number, caFile?: string }} [options] timeout in milliseconds; caFile: the authority
   * of the box's own certificate
   */
  constructor(apiKey, options = {}) {
    const { baseUrl = 'http://printserver.local:8080', timeout = 30_000, caFile } = options
    this.apiKey = apiKey
    this.baseUrl = baseUrl.replace(/\/+$/, '')
    this.timeout = timeout
    this.ca = caFile === undefined ? undefined : readFileSync(caFile)
  }

  /** One call of the shipping API; resolves with the whole envelope. What a carrier refuses stands in data.errors. */
  async request(carrier, action, params = {}, requestId = undefined) {
    const call = { carrier, action, params, request_id: requestId }
    const headers = { 'x-api-key': this.apiKey ?? '' }
    const answer = await this.#post('/v1', call, headers, 'shipping API')
    const { code = 0, error_message: message } = answer.meta ?? {}
    if (message) throw new PlatenError(message, code, answer)
    return answer
  }

  /** Prints a label file (bytes) on a printer, or on the default one; resolves with the answer of POST /. */
  async print(label, printer = undefined) {
    const body = { label: Buffer.from(label).toString('base64'), printer }
    return await this.#post('/', body, {}, 'print server')
  }

  async #post(path, body, headers, what) {
    try {
      const answer = JSON.parse(
        await this.#send(this.baseUrl + path, JSON.stringify(body), headers),
      )
      if (typeof answer === 'object' && answer !== null) return answer
      throw new Error('no JSON object came')
    } catch (error) {
      const message = `Unable to reach the ${what} at ${this.baseUrl}: ${error.message || error.code}`
      throw new PlatenError(message)
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
        reply.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
        reply.on('error', reject)
      })
      call.on('error', reject)
      call.end(body)
    })
  }
}
