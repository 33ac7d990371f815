import type { Test } from 'tap'
import type { Action } from '../../src/carriers/answers.ts'
import type { Carrier, CarrierOrder, HttpCall } from '../../src/carriers/carrier.ts'
import { Prism } from './prism.ts'
import { prepare } from './specification.ts'

/** The calls that an action sends; `prefix` stands before the paths of the carrier's file. */
export function callsOf(
  carrier: Carrier,
  action: Action,
  order: CarrierOrder,
  prefix: string,
): readonly HttpCall[] {
  const plan = carrier.actions[action]
  const next = plan?.request(order)
  if (next === undefined || 'errors' in next)
    throw new Error(`${action} refuses ${JSON.stringify(next)}`)
  const recovery = plan?.recover?.(order, { shipment: 'shp_1' })
  const asks = recovery === undefined || recovery === 'not done' ? [] : [recovery]
  return [next.call, ...asks].map((call) => ({
    ...call,
    path: call.path.slice(prefix.length),
    headers: { Authorization: 'Bearer x', ...call.headers },
  }))
}

/** Prism with one specification, for as long as `work` takes. */
export async function withPrism(
  t: Test,
  name: string,
  work: (prism: Prism) => Promise<void>,
): Promise<void> {
  const prism = await Prism.start(prepare(name, t.testdir()))
  try {
    await work(prism)
  } finally {
    await prism.stop()
  }
}

/**
 * Good as it is, and seen to be judged: with a name misspelt it is not.
 * @param free names that the specification leaves open
 */
export async function judge(
  t: Test,
  prism: Prism,
  name: string,
  call: HttpCall,
  free: readonly string[] = [],
): Promise<void> {
  const { method, path, headers, body } = call
  const { status, violations } = await prism.judge(method, path, headers, body)
  t.same(violations, [], `${name}: ${method} ${path}`)
  t.ok(status < 300, `${name}: ${status}`)
  if (body === undefined || headers['Content-Type'] !== 'application/json') return
  for (const field of new Set([...body.matchAll(/"(\w+)":/g)].map(([, one = '']) => one))) {
    if (free.includes(field)) continue
    const misspelt = body.replace(`"${field}":`, `"${field}x":`)
    const bad = await prism.judge(method, path, headers, misspelt)
    t.ok(bad.violations.length > 0 || bad.status >= 400, `${name}: ${field}x is seen`)
  }
}
