import { channel } from 'node:diagnostics_channel'
import { getEventListeners, once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import {
  drawingTime,
  type PictureRequest,
  Renderer,
  type RendererSettings,
} from '../../../src/core/drawing/renderer.ts'
import { makeTarget } from '../../../src/core/drawing/target.ts'
import { makePng } from '../../pictures/make-png.ts'
import { printer, WORKER } from '../bench.ts'
import { BROKEN, PIXEL } from '../labels.ts'
import { PDF_FILES } from '../pdf-files.ts'

t.setTimeout(300_000)

// An idle thread does not keep the process alive; a print server does that itself.
const alive = setInterval(() => undefined, 1_000)
t.teardown(() => clearInterval(alive))

const STUB = new URL('render-stub.ts', import.meta.url)

const target = makeTarget(printer('A', 'file:a'), {})
const never = new AbortController().signal

function picture(label: Uint8Array): PictureRequest {
  return { format: 'png', label, target }
}

function open(t: Test, more: Partial<RendererSettings> = {}): Renderer {
  const renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER, ...more })
  t.teardown(() => renderer.close())
  return renderer
}

/** Draws a label as text; from the thread with faults, the order that it did not know. */
async function draw(
  renderer: Renderer,
  label: Uint8Array | string,
  signal = never,
): Promise<string> {
  const { bytes } = await renderer.render(picture(Buffer.from(label)), signal)
  return Buffer.from(bytes).toString('latin1')
}

/** The threads that are started from now on. */
function watchThreads(t: Test): readonly Worker[] {
  const threads: Worker[] = []
  const started = channel('worker_threads')
  const note = (message: unknown): void => {
    threads.push((message as { worker: Worker }).worker)
  }
  started.subscribe(note)
  t.teardown(() => started.unsubscribe(note))
  return threads
}

t.test('draws one after the other, in order, on one thread', async (t) => {
  const threads = watchThreads(t)
  const renderer = open(t)
  const done: string[] = []
  const wanted = ['zpl', 'epl', 'tspl'] as const
  await Promise.all(
    wanted.map(async (language) => {
      const other = makeTarget(printer('A', 'file:a', language), {})
      const drawn = renderer.render({ ...picture(PIXEL), target: other }, never)
      t.match(await drawn, { preview: Uint8Array })
      done.push(language)
    }),
  )
  t.same(done, wanted)
  t.equal(threads.length, 1)
})

t.test('says what the thread says, and keeps it', async (t) => {
  const threads = watchThreads(t)
  const renderer = open(t)
  await t.rejects(draw(renderer, BROKEN), { code: 'PICTURE_BROKEN', message: /PNG/ })
  t.match(await draw(renderer, PIXEL), /^\^XA/)
  t.equal(threads.length, 1)
})

t.test('ends an idle thread and starts another', async (t) => {
  const threads = watchThreads(t)
  const renderer = open(t, { idleMs: 1 })
  t.match(await draw(renderer, PIXEL), /^\^XA/)
  const [first] = threads
  if (first && first.threadId !== -1) await once(first, 'exit')
  t.match(await draw(renderer, PIXEL), /^\^XA/)
  t.equal(threads.length, 2)
  await renderer.close()
  await t.rejects(draw(renderer, PIXEL), { code: 'PICTURE_MEMORY', message: /stopping/ })
})

t.test('takes the label along, and ends a thread that had a large one', async (t) => {
  const threads = watchThreads(t)
  const renderer = open(t, { worker: STUB })
  const small = new Uint8Array(1000)
  t.equal((await renderer.render(picture(small), never)).bytes.length, 1000)
  t.equal(small.length, 0, 'its memory is gone from here')
  const large = new Uint8Array(2 ** 20 + 1)
  const part = large.subarray(1)
  t.equal((await renderer.render(picture(part), never)).bytes.length, 2 ** 20)
  t.equal(part.length, 2 ** 20, 'what others may use stays')
  t.equal(threads.length, 1)
  t.equal((await renderer.render(picture(large), never)).bytes.length, 2 ** 20 + 1)
  t.equal(threads[0]?.threadId, -1, 'it has ended')
  t.match(await draw(renderer, 'next'), 'next')
  t.equal(threads.length, 2)
})

t.test('outlives a thread that is killed in the middle of a picture', async (t) => {
  const threads = watchThreads(t)
  const renderer = open(t)
  const lost = draw(renderer, PIXEL)
  const behind = draw(renderer, PIXEL)
  while (threads.length === 0) await new Promise(setImmediate)
  await Promise.all([
    t.rejects(lost, { code: 'PICTURE_MEMORY', message: /^Drawing the png ended/ }),
    threads[0]?.terminate(),
  ])
  t.match(await behind, /^\^XA/)
})

t.test('stops what takes too long, and draws the next', async (t) => {
  const renderer = open(t, { worker: STUB, timeLimitMs: 1000 })
  const hangs = draw(renderer, 'hang')
  const waits = draw(renderer, 'next')
  await t.rejects(hangs, {
    code: 'PICTURE_TIMEOUT',
    // On a machine that gives the thread less than a sixth of a processor, its other limit comes first.
    message: /png of 4 bytes was stopped after (1 s of processor time|6 s, in which)/,
  })
  t.equal(await waits, 'next')
})

t.test(
  'counts the time that a thread works, not the time that it waits for a processor',
  async (t) => {
    const renderer = open(t, { worker: STUB, timeLimitMs: 2000 })
    t.equal(await draw(renderer, 'pause'), 'pause', '3 s of standing still are not work')
  },
)

t.test('gives up a thread that stands still, and draws the next', async (t) => {
  const renderer = open(t, { worker: STUB, timeLimitMs: 1000 })
  const sleeps = draw(renderer, 'sleep')
  const waits = draw(renderer, 'next')
  await t.rejects(sleeps, {
    code: 'PICTURE_TIMEOUT',
    message: /after 6 s, in which it did not get on/,
  })
  t.equal(await waits, 'next')
})

t.test('gives a picture more time the more pixels it has', (t) => {
  const large = makePng({ width: 3000, height: 1, color: 0, depth: 1, samples: () => [1] })
  t.equal(drawingTime('png', large, 1000), 1006)
  t.equal(drawingTime('png', Buffer.from('no picture'), 1000), 1000)
  t.equal(drawingTime('packlist', large, 1000), 1000)
  t.end()
})

t.test('survives the death of the thread', async (t) => {
  const renderer = open(t, { worker: STUB, heapMb: 64, timeLimitMs: 240_000 })
  await t.rejects(draw(renderer, 'die'), { code: 'PICTURE_MEMORY' })
  await t.rejects(draw(renderer, 'throw'), {
    code: 'PICTURE_MEMORY',
    message: /fault of the thread/,
  })
  await t.rejects(draw(renderer, 'eat'), { code: 'PICTURE_MEMORY' })
  t.equal(await draw(renderer, 'next'), 'next')
})

t.test('stops when the caller wants it no more', async (t) => {
  const renderer = open(t, { worker: STUB })
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
