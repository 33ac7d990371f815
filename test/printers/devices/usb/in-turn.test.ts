import t from 'tap'
import { inTurn } from '../../../../src/printers/devices/usb/sysfs.ts'

t.test('runs never overlap, and who asks meanwhile shares the next one', async (t) => {
  const gates: PromiseWithResolvers<number>[] = []
  const ask = inTurn(() => {
    const gate = Promise.withResolvers<number>()
    gates.push(gate)
    return gate.promise
  })
  const first = ask()
  const meanwhile = [ask(), ask()]
  t.equal(gates.length, 1)
  gates[0]?.resolve(1)
  t.equal(await first, 1)
  await new Promise(setImmediate)
  t.equal(gates.length, 2)
  gates[1]?.resolve(2)
  t.same(await Promise.all(meanwhile), [2, 2])
  const later = ask()
  gates[2]?.resolve(3)
  t.equal(await later, 3)
})

t.test('a run that fails does not stop the next', async (t) => {
  let runs = 0
  const ask = inTurn(() => {
    runs += 1
    return runs === 1 ? Promise.reject(new Error('once')) : Promise.resolve(runs)
  })
  const [first, second] = [ask(), ask()]
  await t.rejects(first, { message: 'once' })
  t.equal(await second, 2)
})
