import { getEventListeners } from 'node:events'
import t, { type Test } from 'tap'
import { type Picture, Renderer, type RendererSettings } from '../../src/jobs/renderer.ts'
import { makeTarget } from '../../src/jobs/target.ts'
import { printer } from './bench.ts'

t.setTimeout(60_000)

const target = makeTarget(printer('A', 'file:a'), {})
const never = new AbortController().signal

function order(text: string): Picture {
  return { format: 'png', label: Buffer.from(text), target }
}

function open(t: Test, more: Partial<RendererSettings> = {}): Renderer {
  const renderer = new Renderer({ worker: new URL('render-stub.ts', import.meta.url), ...more })
  t.teardown(() => renderer.close())
  return renderer
}

async function draw(renderer: Renderer, text: string, signal = never): Promise<string> {
  const { bytes } = await renderer.render(order(text), signal)
  return Buffer.from(bytes).toString().split(' ')[0] ?? ''
}

t.test('draws one after the other, in order', async (t) => {
  const renderer = open(t)
  const done: string[] = []
  await Promise.all(['a', 'b', 'c'].map(async (text) => done.push(await draw(renderer, text))))
  t.same(done, ['a', 'b', 'c'])
})

t.test('says what the thread says, and keeps it', async (t) => {
  const renderer = open(t)
  await t.rejects(draw(renderer, 'broken'), { code: 'PICTURE_BROKEN', message: 'It is broken.' })
  t.equal(await draw(renderer, 'next'), 'next')
})

t.test('stops what takes too long, and draws the next', async (t) => {
  const renderer = open(t, { timeLimitMs: 4000 })
  const hangs = draw(renderer, 'hang')
  const waits = draw(renderer, 'next')
  await t.rejects(hangs, {
    code: 'PICTURE_TIMEOUT',
    message: /png of 4 bytes was stopped after 4 s/,
  })
  t.equal(await waits, 'next')
})

t.test('survives the death of the thread', async (t) => {
  const renderer = open(t, { heapMb: 64 })
  await t.rejects(draw(renderer, 'die'), { code: 'PICTURE_MEMORY' })
  await t.rejects(draw(renderer, 'throw'), {
    code: 'PICTURE_MEMORY',
    message: /fault of the thread/,
  })
  await t.rejects(draw(renderer, 'eat'), { code: 'PICTURE_MEMORY' })
  t.equal(await draw(renderer, 'next'), 'next')
})

t.test('stops when the caller wants it no more', async (t) => {
  const renderer = open(t)
  t.equal(await draw(renderer, 'warm'), 'warm')
  const controller = new AbortController()
  const hangs = draw(renderer, 'hang', controller.signal)
  const behind = draw(renderer, 'behind', controller.signal)
  setImmediate(() => controller.abort())
  await t.rejects(hangs, { name: 'AbortError' })
  await t.rejects(behind, { name: 'AbortError' })
  t.equal(await draw(renderer, 'next'), 'next')
  t.equal(getEventListeners(never, 'abort').length, 0, 'and leaves nothing behind')
})

t.test('ends an idle thread and starts it again', async (t) => {
  const renderer = open(t, { idleMs: 1 })
  t.equal(await draw(renderer, 'a'), 'a')
  await renderer.close()
  await t.rejects(draw(renderer, 'b'), { code: 'PICTURE_MEMORY', message: /stopping/ })
})
