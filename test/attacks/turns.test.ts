import t from 'tap'
import { Splitter } from '../../src/doors/raw/split.ts'
import { processorMs } from '../render/processor-time.ts'

// What one sender may ask for at once, and whether others have their turn meanwhile.

const CHUNK = 64 * 1024

t.test('questions without end on the raw port are split in one pass', (t) => {
  for (const [question, before] of [
    ['~HS', ''],
    ['~HQES', ''],
    ['\x1b!?', ''],
    ['~HS', '\r\n\r\n'],
  ] as const) {
    const splitter = new Splitter()
    const chunk = Buffer.from((before + question).repeat(CHUNK / 4), 'latin1')
    let questions = 0
    // 16 chunks took 11 s when each question moved all bytes behind it.
    const ms = processorMs(() => {
      for (let n = 0; n < 16; n += 1) {
        splitter.push(chunk)
        for (let piece = splitter.next(); piece !== undefined; piece = splitter.next())
          questions += 1
      }
    })
    t.ok(questions >= 16 * (CHUNK / 4) - 1, `${questions} questions`)
    t.ok(ms < 4_000, `${JSON.stringify(before + question)}: ${ms.toFixed(0)} ms`)
  }
  t.end()
})

t.test('labels between questions come out whole', (t) => {
  const splitter = new Splitter()
  const labels: string[] = []
  for (let n = 0; n < 200; n += 1) {
    const stream = `~HS^XA^FO${n},1^FDlabel ${n}^FS^XZ~HS\r\n`
    for (let at = 0; at < stream.length; at += 7) {
      splitter.push(Buffer.from(stream.slice(at, at + 7)))
      for (let piece = splitter.next(); piece !== undefined; piece = splitter.next()) {
        if (piece.kind === 'label') labels.push(Buffer.from(piece.bytes).toString())
      }
    }
  }
  t.equal(labels.length, 200)
  t.same(
    labels.map((text) => /label (\d+)/.exec(text)?.[1]),
    Array.from({ length: 200 }, (_, n) => `${n}`),
  )
  t.end()
})
