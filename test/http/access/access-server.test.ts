import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import t from 'tap'
import { createRig } from './access-rig.ts'

t.test('over a real socket', async (t) => {
  const { app } = createRig()
  const server = createAdaptorServer({ fetch: app.fetch })
  server.listen(0, '::')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo

  async function say(request: string): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    socket.end(`${request}\r\nConnection: close\r\n\r\n`)
    let answer = ''
    for await (const text of socket) answer += text
    return answer
  }

  await t.test('a program of this machine reads jobs through a dual-stack socket', async (t) => {
    t.match(await say(`GET /jobs HTTP/1.1\r\nHost: localhost:${port}`), /^HTTP\/1\.1 200 /)
  })

  await t.test('a target with a host of its own does not pass behind an own Host', async (t) => {
    const answer = await say('GET http://evil.example/info HTTP/1.1\r\nHost: localhost')
    t.match(answer, /^HTTP\/1\.1 403 /)
    t.match(answer, /HOST_REFUSED/)
    t.match(answer, /x-content-type-options: nosniff/i)
  })

  await t.test('a target that names the box passes', async (t) => {
    t.match(await say('GET http://localhost/info HTTP/1.1\r\nHost: localhost'), /^HTTP\/1\.1 200 /)
  })

  await t.test('a Host with a user name is refused', async (t) => {
    t.match(await say('GET /info HTTP/1.1\r\nHost: a@localhost'), /^HTTP\/1\.1 40[03] /)
  })

  await t.test(
    'every page brings the headers that keep it to itself, and its cookie',
    async (t) => {
      const answer = await say(`GET / HTTP/1.1\r\nHost: localhost:${port}`)
      t.match(answer, /content-security-policy: default-src 'self';.*frame-ancestors 'none'/i)
      t.match(answer, /referrer-policy: same-origin/i)
      t.match(answer, /cross-origin-resource-policy: same-origin/i)
      t.match(answer, /cache-control: no-store/i)
      t.match(answer, /set-cookie: platen_page=/i)
      t.notMatch(answer, /strict-transport-security/i)
    },
  )

  await t.test('a page under a foreign name gets no cookie', async (t) => {
    t.notMatch(await say('GET / HTTP/1.1\r\nHost: evil.example'), /set-cookie/i)
  })
})

t.test('a page on a server of its own asks for its token', async (t) => {
  const { app, access, send } = createRig()
  app.get('/form', access.read(), (c) =>
    c.html(`<input name="token" value="${access.pageToken(c)}">`),
  )
  const { text, headers } = await send({ path: '/form' })
  t.match(text, /value="[\w-]{43}"/)
  t.equal(headers.getSetCookie().length, 1)
})
