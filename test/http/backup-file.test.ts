import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Job } from '../../src/core/job.ts'
import type { JobLine } from '../../src/core/spool/backup.ts'
import { createBackupRoutes } from '../../src/http/backup.ts'
import { checkBackup, longestLine, readJobs, writeBackup } from '../../src/http/backup-file.ts'
import { Discovery } from '../../src/printers/known/discovery.ts'
import { readPrinterSettings } from '../../src/settings/load.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import { inEnglish, say } from '../../src/words/say.ts'
import { loadConfig } from '../settings/all.ts'
import { spoken } from '../words/spoken.ts'
import { jsonBody, type Rig, startRig, ZPL, ZPL64 } from './rig.ts'

const ABOUT = { version: '1.2.3', made: 'today' }
const BOX = { config: { port: '8081' }, printers: 'p', authority: 'a' }
const JOB: JobLine = {
  type: 'job' as const,
  id: 'abc-1',
  source: 'http',
  printer: 'Bench 1',
  format: 'zpl',
  options: {},
  title: '',
  warning: [],
  hash: 'h',
  repeat: null,
  label: ZPL64,
}
const REPEAT = { type: 'repeat', key: 'k', fingerprint: 'f' } as const
/** Bytes that a job takes beside its label, as architecture has it. */
const ROW = 512

/** Lines with an end that fits them. */
function seal(lines: readonly string[]): string {
  const body = lines.map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  return `${body}${JSON.stringify({ type: 'end', lines: lines.length, sha256 })}\n`
}

const asText = (...lines: readonly object[]): string =>
  seal(lines.map((one) => JSON.stringify(one)))
const HEAD = { type: 'platen-backup', format: 1, ...ABOUT }
const SETTINGS = { type: 'config', value: BOX.config }

/** Returns the result of the check of a file. */
async function check(t: Test, file: string, lineBytes = 10_000) {
  const path = join(t.testdir({ file }), 'file')
  return await checkBackup(path, lineBytes)
}

t.test('what is written is read', async (t) => {
  const file = [...writeBackup(BOX, ABOUT, [JOB, REPEAT])].join('')
  t.equal(
    file,
    asText(
      HEAD,
      SETTINGS,
      { type: 'printers', text: 'p' },
      { type: 'authority', text: 'a' },
      JOB,
      REPEAT,
    ),
  )
  t.strictSame(await check(t, file), { box: BOX, jobBytes: ROW + ZPL.length })
  const jobs: unknown[] = []
  for await (const job of readJobs(join(t.testdirName, 'file'), 10_000)) jobs.push(job)
  t.strictSame(jobs, [JOB, REPEAT])
  const bare = { ...BOX, printers: '', authority: '' }
  t.equal([...writeBackup(bare, ABOUT, [])].join(''), asText(HEAD, SETTINGS), 'nothing is empty')
})

t.test('equal labels take their place on the disk once, each job its own', async (t) => {
  const other = { ...JOB, id: 'abc-3', label: Buffer.from('^XA^XZ').toString('base64') }
  const file = asText(HEAD, SETTINGS, JOB, { ...JOB, id: 'abc-2' }, other)
  t.match(await check(t, file), { jobBytes: 3 * ROW + ZPL.length + 6 })
})

t.test('the last line needs no end, and lines may be cut anywhere', async (t) => {
  const file = asText(HEAD, SETTINGS, JOB, REPEAT)
  t.match(await check(t, file.trimEnd()), { box: { config: BOX.config } })
  // Of more than one piece of the file.
  const long = { ...JOB, label: Buffer.alloc(600_000, 'x').toString('base64') }
  const longer = { ...long, id: 'abc-2' }
  const many = asText(HEAD, SETTINGS, long, longer, REPEAT)
  t.match(await check(t, many, 900_000), { jobBytes: 2 * ROW + 600_000 })
})

t.test('a line may end with a piece of the file', async (t) => {
  const piece = 256 * 1024 // what a stream of Node's reads at once here
  const lines = [HEAD, SETTINGS].map((line) => JSON.stringify(line))
  const before = lines.join('\n').length + 1
  for (const more of [-1, 0, 1]) {
    const bare = { ...JOB, label: Buffer.alloc(196_200, 'x').toString('base64') }
    const pad = (text: string) => [{ key: 'kept', values: { text } }]
    const missing = piece - before - JSON.stringify({ ...bare, warning: pad('') }).length + more
    t.ok(missing > 0 && missing < 2_000)
    const job = JSON.stringify({ ...bare, warning: pad('.'.repeat(missing)) })
    const file = seal([...lines, job])
    t.equal(file.indexOf(job) + job.length, piece + more, 'where its end stands')
    t.match(await check(t, file, 300_000), { jobBytes: ROW + 196_200 })
  }
})

t.test('a line has the bytes of a label of the largest request in base64, no more', async (t) => {
  t.equal(longestLine(3_000), 4_000 + 2 ** 20)
  t.equal(longestLine(1), 2 + 2 ** 20, 'rounded up')
  const file = asText(HEAD, SETTINGS, JOB)
  const most = Math.max(...file.split('\n').map((line) => line.length))
  await t.rejects(check(t, `${'x'.repeat(400_000)}`, 300_000), {
    code: 'BACKUP_BROKEN',
    detail: 'A line has more than 300000 bytes, which the setting max_body_mb allows.',
  })
  t.match(await check(t, file, most), { jobBytes: ROW + ZPL.length })
})

t.test('what is not whole, or not in its order, is broken, and why is said', async (t) => {
  const [head, settings, job] = [HEAD, SETTINGS, JOB].map((line) => JSON.stringify(line))
  const good = asText(HEAD, SETTINGS, JOB)
  for (const [why, file] of [
    ['Its end is missing.', ''],
    ['Its end is missing.', `${head}\n${settings}\n${job}\n`],
    ['It was changed or cut.', good.replace('8081', '8082')],
    ['It was changed or cut.', good.replace(`${job}\n`, '')],
    ['It was changed or cut.', good.replace('"lines":3', '"lines":4')],
    ['It was changed or cut.', good.replace('"lines":3', '"lines":2')],
    ['Line 5 comes after the end.', `${good}${job}\n`],
    ['Line 1 is not where it belongs.', asText(SETTINGS, JOB)],
    ['Line 3 is not where it belongs.', asText(HEAD, SETTINGS, HEAD)],
    ['It holds no settings.', asText(HEAD, JOB)],
    ['It holds the config twice.', asText(HEAD, SETTINGS, SETTINGS)],
    [
      'It holds the printers twice.',
      asText(HEAD, SETTINGS, { type: 'printers', text: 'p' }, { type: 'printers', text: 'q' }),
    ],
    [
      'It holds the authority twice.',
      asText(HEAD, SETTINGS, { type: 'authority', text: 'p' }, { type: 'authority', text: 'q' }),
    ],
    ['It has the format 2 of version 1.2.3, wanted 1.', asText({ ...HEAD, format: 2 }, SETTINGS)],
    ['Line 3 is not a line of a backup.', asText(HEAD, SETTINGS, { ...JOB, label: 'AAA' })],
    ['Line 3 is not a line of a backup.', asText(HEAD, SETTINGS, { ...JOB, format: 'webp' })],
    ['Line 3 is not a line of a backup.', asText(HEAD, SETTINGS, { type: 'shell' })],
    ['Line 2 is not a line of a backup.', asText(HEAD, { type: 'config', value: 7 })],
    ['Line 3 is not a line of a backup.', seal([head ?? '', settings ?? '', '{"type":'])],
    [
      'Line 2 is not a line of a backup.',
      seal([head ?? '', `{"type":"config","value":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`]),
    ],
  ] as const) {
    const broken = { code: 'BACKUP_BROKEN', message: inEnglish(say('notRestored')), detail: why }
    await t.rejects(check(t, file), broken, why)
  }
})

/** A box with its backup routes, as main.ts puts them together. */
function startBox(
  t: Test,
  doubtHost?: ConstructorParameters<typeof ConfigStore>[2],
): Rig & { readonly backup: ReturnType<typeof createBackupRoutes> } {
  const rig = startRig(t, { prints: false, printers: { Bench: 'file:bench' } })
  const file = join(rig.folder, 'config.json')
  const stateFolder = join(rig.folder, 'state')
  mkdirSync(stateFolder)
  // Of a restore that a power cut ended.
  writeFileSync(join(stateFolder, 'restore.tmp'), 'x')
  const config = new ConfigStore(file, loadConfig(file), doubtHost)
  const discovery = new Discovery({
    devices: [],
    printers: rig.bench.printers,
    defaultName: () => 'Bench 1',
    configured: () => readPrinterSettings(config.current),
    store: { load: () => undefined, save: () => undefined },
    fault: (error) => rig.bench.faults.push(error),
  })
  const backup = createBackupRoutes({
    access: { admin: () => async (_, next) => await next() },
    config,
    spool: rig.bench.spool,
    printers: rig.bench.printers,
    discovery,
    stateFolder,
    log: { error: (fault) => rig.bench.faults.push(fault) },
    info: () => ({ version: '1.2.3', hostName: `bench box/${'x'.repeat(80)}` }),
  })
  backup.onError((error, c) => c.json({ ...error, Message: error.message }))
  t.notOk(existsSync(join(stateFolder, 'restore.tmp')))
  return { ...rig, backup }
}

async function upload(box: ReturnType<typeof startBox>, body: string) {
  const headers = { 'content-type': 'application/octet-stream' }
  const response = await box.backup.request('/backup', { method: 'POST', body, headers })
  return (await response.json()) as Record<string, unknown>
}

async function download(box: ReturnType<typeof startBox>): Promise<string> {
  const response = await box.backup.request('/backup')
  t.match(
    response.headers.get('content-disposition'),
    /^attachment; filename="platen-bench_box_x{50}-\d{4}-\d\d-\d\d\.backup"$/,
  )
  return await response.text()
}

const states = (jobs: readonly Job[]) => jobs.map(({ state }) => state)

t.test('a box has the labels of its own backup already', async (t) => {
  const old = startBox(t)
  for (const mark of ['a', 'b']) {
    const label = Buffer.from(`^XA^FD${mark}^FS^XZ`).toString('base64')
    await old.call('/', jsonBody({ label }, { prefer: 'wait=0', 'idempotency-key': mark }))
  }
  const head = await old.backup.request('/backup', { method: 'HEAD' })
  t.strictSame([head.status, await head.text()], [200, ''])
  const file = await download(old)
  t.match(await upload(old, file), {
    Status: 'OK',
    labels: 0,
    known: 2,
    restart: [],
    warnings: [],
    Message: `${inEnglish(say('settingsRestored'))} ${inEnglish(say('wereHere', { n: 2 }))}`,
  })
  t.strictSame(states(old.jobs()), ['pending', 'pending'])
  await t.test('another box takes them over, and prints none by itself', async (t) => {
    const box = startBox(t)
    const answer = await upload(box, file)
    t.match(answer, { Status: 'OK', labels: 2, known: 0 })
    t.equal(
      answer['Message'],
      `${inEnglish(say('labelsRestored', { n: 2 }))} ${inEnglish(say('checkRestored'))}`,
    )
    t.strictSame(states(box.jobs()), ['pending-held', 'pending-held'])
    t.match(await upload(box, file), { labels: 0, known: 2 }, 'the same again brings nothing')
    t.strictSame(readdirSync(join(box.folder, 'state')), [], 'and nothing is left lying')
  })
})

t.test('a file that is refused changes nothing', async (t) => {
  const box = startBox(t)
  const before = readFileSync(join(box.folder, 'config.json'), 'utf8')
  for (const [file, fault] of [
    ['hello', { code: 'BACKUP_BROKEN', Message: inEnglish(say('notRestored')) }],
    [
      asText(HEAD, { ...SETTINGS, value: {} }, { type: 'printers', text: '[7]' }, JOB),
      { code: 'BACKUP_BROKEN', detail: 'Its printers cannot be read.' },
    ],
    [asText(HEAD, { ...SETTINGS, value: { port: 'ninety' } }, JOB), { code: 'CONFIG_INVALID' }],
  ] as const) {
    t.match(spoken(await upload(box, file)), fault, file.slice(0, 20))
  }
  t.strictSame(box.jobs(), [])
  t.equal(readFileSync(join(box.folder, 'config.json'), 'utf8'), before)
})

t.test('printers that were found come along; a damaged authority counts as none', async (t) => {
  const box = startBox(t)
  const file = asText(
    HEAD,
    { ...SETTINGS, value: {} },
    { type: 'printers', text: '{"printers":[],"learned":{}}' },
    { type: 'authority', text: 'damaged' },
  )
  t.match(await upload(box, file), { Status: 'OK', labels: 0, known: 0, restart: [] })
})

t.test('no printer of a backup takes the name of a found one for which labels wait', async (t) => {
  const box = startBox(t)
  const found = { name: 'Found', uri: 'usb://A/B?port=1-1', makeAndModel: 'A B' }
  const printers = JSON.stringify({ printers: [found], learned: {} })
  const now = { ...SETTINGS, value: {} }
  t.match(await upload(box, asText(HEAD, now, { type: 'printers', text: printers })), {
    Status: 'OK',
  })
  await box.call('/', jsonBody({ label: ZPL64, printer: 'Found' }, { prefer: 'wait=0' }))
  const elsewhere = { name: 'Found', uri: 'file:elsewhere', language: 'zpl' }
  const file = asText(HEAD, { ...SETTINGS, value: { printers: [elsewhere] } }, JOB)
  t.match(await upload(box, file), {
    code: 'PRINTER_IN_USE',
    Message: /^1 label waits for Found\./,
  })
  t.strictSame(states(box.jobs()), ['pending'], 'nothing of it was restored')
})

t.test('a label that comes while a backup is restored keeps the name of its printer', async (t) => {
  const [asked, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()]
  const box = startBox(t, () => {
    asked.resolve()
    return looked.promise
  })
  const found = { name: 'Found', uri: 'usb://A/B?port=1-1', makeAndModel: 'A B' }
  const printers = JSON.stringify({ printers: [found], learned: {} })
  await upload(box, asText(HEAD, { ...SETTINGS, value: {} }, { type: 'printers', text: printers }))
  const elsewhere = { name: 'Found', uri: 'file:elsewhere', language: 'zpl' }
  const settings = { ...SETTINGS, value: { host: '127.0.0.1', printers: [elsewhere] } }
  const file = asText(HEAD, settings, { ...JOB, printer: 'Found' })
  const restoring = upload(box, file)
  await asked.promise
  await box.call('/', jsonBody({ label: ZPL64, printer: 'Found' }, { prefer: 'wait=0' }))
  looked.resolve(undefined)
  t.match(await restoring, { code: 'PRINTER_IN_USE', Message: /^1 label waits for Found\./ })
  t.strictSame(states(box.jobs()), ['pending-held', 'pending'])
  await box.call('/jobs/cancel', jsonBody({ printer: 'Found' }))
  t.match(await upload(box, file), { Status: 'OK', labels: 0, known: 1 }, 'once it is empty')
})

t.test('a box that listens elsewhere after the restore says so', async (t) => {
  const answer = await upload(startBox(t), asText(HEAD, SETTINGS))
  t.match(answer, { Status: 'OK', restart: ['port'] })
  t.match(spoken(answer['Message']), inEnglish(say('atNextStart')))
})

t.test('a host that only the old box had stays as it is here', async (t) => {
  const box = startBox(t)
  const file = asText(HEAD, { ...SETTINGS, value: { host: '192.0.2.1' } })
  const answer = await upload(box, file)
  t.match(answer, { Status: 'OK', warnings: [/^host: got "192\.0\.2\.1", .* It stays "/] })
  const own = asText(HEAD, { ...SETTINGS, value: { host: '127.0.0.1' } })
  t.match(await upload(box, own), { Status: 'OK', warnings: [] }, 'one that this computer has')
})
