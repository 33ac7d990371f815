import t from 'tap'
import { createUpdateRoutes } from '../../src/http/info.ts'
import type { UpdateResult } from '../../src/system/updates.ts'
import { inEnglish, NOTHING, type Sentences, say } from '../../src/words/say.ts'
import { spoken } from '../words/spoken.ts'
import { startRig } from './rig.ts'

const IP = '192.0.2.7'

t.test('the lines of a door lead where other computers reach this one', async (t) => {
  let [bound, ip] = ['::', IP]
  const told: string[] = []
  const report = {
    title: 'Raw',
    key: 'raw_ports',
    state: 'open',
    message: NOTHING,
    hint: NOTHING,
    contactAt: 0,
    lines: [{ name: 'Port', value: '9100', where: NOTHING }],
  }
  const { call } = startRig(t, {
    doors: {
      answering: () => undefined,
      findNamed: () => undefined,
      tell: ({ host }) => {
        told.push(host)
        return [report, { ...report, contactAt: Date.UTC(2026, 0, 2) }] as never
      },
    },
    parts: {
      info: () => ({
        version: '1',
        host: bound,
        hostName: 'box',
        ip,
        names: ['box.local'],
        port: '8080',
        securePort: '',
        uptime: 1,
      }),
    },
  })
  for (const [name, host] of [
    ['localhost:8080', IP],
    ['127.0.0.1:8080', IP],
    ['[::1]:8080', IP],
  ] as const) {
    const answer = await call('/doors', { headers: { host: name } })
    t.equal(answer.status, 200, name)
    t.equal(told.at(-1), host, name)
    t.match(await answer.json(), [{ contact: null }, { contact: '2026-01-02T00:00:00.000Z' }])
  }
  ip = '2001:db8::7'
  await call('/doors', { headers: { host: 'localhost' } })
  t.equal(told.at(-1), '[2001:db8::7]', 'an address of IPv6 is written in brackets')
  bound = '127.0.0.1'
  await call('/doors', { headers: { host: 'localhost' } })
  t.equal(told.at(-1), '127.0.0.1', 'nobody listens at the others')
})

/** The routes of an installation with this hindrance. */
function update(hindrance: Sentences | undefined, request: () => void = () => undefined) {
  const last: UpdateResult = { result: 'none', from: '', to: '', message: '', hint: '', at: '' }
  const updates = { last: () => last, hindrance: () => hindrance, request }
  const admin = () => async (_: unknown, next: () => Promise<void>) => await next()
  const routes = createUpdateRoutes({ access: { admin }, updates, version: '1.2.3' })
  routes.onError((error, c) => c.json({ ...error, Message: error.message }, 500))
  return routes
}

t.test('an update can be asked for where nothing is in the way, and why not is said', async (t) => {
  let asked = 0
  const open = update(undefined, () => {
    asked += 1
  })
  t.match(await (await open.request('/update')).json(), {
    version: '1.2.3',
    possible: true,
    why_not: '',
    last: { result: 'none' },
  })
  t.equal(asked, 0, 'who looks asks for nothing')
  const taken = await open.request('/update', { method: 'POST' })
  t.match([taken.status, await taken.json()], [202, { Status: 'OK', Message: /./ }])
  t.equal(asked, 1)
  const shut = update(say('notDebian'), () => {
    asked += 1
  })
  t.match(spoken(await (await shut.request('/update')).json()), {
    possible: false,
    why_not: inEnglish(say('notDebian')),
  })
  const refused = await shut.request('/update', { method: 'POST' })
  t.match(spoken(await refused.json()), {
    code: 'UPDATE_NONE',
    Message: inEnglish(say('notDebian')),
  })
  t.equal(asked, 1)
  const full = update(undefined, () => {
    throw new Error('ENOSPC')
  })
  const lost = await full.request('/update', { method: 'POST' })
  t.match(spoken(await lost.json()), {
    code: 'STATE_UNWRITABLE',
    Message: inEnglish(say('updateUnsaved')),
  })
})
