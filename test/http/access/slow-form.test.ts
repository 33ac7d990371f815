import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { serve } from '../../../src/http/server.ts'
import { until } from '../../until.ts'
import { listenWith } from '../wire.ts'
import { createRig } from './access-rig.ts'

const config = { username: 'admin', password: 'secret' }
const LAN = '10.0.0.99'

/** Sends the head of a form from another machine, and then a byte from time to time; gives the answer. */
async function drip(t: Test, request: string, formMs: number): Promise<string> {
  const rig = createRig({ config: () => config, bounds: { formMs } })
  const { cookie } = await rig.openPage('localhost', LAN)
  // Without its other bounds, nothing but the form's own ends it.
  const bounds = { requestTimeoutMs: 600_000, socketIdleMs: 600_000, lingerMs: 20 }
  const listener = await serve(rig.app, { host: '127.0.0.1', port: 0, bounds })
  t.teardown(() => listener.close(0))
  const socket = connect(listener.address.port, '127.0.0.1')
  let answer = ''
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    })
  const headers = `Host: localhost\r\nX-Forwarded-For: ${LAN}\r\nSec-Fetch-Site: same-origin\r\nCookie: ${cookie}\r\n`
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8000\r\n'
  socket.write(`${request} HTTP/1.1\r\n${headers}${form}\r\n`)
  const timer = setInterval(() => socket.write('a'), 20)
  t.teardown(() => clearInterval(timer))
  await until('the answer', async () => answer.includes('"code"') || undefined)
  socket.destroy()
  return answer
}

t.test('nothing of a form is read for who is refused with its token too', async (t) => {
  t.match(await drip(t, 'PUT /config', 600_000), /"LOGIN_NEEDED"/)
})

t.test('a form that drips is given up, whatever comes of it', async (t) => {
  for (const request of ['POST /printers/1/test', 'POST /login', 'POST /logout']) {
    t.match(await drip(t, request, 300), /^HTTP\/1\.1 408 .*"BODY_TIMEOUT"/s, request)
  }
})

t.test('who goes away in the middle of a form is no error of ours', async (t) => {
  const { rig, open } = await listenWith(t)
  const { headers } = await rig.app.request('http://localhost/session', {
    headers: { host: 'localhost' },
  })
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 80\r\n'
  const from = `Host: localhost\r\nSec-Fetch-Site: same-origin\r\nCookie: ${cookie}\r\n`
  for (const path of ['/login', '/logout', '/printers/Bench%201/pause']) {
    const { socket, end } = await open()
    socket.end(`POST ${path} HTTP/1.1\r\n${from}${form}\r\ntoken=`)
    await end()
  }
  t.same(rig.log, [])
})
