import type { HttpBindings } from '@hono/node-server'
import type { Context, Next } from 'hono'
import { paceChunks } from '../../core/request/arrival.ts'
import type { BudgetShare } from '../../core/request/body-budget.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { findRemote, ownerOf } from '../access/addresses.ts'
import type { HttpBounds } from '../bounds.ts'
import type { BodyLimits } from './body-limits.ts'

/**
 * Hands the body to `take` as it arrives; nothing is kept here.
 * @throws PlatenError BODY_TYPE (compressed), BODY_TOO_LARGE (as soon as it is known), BODY_TIMEOUT, BODY_BROKEN
 * (the client went away), SERVER_BUSY, and whatever `take` throws
 */
export async function readBody(
  c: Context,
  { bounds, budget }: BodyLimits,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  refuseEarly(c, bounds)
  if (c.req.header('expect')?.toLowerCase() === '100-continue') nodeOf(c).outgoing?.writeContinue()
  const share = budget.open(ownerOf(findRemote(c)))
  let isRead = false
  let bytes = 0
  try {
    const whole = takeWhole(c)
    if (whole !== undefined) {
      if (whole.length > bounds.bodyBytes) throw tooLarge(`more than ${bounds.bodyBytes}`, bounds)
      await share.take(whole.length)
      take(whole)
      isRead = true
      return
    }
    for await (const chunk of paceChunks(openBody(c), bounds)) {
      bytes += chunk.length
      if (bytes > bounds.bodyBytes) throw tooLarge(`more than ${bounds.bodyBytes}`, bounds)
      await share.take(chunk.length)
      take(chunk)
    }
    isRead = true
  } finally {
    if (isRead) held.set(c, [...(held.get(c) ?? []), share])
    else share.release()
  }
}

/** The shares of the budget that the body of each request holds. */
const held = new WeakMap<Context, readonly BudgetShare[]>()

/** Lists the shares that a request holds: what came of its body counts until it is answered, or gives it back before. */
export function holdBody(c: Context): readonly BudgetShare[] {
  return held.get(c) ?? []
}

/** Its labels are on disk. */
export function releaseBody(c: Context): void {
  for (const share of holdBody(c)) share.release()
  held.delete(c)
}

/** Whoever reads a body need not think of it: what it holds is given back when the request is answered. */
export async function releaseBodies(c: Context, next: Next): Promise<void> {
  try {
    await next()
  } finally {
    releaseBody(c)
  }
}

function refuseEarly(c: Context, bounds: HttpBounds): void {
  const coding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') {
    throw new PlatenError(
      'BODY_TYPE',
      `The body has the Content-Encoding ${JSON.stringify(coding.slice(0, 40))}; wanted a body that is not compressed.`,
      { hint: 'Send the body as it is, without a Content-Encoding.' },
    )
  }
  const length = Number(c.req.header('content-length') ?? 0)
  if (length > bounds.bodyBytes) throw tooLarge(String(length), bounds)
}

function tooLarge(seen: string, bounds: HttpBounds): PlatenError {
  return new PlatenError(
    'BODY_TOO_LARGE',
    say('tooLarge', { most: Math.floor((bounds.bodyBytes / 2 ** 20) * 10) / 10 }),
    { detail: `The body has ${seen} bytes, wanted at most ${bounds.bodyBytes}.` },
  )
}

/** Node's own stream where there is one: the detour over a web stream costs a copy and a third of the time. */
function openBody(c: Context): AsyncIterable<Uint8Array> {
  const { incoming } = nodeOf(c)
  // One that somebody has begun to read (a form's token is looked for first) can only be read on as they left it.
  if (!incoming?.readable || incoming.readableDidRead) {
    return c.req.raw.body ?? (async function* () {})()
  }
  // A refusal must not cut the connection before the client has read it, so the stream stays open.
  return { [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) }
}

/** A body that is here already, as most labels are: nobody is waited for, so no clock runs. */
function takeWhole(c: Context): Uint8Array | undefined {
  const { incoming } = nodeOf(c)
  if (!incoming?.complete || !incoming.readable || incoming.readableDidRead) return undefined
  return (incoming.read() as Uint8Array | null) ?? undefined
}

/** Node's own request and answer; nothing under `app.request()`. */
function nodeOf(c: Context): Partial<HttpBindings> {
  return (c.env as Partial<HttpBindings> | undefined) ?? {}
}
