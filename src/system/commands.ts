import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { basename, dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inEnglish, type Sentence, say } from '../words/say.ts'
import { readEverywhere } from './address.ts'
import { exchange } from './http-client.ts'

const SCRIPT = '/usr/lib/platen/update'

/** The exit code, and a sentence when there is something to say. */
export interface CommandEnd {
  readonly code: number
  readonly text: string
}

/**
 * `platen update`: hands on to the script of the Debian package, which needs root and says itself what it does. Other
 * installations are told how they are updated. `program` is the file that runs.
 */
export function runUpdate(args: readonly string[], program: string, script = SCRIPT): CommandEnd {
  if (dirname(program) !== dirname(script) || !existsSync(script))
    return { code: 1, text: ELSEWHERE }
  const { status } = spawnSync(script, [...args], { stdio: 'inherit' })
  return { code: status ?? 1, text: '' }
}

// Never by the name alone: on npm's public registry it is not ours, and its owner could publish any program.
const ELSEWHERE = `Only the Debian package updates itself. This print server is updated the way it was installed:
  npm          npm install -g ./platen-VERSION.tgz: the file of the new version, which make program writes to packages/
  a download   stop it, put the new file in the place of the old one, start it
  a checkout   git pull, then make run
`

const FILE_BYTES_MOST = 256 * 2 ** 20
const ANSWER_BYTES_MOST = 2 ** 20
const WAIT_S = 30
const WHOLE_MS = 120_000 // labels of 256 MB have to be sent, too

/** Arguments of `platen print`. */
export interface PrintCommand {
  readonly files: readonly string[]
  /** Undefined = the default printer. */
  readonly printer: string | undefined
  /** Idempotency key; undefined = a new one. With one that was used before, the same labels do not print again. */
  readonly key?: string | undefined
  /** Seconds that the labels have to print until it is said that they wait. */
  readonly waitS?: number
}

/** Address of this computer's server, as configured. */
export interface ServerPlace {
  readonly host: string
  readonly port: string
}

/**
 * `platen print`: sends the files to the running server of this computer and says what became of them. Whether they were
 * taken is not known when the connection is lost after they were sent: they are sent once more under the same key.
 */
export async function runPrint(
  { files, printer, key = randomUUID(), waitS = WAIT_S }: PrintCommand,
  place: ServerPlace,
): Promise<CommandEnd> {
  const boundary = randomUUID()
  // A field, because a key may have characters that a header cannot hold.
  const parts = [writeField('idempotency_key', key)]
  if (printer !== undefined) parts.push(writeField('printer', printer))
  for (const file of files) {
    const label = readLabel(file)
    if (label instanceof Error) return { code: 1, text: `${label.message}\n` }
    parts.push(writePart(file, label))
  }
  const whole = parts.map((part) => `--${boundary}\r\nContent-Disposition: ${part}\r\n`).join('')
  const body = `${whole}--${boundary}--\r\n`
  const type = `multipart/form-data; boundary=${boundary}`
  const headers = { 'Content-Type': type, Prefer: `wait=${waitS}` }
  const send = () => postHere(place, '/', { body, headers })
  try {
    const answer = await send().catch(async (error: unknown) => {
      if (!LOST.has(nameFault(error))) throw error
      await wait(RETRY_MS)
      return await send().catch((second: unknown) => {
        // The first may have been taken, although the server no longer answers.
        throw NOT_SENT.has(nameFault(second)) ? error : second
      })
    })
    return describe(JSON.parse(answer), files.length)
  } catch (error) {
    return { code: 1, text: `${describeFault(nameFault(error), place, key)}\n` }
  }
}

const RETRY_MS = 1_000

/** The connection broke after it stood, and what came of the request is not known. */
const LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])
/** No connection came about, so nothing was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
])

function nameFault(error: unknown): string {
  return String(error instanceof Error && 'code' in error ? error.code : error)
}

function describeFault(why: string, { port }: ServerPlace, key: string): string {
  if (NOT_SENT.has(why)) {
    return `The print server does not answer at port ${port} (${why}). ${WHERE_IT_RUNS[process.platform] ?? 'Start platen; where it is a service: systemctl status platen'}`
  }
  return `No answer came from port ${port} (${why}), but the labels may have been taken by the print server. To be sure, repeat the command with --key ${key}: labels that were taken do not print again.`
}

function writeField(name: string, value: string): string {
  return `form-data; name="${name}"\r\n\r\n${value}`
}

/** With the name of its file, which is what the label is called; quotes as browsers write them. */
function writePart(file: string, label: Buffer): string {
  const name = basename(file)
    .replaceAll(/[\r\n]/g, ' ')
    .replaceAll('"', '\\"')
  const head = `form-data; name="label"; filename="${name}"\r\nContent-Transfer-Encoding: base64`
  return `${head}\r\n\r\n${label.toString('base64')}`
}

const WHERE_IT_RUNS: Partial<Record<NodeJS.Platform, string>> = {
  win32: 'Start platen from the Start menu, or look at its service: platen service status',
  darwin: 'Start platen, or look at its service: platen service status',
}

const STOP_MS = 30_000 // the label in hand has 10 s, answers under way 2 s; a slow computer more
const STOP_POLL_MS = 200

/** The answer of `GET /shutdown` has the number of the process in it, for `platen stop`. */
const PROCESS_HEADER = 'platen-process'

/**
 * `platen stop`: asks the running server of this computer to stop, and waits until it has. It may still listen where `address`
 * says, that of its page: another port of the settings counts from its next start.
 */
export async function runStop(settings: ServerPlace, address?: string): Promise<CommandEnd> {
  const noted = address === undefined ? [] : [new URL(address).port || '80']
  for (const place of [settings, ...noted.map((port) => ({ host: 'localhost', port }))]) {
    const end = await stopAt(place)
    if (end !== undefined) return end
  }
  return { code: 0, text: `Nothing runs at port ${settings.port}.\n` }
}

const OURS = JSON.stringify('{"Status":').slice(0, -1) // how each answer begins, a refusal too

// With a socket that stays, the next client would start it again.
const HOW_TO_STOP = "To stop it: sudo systemctl stop 'platen*.socket' platen"

/** Undefined when nothing runs there. */
async function stopAt(place: ServerPlace): Promise<CommandEnd | undefined> {
  const ask = (path: string) =>
    exchange(
      makeUrl(place, path),
      {
        method: 'GET',
        connectMs: 5_000,
        wholeMs: 10_000,
        headers: { Host: 'localhost' }, // as the server wants it, whatever address it has
        read: async (response) => ({
          told: JSON.stringify(await readAnswer(response, ANSWER_BYTES_MOST)),
          pid: Number(response.headers[PROCESS_HEADER] ?? 0),
        }),
      },
      new AbortController().signal,
    )
  // Another program may have this port, and an address of that name, too.
  const isThere = () =>
    ask('/healthz').then(
      ({ content }) => content.told.startsWith(OURS),
      () => false,
    )
  if (!(await isThere())) return undefined
  const answer = await ask('/shutdown').catch((error: unknown) => ({
    status: 0,
    content: { told: String(error), pid: 0 },
  }))
  const { told, pid } = answer.content
  if (answer.status !== 200) return { code: 1, text: `It does not stop: ${told}\n` }
  if (saysRestarts(told)) {
    return { code: 1, text: `${inEnglish(say('restarts'))} ${HOW_TO_STOP}\n` }
  }
  const end = performance.now() + STOP_MS
  // It closes its port first and finishes the label in hand then; its files are free when the process is gone.
  while ((await isThere()) || isAlive(pid)) {
    if (performance.now() > end)
      return { code: 1, text: 'It finishes its labels and still runs.\n' }
    await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS))
  }
  return { code: 0, text: 'The print server has stopped.\n' }
}

/** Tells whether a process runs; 0 = not known, a server of an older version. */
export function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readLabel(file: string): Buffer | Error {
  try {
    const { size } = statSync(file)
    if (size > FILE_BYTES_MOST)
      return new Error(`${basename(file)} has ${size} bytes, wanted a label.`)
    return readFileSync(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    return new Error(`${file} cannot be read (${code}).`)
  }
}

/** Describes the answer. What was taken prints, or waits for a person: a script that sent it again would print it twice, so that is not a failure. */
function describe(answer: unknown, count: number): CommandEnd {
  const read = (key: string): unknown =>
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, key) : undefined
  const said = [read('Message'), read('hint')].filter(
    (sentence) => typeof sentence === 'string' && sentence !== '',
  )
  const jobs = read('jobs')
  // A repeat of labels that have since left the list names none.
  const isTaken = Array.isArray(jobs) && (jobs.length > 0 || read('Status') === 'OK')
  if (!isTaken) return { code: 1, text: `${said.join(' ') || 'The label was refused.'}\n` }
  const labels = count === 1 ? 'The label was' : `${count} labels were`
  return { code: 0, text: `${[`${labels} taken by the print server.`, ...said].join(' ')}\n` }
}

/** Request body and headers for the server of this computer. */
interface PostRequest {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Characters of the answer. */
  readonly bytesMost?: number
  /** Milliseconds for all of it. */
  readonly wholeMs?: number
}

/**
 * Sends JSON to the running server of this computer; gives the answer's text.
 * @throws an error with the code of the network fault
 */
export async function postHere(
  place: ServerPlace,
  path: string,
  { body, headers, bytesMost = ANSWER_BYTES_MOST, wholeMs = WHOLE_MS }: PostRequest,
): Promise<string> {
  const { content } = await exchange(
    makeUrl(place, path),
    {
      method: 'POST',
      body,
      headers,
      connectMs: WHOLE_MS,
      wholeMs,
      read: (response) => readAnswer(response, bytesMost),
    },
    new AbortController().signal,
  )
  return content
}

function makeUrl({ host, port }: ServerPlace, path: string): URL {
  const isHere = host === 'localhost' || readEverywhere(host) !== undefined
  const name = isHere ? '127.0.0.1' : isIPv6(host) ? `[${host}]` : host
  return new URL(path, `http://${name}:${port}`)
}

/** Tells whether the answer to `/shutdown`, as JSON in JSON, says that the program is started again. */
function saysRestarts(told: string): boolean {
  try {
    const { texts } = JSON.parse(JSON.parse(told))
    return texts.message.some(({ key }: Sentence) => key === 'restarts')
  } catch {
    return false // an answer without sentences
  }
}

async function readAnswer(response: IncomingMessage, most: number): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk
    if (text.length > most) throw new Error('the answer is too long')
  }
  return text
}
