import t from 'tap'
import { findClosedPort } from '../listen.ts'
import { BeanstalkdDaemon, noBeanstalkd } from '../plugins/source/beanstalkd-daemon.ts'
import { startRig } from './rig.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }
}

t.test('the button tests what the form holds', { skip: noBeanstalkd }, async (t) => {
  const { call } = startRig(t)
  const daemon = await BeanstalkdDaemon.start(t)
  const queue = { type: 'beanstalkd', endpoint: daemon.endpoint }
  const said = await call('/sources/test', post({ queue }))
  t.match(await said.json(), { Status: 'OK', Message: /^Reached beanstalkd .* tube default/ })
  const config = (await (await call('/config')).json()) as object
  const nobody = { ...queue, endpoint: `127.0.0.1:${await findClosedPort()}` }
  await call('/config', { ...post({ ...config, queues: [nobody] }), method: 'PUT' })
  const saved = await call('/sources/test', post({ index: 0 }))
  t.equal(saved.status, 503)
  t.match(await saved.json(), { code: 'SOURCE_UNREACHABLE', Message: /refuses connections/ })
  const changed = await call('/sources/test', post({ index: 0, queue }))
  t.equal(changed.status, 200)
})
