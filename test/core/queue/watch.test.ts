import t from 'tap'
import { type QueueParts, TIMING } from '../../../src/core/queue/parts.ts'
import { PrinterWatch } from '../../../src/core/queue/watch.ts'

/** A watch of a printer that is asked every `idleMs`; undefined: never. */
function watch(idleMs: number | undefined, isMeasuring = false): PrinterWatch {
  const asker = { idleMs: () => idleMs, isMeasuring: () => isMeasuring, isStranger: () => false }
  const printers = { get: () => undefined }
  const parts = { asker, printers, timing: TIMING } as unknown as QueueParts
  return new PrinterWatch('Bench', parts, () => undefined)
}

const isNear = (ms: number | undefined, wanted: number): boolean =>
  ms !== undefined && ms <= wanted && ms > wanted - 60_000

t.test('when a printer is asked next', (t) => {
  const never = watch(undefined)
  t.same([never.dueMs, never.dueAgainMs, never.holds], [undefined, undefined, false])
  t.ok(isNear(watch(300_000).dueMs, 300_000), 'seldom asked: not at once')
  t.ok(isNear(watch(300_000).dueAgainMs, 300_000), 'nor sooner because somebody else uses it')
  t.equal(watch(60_000).dueMs, 0, 'often asked: at once')
  t.ok(isNear(watch(60_001).dueMs, 60_001))
  t.equal(watch(60_000).dueAgainMs, 3_000, 'while somebody else uses it: as if it were blocked')
  const measuring = watch(3_000_000, true).dueMs ?? 0
  t.ok(measuring <= 150_000 && measuring > 60_000, `${measuring}: a twentieth while it measures`)
  t.end()
})

t.test('what hurries the next question', (t) => {
  const seldom = watch(300_000)
  seldom.hurry()
  t.ok(isNear(seldom.dueMs, 300_000), 'its line is better left alone')
  t.equal(seldom.attend(), false, 'its answer is not old')
  t.equal(watch(60_000).attend(), true, 'it was never asked')
  t.equal(watch(60_000).dueAgainMs, 3_000)
  t.equal(watch(undefined).attend(), false)
  t.end()
})
