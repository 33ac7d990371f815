import { createServer } from 'node:http'
import t from 'tap'
import { hashOf, LIST_IDS, post, readReply } from '../../../src/plugins/heartbeat/exchange.ts'
import { listen } from '../../listen.ts'

const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const reply = (body: object) => readReply(JSON.stringify(body))
/** The ids by which the labels of a reply are known, or why they cannot be printed. */
const ids = (body: object): readonly (string | undefined)[] =>
  reply(body).map((item) => ('message' in item ? item.message.messageId : item.error.message))

t.test('labels of a reply are known by their own ids, or by their place in the list', (t) => {
  t.strictSame(ids({ labels: [ZPL64, ZPL64], ids: ['a', 7] }), ['id:a', 'id:7'])
  t.strictSame(ids({ labels: [{ label: ZPL64, id: 'b' }] }), ['id:b'])
  t.strictSame(ids({ labels: [{ label: ZPL64, id: 'b' }], ids: ['first'] }), ['id:first'])
  const list = hashOf(
    JSON.stringify([
      [ZPL64, ZPL64],
      ['a', null],
    ]),
  )
  t.strictSame(ids({ labels: [ZPL64, ZPL64], ids: ['a', null] }), ['id:a', `${LIST_IDS}${list}:1`])
  for (const none of [undefined, null, '']) {
    t.match(ids({ labels: [ZPL64], ids: [none] }), [/^list:[0-9a-f]{32}:0$/])
  }
  t.match(ids({ labels: [ZPL64], ids: 'a' }), [/^list:/], 'what is no list of ids is none')
  const long = 'x'.repeat(200)
  t.strictSame(ids({ labels: [ZPL64], ids: [long] }), [`id:${long}`])
  t.match(ids({ labels: [ZPL64], ids: [`${long}x`] }), [/^The id is 201 letters long; wanted/])
  t.match(ids({ labels: [ZPL64], ids: [true] }), [/^The id is .*; wanted a text/])
  t.end()
})

t.test('a list with gaps, which PHP writes as an object, is a list', (t) => {
  const gaps = { labels: { 1: ZPL64, 4: ZPL64 }, ids: { 1: 'a', 4: 'b' } }
  t.strictSame(ids(gaps), ['id:a', 'id:b'])
  t.match(ids({ labels: { 2: ZPL64 } }), [/^list:[0-9a-f]{32}:0$/])
  t.strictSame(reply({ labels: { label: ZPL64 } }), [], 'and nothing else')
  t.end()
})

t.test('ids that differ in the last of many digits are two', (t) => {
  const text = `{"labels":["${ZPL64}","${ZPL64}"],"ids":[576462345678901234,576462345678901235]}`
  const known = readReply(text).map((item) => 'message' in item && item.message.messageId)
  t.same(known, ['id:576462345678901234', 'id:576462345678901235'])
  t.end()
})

t.test('one bad entry does not stop the others', (t) => {
  t.match(ids({ labels: [7, ZPL64, null, 'no ~'], ids: [1, 2, 3, 4] }), [
    /^The entry is .*; wanted base64 text\.$/,
    'id:2',
    /^The entry is .*; wanted base64 text\.$/,
    /./,
  ])
  const [bad] = reply({ labels: ['no ~'] })
  t.match(bad, { bytes: Buffer.from('no ~'), messageId: hashOf('no ~') }, 'known by its content')
  t.end()
})

t.test('a reply has 500 labels at most, or none', (t) => {
  const labels = (count: number) => Array.from({ length: count }, () => ZPL64)
  t.equal(reply({ labels: labels(500) }).length, 500)
  t.throws(() => reply({ labels: labels(501) }), { code: 'TOO_MANY_FIELDS' })
  for (const text of ['', '{}', '{"labels":"a"}', '{"labels":{}}', '{"labels":[]}']) {
    t.strictSame(readReply(text), [], text)
  }
  t.throws(() => readReply('{"labels"'), { code: 'BODY_BROKEN' })
  t.end()
})

t.test('what a receiver answers, as text or as a sentence', async (t) => {
  let answer = { status: 200, body: '', headers: {} as Record<string, string> }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  const port = await listen(t, server)
  const limits = { connectMs: 60_000, exchangeMs: 60_000, replyBytes: 20 } as Parameters<
    typeof post
  >[2]
  const beat = (status: number, body: string, headers: Record<string, string> = {}) => {
    answer = { status, body, headers }
    return post(`http://127.0.0.1:${port}/`, '{}', limits, AbortSignal.timeout(60_000))
  }
  const full = `{"a":"${'x'.repeat(12)}"}`
  t.equal(full.length, 20)
  for (const [status, body, expected] of [
    [200, '{"a":1}', { text: '{"a":1}', isPage: false }],
    [299, '{"a":1}', { text: '{"a":1}', isPage: false }],
    [200, full, { text: full, isPage: false }],
    [200, '\ufeff \t\r\n{"a":1}', { text: '{"a":1}', isPage: false }],
    [200, 'OK', { text: '', isPage: false }],
    [204, '', { text: '', isPage: false }],
    [200, '<html>', { text: '', isPage: true }],
    [200, '  <html>', { text: '', isPage: true }],
  ] as const) {
    t.match(await beat(status, body), expected, `${status} ${body}`)
  }
  t.match(await beat(200, '{}', { 'content-encoding': 'identity' }), { text: '{}' })
  const refused = 'SOURCE_REFUSED'
  await t.rejects(beat(200, `${full} `), { code: refused, message: /more than 20 bytes\.$/ })
  // No length is announced: it is counted as it comes.
  await t.rejects(beat(200, `${full} `, { 'transfer-encoding': 'chunked' }), { code: refused })
  await t.rejects(beat(200, '{}', { 'content-encoding': 'gzip' }), { message: /packed reply/ })
  for (const status of [300, 404, 500]) {
    await t.rejects(beat(status, full), { code: refused, message: new RegExp(`HTTP ${status}`) })
  }
  const busy = await beat(503, '', { 'retry-after': '7' }).catch((error: unknown) => error)
  t.match(busy, { code: refused, retryAfterMs: 7_000 })
})
