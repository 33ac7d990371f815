import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { answerBadRequest } from '../../../src/http/guard/refusals.ts'
import { serve } from '../../../src/http/server.ts'
import { until } from '../../until.ts'

t.test('what never became a request is answered, where anybody can hear it', (t) => {
  const say = (code: string, more: object = {}): string => {
    const said: string[] = []
    const socket = {
      writable: true,
      destroy: () => said.push('destroyed'),
      end: (text: string) => said.push(text.slice(9, 12)),
      setTimeout: () => undefined,
      ...more,
    }
    answerBadRequest(Object.assign(new Error('x'), { code }), socket as unknown as Socket)
    return said.join()
  }
  t.same(
    ['HPE_INVALID_METHOD', 'HPE_HEADER_OVERFLOW', 'ERR_HTTP_REQUEST_TIMEOUT'].map((one) =>
      say(one),
    ),
    ['400', '431', '408'],
  )
  for (const code of ['ERR_SSL_HTTP_REQUEST', 'ERR_TLS_HANDSHAKE_TIMEOUT', 'EPROTO', 'ECONNRESET'])
    t.equal(say(code), 'destroyed', code)
  t.equal(say('HPE_X', { writable: false }), 'destroyed')
  t.end()
})

/** Collects the answers on a connection that asks, and sends what is not HTTP once `isAsked`; until its end. */
async function askBadly(
  t: Test,
  answer: () => Promise<Response>,
  isAsked: (text: string) => boolean,
) {
  const listener = await serve({ fetch: answer }, { host: '127.0.0.1', port: 0 })
  t.teardown(() => listener.close(0))
  const socket = connect(listener.address.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until('the request', async () => isAsked(text) || undefined)
  socket.write('no HTTP\r\n\r\n')
  await until('the end', async () => socket.destroyed || undefined)
  return text
}

t.test('a refusal is not written into an answer that has begun', async (t) => {
  const body = () => new ReadableStream({ start: (own) => own.enqueue(Buffer.from('begun')) })
  const text = await askBadly(
    t,
    async () => new Response(body()),
    (came) => came.includes('begun'),
  )
  t.match(text, /^HTTP\/1\.1 200 /)
  t.notMatch(text, '400')
})

t.test('one is written where the answer before has not begun', async (t) => {
  let isAsked = false
  const never = () => {
    isAsked = true
    return new Promise<Response>(() => undefined)
  }
  t.match(await askBadly(t, never, () => isAsked), /^HTTP\/1\.1 400 Refused\r\n/)
})
