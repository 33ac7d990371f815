import t from 'tap'
import { type Action, BLANKS } from '../../src/carriers/answers.ts'
import { CONTRACTS, callsOf, orderOf } from './carriers.ts'
import { judge, withPrism } from './judge.ts'
import { installPrism } from './prism.ts'
import { findMissingSpec } from './specification.ts'

const prism = installPrism()

for (const contract of CONTRACTS) {
  const { carrier, specs, shipments } = contract
  const skip = prism ?? findMissingSpec(specs.map(([, file]) => file)) ?? false
  t.test(`the own description of ${carrier.name} accepts our requests`, { skip }, async (t) => {
    const calls = (Object.keys(BLANKS) as readonly Action[]).flatMap((action) =>
      shipments.flatMap((params) =>
        callsOf(contract, action, orderOf(contract, params)).map((call) => ({ action, call })),
      ),
    )
    for (const [prefix, file, isWhole] of specs) {
      await t.test(file, async (t) => {
        const own = new Map(
          calls
            .filter(({ call }) => call.path.startsWith(prefix))
            .map(({ action, call }) => [JSON.stringify(call), { action, call }] as const),
        )
        t.ok(own.size > 0, 'there are calls for it')
        await withPrism(t, file, async (prism) => {
          for (const { action, call } of own.values()) {
            const path = isWhole ? call.path : call.path.slice(prefix.length)
            const headers = { Authorization: 'Bearer x', ...call.headers }
            await judge(t, prism, action, { ...call, path, headers }, contract.free)
          }
        })
      })
    }
  })
}
