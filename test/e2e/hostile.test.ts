import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { deflateSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { carrierLabel } from '../label-makers/carrier.ts'
import { toGif, toJpeg, toPng } from '../label-makers/files.ts'
import { makeTrap } from '../pictures/jpeg-trap.ts'
import { joinPng } from '../pictures/make-png.ts'
import { type Answer, base64, ENTRIES, jobIn, PATIENT, type Server, startServer } from './server.ts'

t.setTimeout(600_000)

const PEAK_MB = 300
const ZPL = '^XA^FO30,30^A0N,60^FDHello^FS^XZ'

/** A PNG of nothing but zeros: the header says how large, the file stays small. */
const makeBomb = (side: number): Buffer =>
  joinPng(
    { width: side, height: side, depth: 1, color: 0, samples: () => [] },
    deflateSync(Buffer.alloc((side / 8 + 1) * side)),
  )

/** A GIF whose LZW codes point at themselves: a decoder that follows the chain never comes back. */
function makeLoopingGif(): Buffer {
  const gif = Buffer.from(toGif(carrierLabel({ width: 200, height: 300 })))
  for (let i = 820; i < gif.length - 2; i += 7) gif[i] = 0xff
  return gif
}

/** A JPEG of nothing but scan headers of five bytes, each of which says 255 components. */
const makeCountingJpeg = (bytes: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]),
    Buffer.alloc(bytes - 17, Buffer.from([0xff, 0xda, 0, 3, 0xff])),
    Buffer.from([0xff, 0xd9]),
  ])

/** The same every time: bytes changed and ends cut off by a small generator of its own. */
function* mutate(file: Uint8Array, count: number): Generator<Buffer> {
  let seed = 12_345
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  for (let n = 0; n < count; n += 1) {
    const mutant = Buffer.from(file)
    for (let k = 0; k <= next(8); k += 1) mutant[next(mutant.length)] = next(256)
    yield n % 6 === 0 ? mutant.subarray(0, next(mutant.length)) : mutant
  }
}

const peakMb = (server: Server): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

const isLinux = process.platform === 'linux'

t.test('hostile input', { skip: isLinux ? false : 'peak memory is read from /proc' }, async (t) => {
  const sink = await TcpSink.openFor(t)
  const server = await startServer(t, {
    entry: ENTRIES.at(-1) ?? 'packaging/launcher/platen.js',
    folder: t.testdir(),
    config: { printers: [{ name: 'Bench 1', uri: sink.uri, language: 'zpl' }] },
  })
  const goodLabelPrints = async (t: Test): Promise<void> => {
    t.equal((await server.get('/healthz')).status, 200)
    const answer = (await (
      await server.post('/', { label: base64(ZPL) }, PATIENT)
    ).json()) as Answer
    t.equal(answer.Status, 'OK')
    await jobIn(server, answer.jobs[0]?.id ?? '', ['completed'])
  }

  for (const side of [6_400, 10_000, 16_000]) {
    const bomb = makeBomb(side)
    await t.test(`a PNG of ${side}x${side} in ${bomb.length} bytes is refused`, async (t) => {
      const response = await server.post('/', { label: base64(bomb) })
      t.equal(response.status, 413)
      t.match(await response.json(), {
        code: 'PICTURE_TOO_LARGE',
        Message: /too large/,
        detail: new RegExp(`${side}x${side}`),
      })
      await goodLabelPrints(t)
    })
  }

  for (const bytes of [200_000, 1_000_000]) {
    await t.test(`a JPEG of ${bytes} bytes that counts too high is refused`, async (t) => {
      const form = new FormData()
      form.set('label', new File([makeCountingJpeg(bytes)], 'label.jpg'))
      const response = await fetch(`${server.address}/`, { method: 'POST', body: form })
      t.equal(response.status, 422)
      t.match(await response.json(), { code: 'PICTURE_BROKEN', detail: /damaged scan header/ })
      await goodLabelPrints(t)
    })
  }

  await t.test('a JPEG whose comment is full of frames ends with a sentence', async (t) => {
    const response = await server.post('/', { label: base64(makeTrap(20)) }, PATIENT)
    const answer = (await response.json()) as Answer
    t.match(answer, { Status: 'Error', Message: /damaged/, jobs: [{ state: 'aborted' }] })
    await goodLabelPrints(t)
  })

  await t.test('a GIF that loops ends with a sentence', async (t) => {
    const answer = (await (
      await server.post('/', { label: base64(makeLoopingGif()) }, PATIENT)
    ).json()) as Answer
    t.equal(answer.Status, 'Error')
    t.not(answer.Message, '')
    await goodLabelPrints(t)
  })

  const label = carrierLabel({ width: 203, height: 305 })
  const files = { png: toPng(label), jpeg: toJpeg(label), gif: toGif(label) }
  for (const [format, file] of Object.entries(files)) {
    await t.test(`damaged ${format} files print or end with a sentence`, async (t) => {
      for (const mutant of mutate(file, 25)) {
        const response = await server.post('/', { label: base64(mutant) }, PATIENT)
        const answer = (await response.json()) as Answer
        const why = `${response.status} ${answer.Message}`
        t.ok(answer.Status === 'OK' || answer.Message.length > 10, why)
        t.not(response.status, 500, why)
      }
      await goodLabelPrints(t)
    })
  }

  await t.test('junk base64 names the label and the place', async (t) => {
    const response = await server.post('/', { labels: [base64(ZPL), 'XlhB!!!!'] })
    t.equal(response.status, 400)
    t.match(await response.json(), { code: 'LABEL_BASE64', Message: /label 2.*4/ })
    await goodLabelPrints(t)
  })

  await t.test('a body of 50 MB is refused', async (t) => {
    const response = await fetch(`${server.address}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `label=${'QUJD'.repeat(13_000_000)}`,
    }).catch((error: unknown) => error)
    if (response instanceof Response) {
      t.equal(response.status, 413)
      t.match(await response.json(), { code: 'BODY_TOO_LARGE' })
    } else t.ok(response instanceof Error, 'the connection was ended')
    await goodLabelPrints(t)
  })

  await t.test('ten thousand fields are refused', async (t) => {
    const body = Array.from({ length: 10_000 }, (_, n) => `f${n}=1`).join('&')
    const response = await fetch(`${server.address}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    t.equal(response.status, 413)
    t.match(await response.json(), { code: 'TOO_MANY_FIELDS' })
    await goodLabelPrints(t)
  })

  await t.test('a hundred slow clients hold nobody up', async (t) => {
    const port = Number(new URL(server.address).port)
    const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
    for (const socket of sockets) {
      socket.on('error', () => undefined)
      socket.write(
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n',
      )
      socket.write('Content-Length: 1000\r\n\r\nlabel=')
    }
    await goodLabelPrints(t)
    for (const socket of sockets) socket.destroy()
  })

  await t.test(`the server never took more than ${PEAK_MB} MB`, async (t) => {
    const peak = peakMb(server)
    t.ok(peak < PEAK_MB, `${peak.toFixed(0)} MB`)
    t.equal(await server.stop(), 0)
  })
})
