import t from 'tap'
import { LabelMemory } from '../../src/core/request/reader.ts'
import { splitDocuments } from '../../src/labels/detect/detect.ts'
import { SCANNED_A_TURN } from '../../src/labels/languages/bytes.ts'
import { scanInSteps, scanLabel } from '../../src/labels/languages/index.ts'
import { Splitter } from '../../src/plugins/raw/split.ts'
import { processorMs } from '../labels/processor-time.ts'

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

/** Puts a text into memory like that of large labels in requests, where reading a byte takes several times as long. */
function inLabelMemory(text: string): Uint8Array {
  const memory = new LabelMemory()
  memory.append(Buffer.from(text, 'latin1'))
  return memory.take()
}

const LARGE = [
  ['zpl', `^XA${'^FO30,30^A0N,60^FDTurn^FS\n'.repeat(500_000)}^XZ`],
  ['zpl', '^XA^FO30,30^FDTurn^FS^XZ\n'.repeat(500_000)],
  ['zpl', `^XA^FO30,30^FDTurn^FS^XZ${'\n'.repeat(10_000_000)}^XA^XZ`],
  ['epl', `\nN\n${'A30,30,0,4,1,1,N,"Turn"\n'.repeat(500_000)}P1\n`],
  [
    'epl',
    `\nN\n${'A30,30,0,4,1,1,N,"Turn"\n'.repeat(10)}${'^XA^FO30,30^FDTurn^FS^XZ\n'.repeat(400_000)}`,
  ],
  ['tspl', `SIZE 4,6\nCLS\n${'TEXT 30,30,"3",0,1,1,"Turn"\n'.repeat(400_000)}PRINT 1\n`],
] as const

t.test('others have their turn while a label of many megabytes is scanned', (t) => {
  for (const [format, text] of LARGE) {
    const label = inLabelMemory(text)
    const steps = scanInSteps(label, format)
    let pauses = 0
    let step = steps.next()
    while (step.done !== true) {
      pauses += 1
      step = steps.next()
    }
    const name = `${format} ${text.slice(0, 30)}`
    t.ok(pauses > label.length / SCANNED_A_TURN / 2, `${pauses} pauses: ${name}`)
    t.same(step.value, scanLabel(label, format), 'the same is found')
  }
  t.end()
})

t.test('that a label of many megabytes is one document is seen without walking over it', (t) => {
  for (const [format, text] of LARGE) {
    const label = inLabelMemory(text)
    splitDocuments(label)
    // 20 ms; walking from command to command took 700 ms.
    const ms = processorMs(() => t.equal(splitDocuments(label).length, 1))
    t.ok(ms < 250, `${ms.toFixed(0)} ms: ${format} ${text.slice(0, 30)}`)
  }
  t.end()
})
