import { randomUUID } from 'node:crypto'
import { decodeBase64 } from '../../core/request/base64.ts'
import type { StoredKey } from '../../http/access/keys.ts'
import { PendingWork, type QueueBounds, type WaitingLine } from '../../system/wait.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { DoorBox, DoorRequest, OpenDoor } from '../door/door.ts'
import { type FetchRules, fetchLabel, type LookUp, lineUp, lookUpAll } from '../door/fetch-label.ts'
import { PrintNodeJobs, readPage } from './jobs.ts'
import { type PrintNodeWish, readPrint } from './print.ts'
import {
  COMPUTER,
  describeAccount,
  describeComputer,
  isIn,
  listPrinters,
  pickPrinter,
  printerId,
  readSet,
} from './printers.ts'
import {
  describeWebhooks,
  WEBHOOK_BOUNDS,
  type Webhook,
  type WebhookBounds,
  WebhookTeller,
} from './webhook.ts'

/** Bounds of fetching labels, each of which may be as large as a request; docs/doors.md names them. */
const FETCHES = { atOnce: 2, waiting: 32, waitMs: 30_000 } as const

/** PrintNode's short words for an error, by its status. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableEntity',
  429: 'TooManyRequests',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
}

/** Replaceable parts, for tests. */
export interface PrintNodeMore {
  readonly lookUp?: LookUp
  readonly fetches?: QueueBounds
  readonly fetchMs?: number
  readonly webhookBounds?: WebhookBounds
}

/** Opens the door's paths. */
export function servePrintNode(
  settings: PrintNodeSettings,
  box: DoorBox,
  signal: AbortSignal,
  {
    lookUp = lookUpAll,
    fetches = FETCHES,
    fetchMs,
    webhookBounds = WEBHOOK_BOUNDS,
  }: PrintNodeMore = {},
): OpenDoor {
  const { hosts, webhook } = settings
  const jobs = new PrintNodeJobs(box)
  const rules = { hosts, lookUp, ...(fetchMs !== undefined && { wholeMs: fetchMs }) }
  const desk = new PrintNodeDesk(box, { ...rules, fetches }, { jobs, hook: webhook?.url, signal })
  const teller = webhook && new WebhookTeller(webhook, box, jobs, webhookBounds)
  return {
    places: ['/printnode'],
    closed: Promise.all([desk.closed(), teller?.run(signal)]).then(() => undefined),
    answer: (request) => desk.answer(request),
  }
}

interface DeskMore {
  readonly jobs: PrintNodeJobs
  /** The address of the webhook. */
  readonly hook: string | undefined
  readonly signal: AbortSignal
}

/** Answers the calls. */
class PrintNodeDesk {
  readonly #box: DoorBox
  readonly #rules: FetchRules
  readonly #signal: AbortSignal
  readonly #jobs: PrintNodeJobs
  readonly #hook: string | undefined
  /** Work that changes something. */
  readonly #underWay = new PendingWork()
  readonly #fetches: WaitingLine

  constructor(
    box: DoorBox,
    { fetches, ...rules }: FetchRules & { readonly fetches: QueueBounds },
    { jobs, hook, signal }: DeskMore,
  ) {
    this.#box = box
    this.#rules = rules
    this.#signal = signal
    this.#jobs = jobs
    this.#hook = hook
    this.#fetches = lineUp(fetches)
  }

  async closed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#signal.addEventListener('abort', () => resolve(), { once: true })
    if (this.#signal.aborted) resolve()
    await promise
    await this.#underWay.end()
  }

  /** Answers a request; never rejects. */
  async answer(request: DoorRequest): Promise<Response> {
    try {
      return await this.#answer(request)
    } catch (error) {
      return this.#refuse(error)
    }
  }

  /** Runs work that the door waits for when it closes. @throws PlatenError SERVER_BUSY once it closes */
  async #finish<T>(work: () => Promise<T>): Promise<T> {
    if (this.#signal.aborted)
      throw new PlatenError('SERVER_BUSY', 'The print server is being stopped or set up.')
    return await this.#underWay.do(work)
  }

  async #answer(request: DoorRequest): Promise<Response> {
    const key = this.#findKey(request.header('authorization'))
    const [head, ...rest] = request.path.split('/').filter(Boolean)
    switch (head) {
      case 'whoami':
        wantMethod(request, 'GET')
        return answer(describeAccount(key, this.#box))
      case 'computers':
        return this.#answerComputers(request, rest)
      case 'printers':
        return await this.#answerPrinters(request, rest)
      case 'printjobs':
        return await this.#answerJobs(request, rest, key)
      case 'webhook':
      case 'webhooks':
        return answer(describeWebhooks(request, this.#hook))
      default:
        throw unknown(request.path)
    }
  }

  /**
   * Finds the key of a request. PrintNode's clients send it unasked; a challenge would make browsers send theirs with pages of other sites.
   */
  #findKey(header = ''): StoredKey {
    const [, text = ''] = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(header) ?? []
    const [user = ''] = Buffer.from(text, 'base64').toString().split(':', 1)
    const key = user === '' ? undefined : this.#box.keys.find(user)
    if (key === undefined) {
      throw new PlatenError('KEY_WRONG', 'API key not found.', {
        hint: 'Send a key that platen key add made as the user name, with an empty password.',
      })
    }
    if (!key.scopes.includes('print'))
      throw new PlatenError('KEY_SCOPE', 'This key may not print; it needs the scope print.')
    this.#box.keys.used(key)
    return key
  }

  #answerComputers(request: DoorRequest, [set, ...rest]: readonly string[]): Response {
    wantMethod(request, 'GET')
    const isOurs = isIn(readSet(set), COMPUTER)
    const info = this.#box.info()
    if (rest.length === 0) return answer(isOurs ? [describeComputer(info)] : [])
    const [what, printers, ...more] = rest
    if (what !== 'printers' || more.length > 0) throw unknown(request.path)
    return answer(isOurs ? listPrinters(this.#box.printers.list(), readSet(printers), info) : [])
  }

  async #answerPrinters(
    request: DoorRequest,
    [set, what, jobs, ...rest]: readonly string[],
  ): Promise<Response> {
    const { printers, info } = this.#box
    if (what === undefined) {
      wantMethod(request, 'GET')
      return answer(listPrinters(printers.list(), readSet(set), info()))
    }
    if (what !== 'printjobs' || rest.length > 0) throw unknown(request.path)
    const wanted = readSet(set)
    const names = printers
      .list()
      .map(({ name }) => name)
      .filter((name) => isIn(wanted, printerId(name)))
    return await this.#listOrCancel(request, jobs, names)
  }

  async #answerJobs(
    request: DoorRequest,
    [first, second, ...rest]: readonly string[],
    key: StoredKey,
  ): Promise<Response> {
    if (rest.length > 0) throw unknown(request.path)
    if (first === undefined && request.method === 'POST')
      return answer(await this.#print(request, key), 201)
    if (first !== 'states' && second !== 'states' && second !== undefined)
      throw unknown(request.path)
    if (first !== 'states' && second === undefined) return await this.#listOrCancel(request, first)
    wantMethod(request, 'GET')
    // Both ways of writing it are in use.
    const set = first === 'states' ? second : first
    return answer(this.#jobs.states(readPage(request.query, readSet(set))))
  }

  /** Lists jobs, or cancels them. */
  async #listOrCancel(
    request: DoorRequest,
    set: string | undefined,
    printers?: readonly string[],
  ): Promise<Response> {
    if (request.method === 'DELETE')
      return answer(await this.#finish(() => this.#jobs.cancel(readSet(set), printers)))
    wantMethod(request, 'GET', 'DELETE')
    return answer(this.#jobs.list(readPage(request.query, readSet(set), printers)))
  }

  /** Prints a request; resolves with the id of the job once its labels are on disk. */
  async #print(request: DoorRequest, { id: keyId }: StoredKey): Promise<number> {
    const box = this.#box
    const wish = readPrint(await request.body(), request.header('content-type') ?? '')
    // With a key of its own the spool knows which labels belong together.
    const idempotencyKey = request.header('x-idempotency-key') || randomUUID()
    const sender = { kind: `printnode ${keyId}`, from: '' }
    const take = async (label: Uint8Array, printer: string) =>
      await box.intake.take(
        {
          labels: [label],
          options: { ...wish.options, printer },
          source: 'printnode',
          network: request.network,
          client: () => request.signal,
          copies: wish.copies,
          user: wish.source,
          ...(wish.title !== '' && { titles: [wish.title] }),
          idempotencyKey,
          sender,
        },
        request.share(),
      )
    // The body came at its sender's pace: the door does not wait for that.
    const { jobs } = await this.#finish(async () => {
      const { name } = pickPrinter(box.printers.list(), wish.printer)
      return wish.isAddress
        ? await this.#fetch(wish, request.signal, async (label) => {
            await request.share()?.take(label.length)
            return await take(label, name)
          })
        : await take(decodeBase64(wish.content), name)
    }).catch((error: unknown) => this.#jobs.refuseGone(error, idempotencyKey, sender))
    const [first] = jobs
    if (first !== undefined) return first.seq
    throw new PlatenError('IDEMPOTENCY_CONFLICT', 'This idempotency key has printed before.')
  }

  /** Fetches a label and passes it on; the next fetch may begin once it is on disk. */
  async #fetch<T>(
    { content, credentials }: Pick<PrintNodeWish, 'content' | 'credentials'>,
    client: AbortSignal,
    take: (label: Uint8Array) => Promise<T>,
  ): Promise<T> {
    const ends = [client, this.#signal]
    const mostBytes = this.#box.config().max_body_mb * 2 ** 20
    const wanted = { address: content, credentials, mostBytes }
    return await this.#fetches.enter(
      async () => await take(await fetchLabel(wanted, this.#rules, ends)),
      ends,
    )
  }

  #refuse(error: unknown): Response {
    if (!(error instanceof PlatenError)) this.#box.fault(error)
    const failure =
      error instanceof PlatenError
        ? error
        : new PlatenError('INTERNAL', 'The print server made a mistake.')
    const { status, message, hint } = failure
    const uid = randomUUID()
    const code = WORDS[status] ?? 'InternalServerError'
    const said = { code, message: `${message} ${hint}`, uid }
    return Response.json(said, { status, headers: { 'Request-Id': uid } })
  }
}

function answer(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { 'X-Account': String(COMPUTER) } })
}

/** @throws PlatenError METHOD_REFUSED */
function wantMethod({ method, path }: DoorRequest, ...wanted: readonly string[]): void {
  if (wanted.includes(method === 'HEAD' ? 'GET' : method)) return
  throw new PlatenError(
    'METHOD_REFUSED',
    `${method} of ${quoteShort(path)} is not done here, wanted ${wanted.join(' or ')}.`,
    { hint: 'docs/doors.md lists what is done.' },
  )
}

function unknown(path: string): PlatenError {
  const message = `This print server does not do ${quoteShort(path)} of PrintNode.`
  return new PlatenError('ROUTE_UNKNOWN', message, {
    hint: 'It does whoami, computers, printers and printjobs.',
  })
}

/** The settings of the door. */
export interface PrintNodeSettings {
  /** Hosts that labels may be fetched from whatever their address. */
  readonly hosts: readonly string[]
  /** The webhook; undefined = states are reported to nobody. */
  readonly webhook: Webhook | undefined
}
