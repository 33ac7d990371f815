import { closeSync, fstatSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  createLog,
  isJournal,
  LineBudget,
  LogFile,
  type LogSettings,
  RecentLines,
} from '../../src/system/log.ts'
import { PlatenError } from '../../src/words/errors.ts'

function makeLog(more: Partial<LogSettings> = {}) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = createLog({ level: 'debug', toJournal: false, write, ...more })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> }
}

t.test('a line is JSON with its level, time, fields and word', (t) => {
  const { log, last } = makeLog()
  log.info({ job: '7', bytes: 40_960, ms: 12.5 }, 'printed')
  t.match(last(), { level: 'info', job: '7', bytes: 40_960, ms: 12.5, msg: 'printed' })
  t.match(last()['time'], /^\d{4}-\d\d-\d\dT/)
  t.notOk('pid' in last())
  t.end()
})

t.test('lines below the level are not written, and it can be changed live', (t) => {
  const { log, lines } = makeLog({ level: 'warn' })
  log.info('start')
  t.equal(lines.length, 0)
  log.level = 'debug'
  log.child({ job: '7' }).debug('start')
  t.match(lines[0], '"job":"7"')
  t.end()
})

t.test('for the journal a line begins with its priority', (t) => {
  const { log, lines } = makeLog({ toJournal: true, level: 'trace' })
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    log[level]('word')
  t.same(
    lines.map((line) => line.slice(0, 4)),
    ['<7>{', '<7>{', '<6>{', '<4>{', '<3>{', '<2>{'],
  )
  t.notMatch(lines[0], 'time')
  t.end()
})

t.test('the journal is known by its stream, not by the variable alone', (t) => {
  const file = openSync(join(t.testdir({ err: '' }), 'err'), 'r')
  const { dev, ino } = fstatSync(file)
  t.equal(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, file), true)
  t.equal(isJournal({ JOURNAL_STREAM: '8:1' }, file), false)
  t.equal(isJournal({}), false)
  closeSync(file)
  t.end()
})

t.test('secrets are masked wherever they stand', (t) => {
  const { log, lines, last } = makeLog({ secretKeys: ['broker_password'] })
  log.info(
    { password: 'geheim', headers: { Cookie: 'geheim' }, queues: [{ broker_password: 'geheim' }] },
    'x',
  )
  t.notMatch(lines[0], 'geheim')
  t.match(last(), { password: '********', queues: [{ broker_password: '********' }] })
  t.end()
})

t.test('bytes are counted, never shown', (t) => {
  const { log, last } = makeLog()
  log.debug({ label: Buffer.from('^XA^FDMr Secret^XZ'), parts: [new Uint8Array(3)] }, 'x')
  t.match(last(), { label: '18 bytes', parts: ['3 bytes'] })
  t.end()
})

t.test('errors carry what a person needs: ours the hint, foreign ones the stack', (t) => {
  const { log, last } = makeLog()
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  log.error({ err: new PlatenError('PRINTER_OFFLINE', 'No answer.', { cause }) }, 'offline')
  t.match(last(), {
    err: {
      code: 'PRINTER_OFFLINE',
      message: 'No answer.',
      hint: /cable/,
      cause: { code: 'ECONNREFUSED' },
    },
  })
  t.notOk('stack' in (last()['err'] as object))
  log.error(new TypeError('odd'), 'fault')
  t.match(last(), { err: { message: 'odd', stack: /TypeError/ } })
  log.error({ err: new Error('x', { cause: 'a person said so' }) }, 'fault')
  t.match(last(), { err: { cause: 'a person said so' } })
  t.end()
})

t.test('odd fields do not break a line', (t) => {
  const { log, last } = makeLog()
  const loop: Record<string, unknown> = { url: new URL('http://a/'), none: null, off: undefined }
  loop['self'] = loop
  const error = new Error('loops')
  error.cause = error
  log.info({ loop, error, password: undefined }, 'x')
  t.match(last(), { loop: { url: 'http://a/', none: null, self: { self: {} } } })
  t.end()
})

t.test('who can cause a line cannot fill the log with it', (t) => {
  let now = 0
  const { log, lines, last } = makeLog({ budget: new LineBudget(() => now) })
  const flood = (count: number) => {
    for (let n = 0; n < count; n += 1) {
      log.warn({ source: 'mqtt', where: 'a', why: `${n}` }, 'message set aside')
    }
  }
  flood(5_000)
  t.equal(lines.length, 60)
  log.warn({ source: 'mqtt', where: 'b' }, 'message set aside')
  t.equal(lines.length, 61, 'another queue is told')
  now = 60_000
  flood(1)
  t.match(last(), { leftOut: 4_940 }, 'and how many were left out')
  flood(1)
  t.notOk('leftOut' in last())
  for (let n = 0; n < 200; n += 1) log.info({ job: `${n}` }, 'printed')
  t.equal(lines.length, 263, 'every job is told')
  for (let n = 0; n < 2_000; n += 1) log.warn({ printer: `${n}` }, 'printer stopped')
  t.ok(lines.length < 263 + 600, 'and kinds without number are not')
  for (let n = 0; n < 100; n += 1) log.debug({ bytes: 1 }, 'sent')
  t.equal(JSON.parse(lines.at(-100) ?? '{}').msg, 'sent', 'what was switched on is all there')
  t.end()
})

t.test('the last lines are kept, within bounds and masked', (t) => {
  const recent = new RecentLines()
  const log = createLog({ level: 'info', toJournal: true, recent, write: () => undefined })
  for (let job = 0; job < 2_000; job += 1) log.info({ job, password: 'hunter2' }, 'printed')
  log.info({ job: 'x'.repeat(5_000) }, 'printed')
  const lines = recent.list()
  t.equal(lines.length, 300)
  t.match(lines[0]?.line, /^\{.*"password":"\*{8}"/)
  t.equal(lines.at(-1)?.line.length, 1_000)
  t.ok(Date.parse(lines[0]?.at ?? '') > 0)
  t.end()
})

t.test('a full log file is renamed, and the oldest goes', (t) => {
  const folder = join(t.testdir(), 'state')
  const log = new LogFile(join(folder, 'platen.log'), 20)
  for (let line = 0; line < 12; line += 1) log.write(`line ${line} 0123456789\n`)
  const names = ['platen.log', 'platen.log.1', 'platen.log.2', 'platen.log.3']
  t.same(readdirSync(folder).sort(), names)
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'))
  t.match(texts[0], /^line 10 .*\nline 11 .*\n$/)
  t.match(texts[3], /^line 4 .*\nline 5 /)
  t.end()
})

t.test('a log goes on where the program before left it', (t) => {
  const folder = t.testdir({ 'platen.log': 'x'.repeat(30) })
  new LogFile(join(folder, 'platen.log'), 20).write('new\n')
  t.equal(readFileSync(join(folder, 'platen.log'), 'utf8'), 'new\n')
  t.end()
})

t.test('a log that cannot be written disturbs nothing', (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'file'), '')
  new LogFile(join(folder, 'file', 'platen.log')).write('lost\n')
  t.end()
})

t.test('four fields inside fields are written, and what lies deeper is left out', (t) => {
  const { log, last } = makeLog()
  log.info({ a: { b: { c: { d: { e: 1, f: { g: 2 } } } } } }, 'x')
  t.strictSame(last()['a'], { b: { c: { d: { e: 1, f: '…' } } } })
  log.info({ a: [[[[[1], 2]]]] }, 'x')
  t.strictSame(last()['a'], [[[['…', 2]]]])
  t.end()
})

t.test('a line of a library, which has no fields, is written too', (t) => {
  const { log, lines, last } = makeLog()
  log.info('a text %s', 'with a value')
  t.match(last(), { msg: 'a text with a value' })
  log.info({ port: 8080 })
  t.match(last(), { port: 8080 })
  t.equal(lines.length, 2)
  t.end()
})

t.test('the folders of a log file are made, for its owner alone', (t) => {
  const folder = t.testdir()
  new LogFile(join(folder, 'a', 'b', 'platen.log')).write('first\n')
  t.equal(readFileSync(join(folder, 'a', 'b', 'platen.log'), 'utf8'), 'first\n')
  t.end()
})
