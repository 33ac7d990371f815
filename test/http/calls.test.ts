import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import * as v from 'valibot'
import type { Call } from '../../src/http/call.ts'
import { describeApi } from '../../src/http/openapi/document.ts'
import { calls } from '../../src/http/resources.ts'
import { settingsSchema } from '../../src/plugins/index.ts'
import { allPlugins } from '../plugins/all.ts'
import { makeRandom } from '../random.ts'

interface Described {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
}

const { paths } = JSON.parse(
  JSON.stringify(describeApi('1.2.3', calls, await allPlugins.describe(), settingsSchema.fields)),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}
const operations = Object.values(paths).flatMap((methods) => Object.values(methods))

t.test('operation ids are names, one for each call', (t) => {
  const ids = operations.map(({ operationId }) => operationId)
  t.equal(new Set(ids).size, ids.length)
  for (const id of ids) t.match(id, /^[a-z]+(?:[A-Z][a-z]*)*$/)
  t.end()
})

/** Their values are those of the settings, whose schema refuses them with sentences of its own. */
const CHECKED_BY_SETTINGS = ['checkPrinterAddress', 'testSource']

t.test('a body that is taken is one that is described', (t) => {
  const random = makeRandom(46)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const VALUES = [undefined, null, true, 0, 1, -1.5, '', 'Bench 1', 'k7xq-15', [], ['1Z'], {}, [3]]
  const bodies = Object.entries<Call>(calls).filter(
    ([id, { body }]) => body !== undefined && !CHECKED_BY_SETTINGS.includes(id),
  )
  t.ok(bodies.length > 6)
  for (const [id, { body }] of bodies) {
    const described = operations.find(({ operationId }) => operationId === id)?.requestBody
    const check = new Ajv2020().compile(described?.content['application/json']?.schema ?? {})
    const seen = { taken: 0, refused: 0 }
    for (let n = 0; n < 300; n++) {
      const names = Object.keys(body?.entries ?? {})
      const sent = JSON.parse(
        JSON.stringify(Object.fromEntries(names.map((name) => [name, pick(VALUES)]))),
      )
      const isTaken = v.is(body as v.GenericSchema, sent)
      seen[isTaken ? 'taken' : 'refused'] += 1
      if (isTaken && !check(sent))
        t.fail(`${id} takes ${JSON.stringify(sent)}`, { errors: check.errors })
    }
    t.ok(seen.taken > 0, `${id} takes some`)
  }
  t.end()
})
