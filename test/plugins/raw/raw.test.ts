import t, { type Test } from 'tap'
import { type AnswerFacts, answerQuestion, type PrinterReason, portQuestions } from '#labels'
import { parseErrorReport } from '../../../src/labels/languages/epl/index.ts'
import { parseStatusByte } from '../../../src/labels/languages/tspl/index.ts'
import {
  parseErrors,
  parseHostIdentity,
  parseHostStatus,
} from '../../../src/labels/languages/zpl/index.ts'
import { raw } from '../../../src/plugins/raw/index.ts'
import { printer } from '../../core/bench.ts'
import { carrierLabel } from '../../label-makers/carrier.ts'
import { toPng } from '../../label-makers/files.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { type DoorBench, jobs, openDoor } from '../door/door-bench.ts'
import { open, talk } from './client.ts'

const LABEL = '^XA^FDHello^FS^XZ'

async function openRaw(t: Test, settings = {}): Promise<DoorBench & { port: number }> {
  const port = await findClosedPort()
  return { ...(await openDoor(t, raw, { raw_port: port }, settings)), port }
}

const told = (...reasons: readonly PrinterReason[]): Omit<AnswerFacts, 'waiting'> => ({
  makeAndModel: 'Zebra ZD420',
  dpi: 203,
  media: { lengthDots: 1218 },
  reasons,
})

function answer(name: string, facts: Omit<AnswerFacts, 'waiting'>, waiting: number): string {
  const question = portQuestions.find((one) => one.name === name)
  if (question === undefined) throw new Error(`nothing asks ${name}`)
  return answerQuestion(question, { ...facts, waiting })
}

t.test('the lines for CUPS make a queue of its own for each printer', (t) => {
  const queuesOf = (...names: readonly string[]) => {
    const ports = names.map((name, n) => ({ port: 9101 + n, printer: name }))
    const lines = raw.lines(
      { host: '', ports },
      {
        host: 'box.local',
        port: '80',
        securePort: '',
      },
    )
    return lines.flatMap(({ line }) => /^lpadmin -p (\w[\w-]*) -E /.exec(line)?.[1] ?? [])
  }
  t.same(queuesOf('Bench 1', 'Dock-2', '-Door'), ['Bench_1', 'Dock-2', 'Door'])
  const names = ['Касса', 'Склад', 'Касса 1', 'Склад 1', '包装', '!']
  t.equal(new Set(queuesOf(...names)).size, names.length, queuesOf(...names).join())
  t.end()
})

t.test('the answers are those that printers of each language give', (t) => {
  for (const reason of ['media-empty', 'cover-open', 'paused'] as const) {
    const state = told(reason)
    t.same(parseHostStatus(answer('~HS', state, 3))?.reasons, [reason])
    t.same(parseErrors(answer('~HQES', state, 3))?.reasons, [reason])
    t.same(parseErrorReport(answer('^ee', state, 3))?.reasons, [reason])
    t.same(parseStatusByte(answer('ESC ! ?', state, 3)), {
      reasons: [reason],
      isBusy: true,
    })
  }
  // EPL has one code for both, and ~HS no word for a jam.
  const ribbon = told('marker-supply-empty')
  t.same(parseHostStatus(answer('~HS', ribbon, 0))?.reasons, ['marker-supply-empty'])
  for (const reason of ['marker-supply-empty', 'media-jam'] as const) {
    t.same(parseErrors(answer('~HQES', told(reason), 0))?.reasons, [reason])
    t.same(parseStatusByte(answer('ESC ! ?', told(reason), 0))?.reasons, [reason])
  }
  t.match(parseHostStatus(answer('~HS', told('none'), 12)), {
    reasons: [],
    isBusy: true,
    media: { lengthDots: 1218 },
  })
  t.same(parseStatusByte(answer('ESC ! ?', told('none'), 0)), {
    reasons: [],
    isBusy: false,
  })
  t.match(parseErrors(answer('~HQES', told('none'), 0)), { reasons: [] })
  t.match(parseErrorReport(answer('^ee', told('none'), 0)), { reasons: [] })
  t.equal(parseHostIdentity(answer('~HI', told('none'), 0))?.makeAndModel, 'Zebra ZD420')
  t.equal(answer('~HS', told('offline'), 0), '', 'silence, as of a printer that is off')
  t.end()
})

t.test('a program that keeps its connection prints and asks in turn', async (t) => {
  const { bench, port } = await openRaw(t)
  const { socket, text } = await open(port)
  for (let count = 1; count <= 3; count++) {
    socket.write(`${LABEL}~HS`)
    await poll('the answer', () => text().split('1234,0').length === count + 1)
    t.equal(bench.spool.history.list({ limit: 9 }).length, count)
  }
  socket.destroy()
})

t.test('the port of a printer is that printer, and closes when it is gone', async (t) => {
  const [port, own] = [await findClosedPort(), await findClosedPort()]
  const b = { name: 'B', uri: 'file:b', raw_port: own }
  const door = await openDoor(t, raw, {
    raw_port: port,
    printers: [{ name: 'A', uri: 'file:a' }, b],
  })
  await talk(own, [LABEL])
  await talk(port, [LABEL])
  t.same(
    jobs(door).map((job) => job.printer),
    ['B', 'A'],
  )
  await door.configure({ raw_port: port })
  await poll('the port to close', async () => !(await talk(own, [LABEL])).isClosed)
  t.equal(jobs(door).length, 2)
})

t.test('labels for a printer that is not known are held for a person', async (t) => {
  const port = await findClosedPort()
  const printers = [{ name: 'Gone', uri: 'file:gone', raw_port: port }]
  const door = await openDoor(t, raw, { printers })
  t.equal((await talk(port, [LABEL])).isClosed, true)
  t.match(spoken(jobs(door)), [
    { state: 'pending-held', printer: 'Gone', message: /found no printer/ },
  ])
})

t.test(
  'a broken label is kept as evidence, and what prints HTTP is told where the page is',
  async (t) => {
    const door = await openRaw(t)
    await talk(door.port, ['^XA^FDhalf'])
    t.match(spoken(jobs(door)), [
      { state: 'pending-held', format: 'unknown', message: /^The end of a label/ },
    ])
    const ask = () => talk(door.port, ['GET / HTTP/1.1\r\nHost: box\r\n\r\n'])
    t.match((await ask()).text, /^HTTP\/1\.1 400 [\s\S]*http:\/\/127\.0\.0\.1:80\//)
    await door.configure({ host: '', raw_port: door.port })
    t.match((await ask()).text, /http:\/\/10\.0\.0\.5:80\//)
    t.equal(jobs(door).length, 1)
  },
)

t.test('a picture is one label of one connection', async (t) => {
  const door = await openRaw(t)
  const png = Buffer.from(toPng(carrierLabel()))
  await talk(door.port, [png.subarray(0, 9), png.subarray(9)])
  t.match(jobs(door), [{ format: 'png' }])
})

t.test('while the spool is full the client waits, and then its label is taken', async (t) => {
  const stopped = printer('A', 'socket://127.0.0.1:1')
  const door = await openRaw(t, { printers: [stopped], quotaBytes: 2_000_000 })
  const big = Buffer.from(`^XA^FO9,9^FX${'.'.repeat(900_000)}^FS^XZ`)
  await talk(door.port, [big])
  let isOver = false
  const waiting = talk(door.port, [big, big]).finally(() => {
    isOver = true
  })
  await poll('it to wait', () => door.log.some(({ event }) => event === 'raw label waits'))
  t.equal(jobs(door).length, 1)
  await poll('room for both', async () => {
    for (const { id } of door.bench.spool.line.unfinished('A')) {
      await door.bench.scheduler.cancel(id).catch(() => undefined)
    }
    return isOver
  })
  t.equal((await waiting).isClosed, true)
  t.equal(jobs(door).length, 3)
})
