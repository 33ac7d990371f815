import t from 'tap'
import { BodyBudget } from '../../src/core/request/body-budget.ts'
import { boundsWith, type HttpBounds } from '../../src/http/bounds.ts'
import type { HttpContext } from '../../src/http/parts.ts'
import { retryAfterOf } from '../../src/http/server-faults.ts'
import { readObject, readText, wantJson } from '../../src/http/whole-body.ts'

/** A request whose body comes as a stream of the web. */
function contextOf(
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): HttpContext {
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const raw = new Request('http://box/', init as RequestInit)
  const header = (name: string): string | undefined => headers[name]
  return { req: { raw, header }, env: {} } as unknown as HttpContext
}

function limits(more: Partial<HttpBounds> = {}) {
  const budget = new BodyBudget({ limitBytes: 2 ** 20, freeBytes: 0, waitMs: 60_000 })
  return { bounds: boundsWith(more), budget }
}

/** These pieces, each after so many milliseconds. */
function drip(ms: number, ...pieces: readonly string[]): ReadableStream<Uint8Array> {
  const left = pieces.values()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = left.next()
      if (done) return controller.close()
      await new Promise((resolve) => setTimeout(resolve, ms))
      controller.enqueue(Buffer.from(value))
    },
  })
}

t.test('a body is refused by what its head says, before it is read', async (t) => {
  const { bounds } = limits({ bodyBytes: 1_677_722 })
  const read = (headers: Readonly<Record<string, string>>) =>
    readText(contextOf('{}', headers), { ...limits(), bounds })
  t.equal(await read({ 'content-length': '1677722' }), '{}')
  await t.rejects(read({ 'content-length': '1677723' }), {
    code: 'BODY_TOO_LARGE',
    message: /1\.6/,
    detail: 'The body has 1677723 bytes, wanted at most 1677722.',
  })
  for (const coding of ['', 'identity', ' Identity ']) {
    t.equal(await read({ 'content-encoding': coding }), '{}', coding)
  }
  for (const coding of ['gzip', 'x'.repeat(50)]) {
    await t.rejects(read({ 'content-encoding': coding }), {
      code: 'BODY_TYPE',
      message: `Content-Encoding "${coding.slice(0, 40)}"; wanted`,
    })
  }
})

t.test('a body is read to its bound, and no further', async (t) => {
  const read = (text: string) => readText(contextOf(text), limits({ bodyBytes: 10 }))
  t.equal(await read('0123456789'), '0123456789')
  await t.rejects(read('0123456789x'), {
    code: 'BODY_TOO_LARGE',
    detail: 'The body has more than 10 bytes, wanted at most 10.',
  })
  t.equal(await read('\ufeff{}'), '{}', 'without the mark of the order of bytes')
  const odd = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Uint8Array.of(0xff, 0xfe))
      controller.close()
    },
  })
  await t.rejects(readText(contextOf(odd), limits()), { code: 'BODY_BROKEN' })
})

t.test('who sends nothing for a while, or too slowly, is given up', async (t) => {
  const never = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('abc')),
  })
  await t.rejects(readText(contextOf(never), limits({ bodyIdleMs: 20 })), {
    code: 'BODY_TIMEOUT',
    message: 'No byte of the body arrived for 0.02 s, after 3 bytes.',
  })
  const slow = limits({ bodyIdleMs: 60_000, bodyBytesPerSecond: 1 })
  t.equal(await readText(contextOf(drip(1, 'a', 'b', 'c')), slow), 'abc')
})

t.test('JSON is asked for by its name, or by none', async (t) => {
  const judge = (type?: string): boolean => {
    try {
      wantJson(contextOf('', type === undefined ? {} : { 'content-type': type }), 'The body')
      return true
    } catch {
      return false
    }
  }
  for (const type of [
    undefined,
    '',
    'application/json',
    'text/json',
    'application/vnd.api+json',
    'application/json; charset=utf-8',
  ])
    t.ok(judge(type), `${type}`)
  for (const type of ['text/plain', 'application/jsonp', 'application/+json', 'image/x+json'])
    t.notOk(judge(type), type)
  t.same(await readObject(contextOf(''), limits()), {})
  t.same(await readObject(contextOf('{"a":1}'), limits()), { a: 1 })
  for (const text of ['[]', '1', 'null'])
    await t.rejects(readObject(contextOf(text), limits()), { message: /must be an object/ })
})

t.test('whoever may try again is told when', (t) => {
  t.same([408, 429, 503, 507, 500].map(retryAfterOf), ['1', '60', '10', '60', undefined])
  t.end()
})
