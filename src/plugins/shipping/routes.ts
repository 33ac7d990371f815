import { Hono } from 'hono'
import { parseExact } from '../../core/request/bounded-json.ts'
import type { Scope, StoredKey } from '../../http/access/keys.ts'
import { LoginLimit } from '../../http/access/login-limit.ts'
import type { AppParts, HttpContext, HttpEnv } from '../../http/parts.ts'
import { retryAfterOf } from '../../http/server-faults.ts'
import { readObject, readText, wantJson } from '../../http/whole-body.ts'
import { isObject } from '../../settings/field.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { PluginRoutes } from '../plugin.ts'
import { SHIPPING_BOUNDS } from './bounds.ts'
import type { Caller } from './calls.ts'
import { type Envelope, PASSING, serviceFault } from './envelope.ts'
import type { RunningShipping, Shipping } from './part.ts'
import { isShippingPath, keyedPaths, SHIP_PATHS } from './paths.ts'

/** Wrong API keys in a minute; a right one is always accepted, because 256 bits cannot be guessed. */
const WRONG_KEYS = { own: SHIPPING_BOUNDS.wrongKeys, together: 1_000 } as const
const LISTED = 50

type Status = Parameters<HttpContext['json']>[1]

/** The parts of the routes. */
interface ShippingHttp extends AppParts {
  readonly shipping: () => Promise<Shipping>
}

/** The routes of `POST /v1` and similar ones, whose errors are envelopes. */
export const shippingRoutes: PluginRoutes<RunningShipping> = {
  create: (http, running) =>
    createShippingRoutes({ ...http, shipping: async () => await running().open() }),
  refusals: { owns: isShippingPath, answer: refuseShipping },
  keyed: keyedPaths,
}

/** Creates the calls of the shipping API and of its page. */
function createShippingRoutes(parts: ShippingHttp): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const clock = parts.now ?? (() => performance.now())
  const limit = new LoginLimit(clock, WRONG_KEYS)
  const enter = (c: HttpContext) => findCaller(c, parts, limit)
  for (const path of SHIP_PATHS) {
    app.post(path, parts.access.keyed(keyedPaths.use), async (c) => {
      const { shipping, caller } = await enter(c)
      const calls = await readCalls(c, parts)
      const answer = await shipping.desk.answer(calls, caller, c.req.header('idempotency-key'))
      return answerCalls(c, answer)
    })
  }
  app.get('/v1/health', parts.access.read(), (c) => c.json(serviceFault(200, '')))
  app.get('/v1/shipments', parts.access.keyed(keyedPaths.use), async (c) => {
    const { shipping, caller } = await enter(c)
    checkScope(caller, 'ship')
    const answer = shipping.desk.list(caller, c.req.queries())
    return c.json(answer, answer.meta.code as Status)
  })
  app.post('/v1/shipments/settle', parts.access.keyed(keyedPaths.use), async (c) => {
    const { shipping, caller } = await enter(c)
    checkScope(caller, 'ship')
    const body = await readCalls(c, parts)
    const found = shipping.desk.settleByHand(isObject(body) ? body : {}, caller)
    return c.json(found, found.meta.code as Status)
  })
  app.get('/v1/shipments/:id', parts.access.keyed(keyedPaths.use), async (c) => {
    const { shipping, caller } = await enter(c)
    checkScope(caller, 'ship')
    const found = shipping.desk.findShipment(c.req.param('id'), caller)
    return c.json(found, found.meta.code as Status)
  })
  addPageRoutes(app, parts)
  return app
}

/** The caller for the box's own page, which needs no key: anyone who may change the settings could make one. */
const PAGE: Caller = {
  name: 'the page',
  network: 'page',
  scopes: new Set<Scope>(['rate', 'ship', 'track', 'print']),
}

/** Adds the calls of the page of the box: keys, shipments, and the data of the local carrier. */
function addPageRoutes(app: Hono<HttpEnv>, parts: ShippingHttp): void {
  const { access, keys, shipping } = parts
  app.use('/shipping/*', access.admin())
  app.get('/shipping/keys', (c) => c.json(keys.list()))
  app.post('/shipping/keys', async (c) => {
    const { name } = await readObject(c, parts.limits.body())
    const { key, shown } = keys.add(String(name ?? ''))
    return c.json({ ...shown, key }, 201)
  })
  app.post('/shipping/keys/:name/revoke', (c) => {
    keys.revoke(c.req.param('name'))
    return c.json({ Status: 'OK', Message: '' })
  })
  app.get('/shipping/shipments', async (c) => c.json((await shipping()).journal.list(LISTED)))
  app.post('/shipping/calls', async (c) => {
    const answer = await (await shipping()).desk.answer(await readCalls(c, parts), {
      ...PAGE,
      signal: c.req.raw.signal,
    })
    return answerCalls(c, answer)
  })
  app.get('/shipping/local/rates', async (c) => {
    return c.json({ table: (await shipping()).local.readRates() })
  })
  app.put('/shipping/local/rates', async (c) => {
    const { table } = await readObject(c, parts.limits.body())
    const fault = (await shipping()).local.writeRates(String(table ?? ''))
    if (fault !== undefined) throw badField(fault)
    return c.json({ Status: 'OK', Message: '' })
  })
  addAccountRoutes(app, parts)
  app.post('/shipping/local/events', async (c) => {
    const body = await readObject(c, parts.limits.body())
    const fault = (await shipping()).local.noteEvent(body)
    if (fault !== undefined) throw badField(fault)
    return c.json({ Status: 'OK', Message: '' })
  })
}

/** Adds the calls about the accounts of carriers that the box keeps; no secret ever leaves. */
function addAccountRoutes(app: Hono<HttpEnv>, { shipping, limits }: ShippingHttp): void {
  app.get('/shipping/accounts', async (c) => c.json((await shipping()).accounts.list()))
  app.put('/shipping/accounts/:name', async (c) => {
    const { carrier, credentials } = await readObject(c, limits.body())
    const { accounts, describe } = await shipping()
    const { entry, credentials: fields } = await describe(String(carrier ?? ''))
    const given = isObject(credentials) ? credentials : {}
    return c.json(
      accounts.save(c.req.param('name'), { name: entry.name, credentials: fields }, given),
    )
  })
  app.delete('/shipping/accounts/:name', async (c) => {
    ;(await shipping()).accounts.remove(c.req.param('name'))
    return c.json({ Status: 'OK', Message: '' })
  })
  app.get('/shipping/carriers/:name', async (c) => {
    const { entry, actions, credentials } = await (await shipping()).describe(c.req.param('name'))
    const { name, title, tested } = entry
    const fields = credentials.map((one) => ({
      name: one.name,
      title: one.title,
      secret: one.isSecret,
      required: one.isRequired,
    }))
    return c.json({ name, title, tested, actions, credentials: fields })
  })
}

function badField(fault: string): PlatenError {
  return new PlatenError('FIELD_INVALID', fault, { hint: 'Correct it and save again.' })
}

/** Finds the caller by the key; the answer to a wrong key is the same as to none, so that guesses show nothing. */
async function findCaller(
  c: HttpContext,
  parts: ShippingHttp,
  limit: LoginLimit,
): Promise<{ readonly shipping: Shipping; readonly caller: Caller }> {
  const shipping = await parts.shipping()
  const given = c.req.header('x-api-key') ?? ''
  const key = given === '' ? undefined : parts.keys.find(given)
  if (key === undefined) {
    const sender = parts.access.senderOf(c)
    const waits = limit.waits(sender) !== undefined
    limit.fail(sender)
    throw new PlatenError(waits ? 'KEY_LIMIT' : 'KEY_WRONG', waits ? TOO_MANY : 'Invalid API key')
  }
  parts.keys.used(key)
  const caller = { ...callerOf(key, parts.access.networkOf(c)), signal: c.req.raw.signal }
  return { shipping, caller }
}

const TOO_MANY = 'Too many calls came with a wrong API key; wait a minute.'

function callerOf({ name: own, scopes }: StoredKey, network: string): Caller {
  // Each call of `platen ship` has a key of its own; what they bought is one list.
  const name = own.startsWith(PASSING) ? PASSING.trim() : own
  return { name, scopes: new Set<Scope>(scopes), network }
}

function checkScope({ scopes, name }: Caller, scope: Scope): void {
  if (scopes.has(scope)) return
  const message = `The key ${quoteShort(name)} may not do this; it needs the scope ${scope}.`
  throw new PlatenError('KEY_SCOPE', message)
}

/** @throws PlatenError BODY_*, SERVER_BUSY; JSON_INVALID in the words of the shipping API */
async function readCalls(c: HttpContext, parts: AppParts): Promise<unknown> {
  refuseQuery(c)
  const body = parts.limits.body()
  wantJson(c, 'The call')
  const bounds = {
    ...body.bounds,
    bodyBytes: Math.min(SHIPPING_BOUNDS.bodyBytes, body.bounds.bodyBytes),
  }
  const text = await readText(c, { ...body, bounds })
  try {
    return parseExact(text, bounds)
  } catch (error) {
    if (!(error instanceof PlatenError)) throw error
    throw new PlatenError('JSON_INVALID', `Invalid JSON - ${error.message}`, { cause: error })
  }
}

/**
 * Refuses a query: a test mark in the address must not lead to a purchase.
 * @throws PlatenError FIELD_INVALID
 */
function refuseQuery(c: HttpContext): void {
  const [name] = Object.keys(c.req.query())
  if (name === undefined) return
  const seen = quoteShort(name)
  throw new PlatenError('FIELD_INVALID', `The address has the parameter ${seen}.`, {
    hint: 'Put everything into the body: carrier, action, params and request_id.',
  })
}

function answerCalls(c: HttpContext, answer: Envelope | readonly Envelope[]): Response {
  if ('meta' in answer) return c.json(answer, answer.meta.code as Status)
  return c.json(answer)
}

/** Makes a refusal in the form that clients of the shipping API expect; they look at the body only. */
function refuseShipping(c: HttpContext, failure: PlatenError): Response {
  const { status, message, hint, code } = failure
  const retryAfter = retryAfterOf(status)
  if (retryAfter !== undefined) c.header('Retry-After', retryAfter)
  // Words that clients of this API compare.
  const isWhole = code === 'KEY_WRONG' || code === 'JSON_INVALID'
  return c.json(serviceFault(status, isWhole ? message : `${message} ${hint}`), status)
}
