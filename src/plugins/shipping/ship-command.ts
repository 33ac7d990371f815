import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonOf } from '#carriers'
import { Keys, SCOPES } from '../../http/access/keys.ts'
import { isObject } from '../../settings/field.ts'
import { readCode } from '../../settings/write.ts'
import { type CommandEnd, isAlive, postHere, type ServerPlace } from '../../system/commands.ts'
import { PlatenError } from '../../words/errors.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import { PASSING } from './envelope.ts'
import { isSent } from './outbound.ts'

/** A terminal on which a person may watch the call. */
export interface Terminal {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

/**
 * Runs `platen ship < call.json`: hands one call to the running server of this computer, with a key that lives as long as the call, and
 * prints the answer. Exit code 0 also when the carrier refused: the answer says so. A purchase without an id gets one, and is sent again
 * with it when its answer is lost.
 */
export async function runShip(
  input: AsyncIterable<Buffer>,
  place: ServerPlace,
  folder: string,
  terminal: Terminal = { write: () => undefined },
): Promise<CommandEnd> {
  const given = await readAll(input)
  if (given === undefined) {
    return { code: 1, text: `The call has more than ${SHIPPING_BOUNDS.bodyBytes} bytes.\n` }
  }
  const keys = new Keys(folder)
  const name = `${PASSING}${process.pid}`
  try {
    revokeLeft(keys)
    const { key } = keys.add(name, SCOPES)
    try {
      const answer = await postAgain(place, key, identify(given), terminal)
      return { code: 0, text: `${answer}\n` }
    } finally {
      revokeIfThere(keys, name)
    }
  } catch (error) {
    if (error instanceof PlatenError) return { code: 1, text: `${error.whole} ${error.hint}\n` }
    return { code: 1, text: `${explain(error, place)}\n` }
  }
}

/** A body, and whether it may be sent twice: it may if everything in it that costs money has an id. */
interface CallBody {
  readonly body: string
  readonly isSafe: boolean
  readonly calls: number
}

const ID_NAMES = ['request_id', 'requestId']

/** Gives a purchase an id. The text is edited, not written anew: a number may have more digits than JavaScript can read. */
function identify(text: string): CallBody {
  const read = jsonOf(text)
  const calls = Array.isArray(read) ? read : [read]
  const isSafe = calls.every((call) => !isPaid(call) || hasId(call))
  if (isSafe || Array.isArray(read)) return { body: text, isSafe, calls: calls.length }
  const id = JSON.stringify(randomUUID())
  return { body: text.replace('{', `{"request_id":${id},`), isSafe: true, calls: 1 }
}

function isPaid(call: unknown): boolean {
  const action = isObject(call) ? String(call['action']).toLowerCase() : ''
  return action === 'submitshipment' || action === 'voidshipment'
}

function hasId(call: unknown): boolean {
  const own = isObject(call) ? call : {}
  const params = isObject(own['params']) ? own['params'] : {}
  return ID_NAMES.some((name) => own[name] !== undefined || params[name] !== undefined)
}

const PAUSES_MS = [500, 1_000, 2_000, 4_000] as const
/** Time for a call: it waits for its turn and for its carrier, which may be asked afterwards for its fate; then its labels are fetched. */
const CALL_MS = SHIPPING_BOUNDS.lineMs + 3 * SHIPPING_BOUNDS.timeoutMs

/** Posts a call again while its answer is lost: the server may just be restarting. */
async function postAgain(
  place: ServerPlace,
  key: string,
  { body, isSafe, calls }: CallBody,
  terminal: Terminal,
): Promise<string> {
  const posted = {
    body,
    headers: { 'x-api-key': key },
    bytesMost: 3 * SHIPPING_BOUNDS.replyBytes,
    wholeMs: CALL_MS * Math.ceil(calls / SHIPPING_BOUNDS.atOnce),
  }
  using progress = new ProgressLine(terminal)
  let lost: unknown
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return await postHere(place, '/v1', posted)
    } catch (error) {
      if (isSent(error)) lost = error
      // What never left is said at once, unless an earlier try may have been heard.
      if (lost === undefined || !isSafe || pauseMs === undefined) throw lost ?? error
      progress.say(`no answer (${readCode(error)}), asking again`)
      await sleep(pauseMs)
    }
  }
  throw lost
}

/** Shows on a terminal what is waited for; does nothing elsewhere. */
class ProgressLine implements Disposable {
  readonly #terminal: Terminal
  readonly #began = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  #words = 'waiting'
  #isShown = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    if (terminal.isTTY === true) this.#timer = setInterval(() => this.#show(), 1_000).unref()
  }

  say(words: string): void {
    this.#words = words
    if (this.#timer !== undefined) this.#show()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    if (this.#isShown) this.#terminal.write('\r\u001b[K')
  }

  #show(): void {
    this.#isShown = true
    const seconds = Math.round((performance.now() - this.#began) / 1_000)
    this.#terminal.write(`\r\u001b[K${this.#words}, ${seconds} s`)
  }
}

/** Revokes the keys of calls that were ended in the middle: their texts are lost, and a hundred of them leave no room for others. */
function revokeLeft(keys: Keys): void {
  for (const { name, scopes } of keys.list()) {
    const pid = name.startsWith(PASSING) ? Number(name.slice(PASSING.length)) : Number.NaN
    const isPassing = Number.isSafeInteger(pid) && scopes.length === SCOPES.length
    if (isPassing && (pid === process.pid || !isAlive(pid))) revokeIfThere(keys, name)
  }
}

/**
 * Revokes a key; failures are ignored, because the answer matters more: the key stays in the list, and another command may have been
 * faster.
 */
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
