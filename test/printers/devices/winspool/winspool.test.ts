import t, { type Test } from 'tap'
import type { Connection } from '../../../../src/printers/device.ts'
import { createWinspoolDevice } from '../../../../src/printers/devices/winspool/index.ts'
import {
  explainCode,
  judgeJob,
  listReasons,
  readPrinters,
} from '../../../../src/printers/devices/winspool/spooler.ts'
import { conforms, makeLabel, type Rig } from '../../../conformance/device.ts'
import { makeInfo, WindowsSpooler } from '../../../devices/windows-spooler.ts'

const NAME = 'Zebra & Söhne 1'
const uri = new URL(`winspool:${encodeURIComponent(NAME)}`)
/** Aborts in a moment; a signal with a timeout alone keeps no program alive. */
function soon(): AbortSignal {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 10)
  return stop.signal
}
const limit = () => AbortSignal.timeout(60_000)

function makeDevice(spooler = new WindowsSpooler(NAME)) {
  const device = createWinspoolDevice({
    platform: 'win32',
    loadSpooler: () => Promise.resolve(spooler.spooler),
  })
  return { spooler, device }
}

/** A document is begun with its first byte, so a job without bytes leaves none. */
function makeRig(_t: Test): Promise<Rig> {
  const { spooler, device } = makeDevice()
  return Promise.resolve({
    device,
    uri,
    nowhere: new URL('winspool:Nobody'),
    received(count) {
      const ended = spooler.jobs.filter(({ isEnded }) => isEnded).map(({ bytes }) => bytes)
      return Promise.resolve(ended.length < count ? [new Uint8Array()] : ended)
    },
  })
}

t.test('a printer of Windows is a device', (t) =>
  conforms(t, makeRig, {
    stall: 'the spooler takes everything to its disk at once',
    unplug: 'the spooler is a part of the computer',
  }),
)

t.test('on other systems there are no printers of Windows', async (t) => {
  const device = createWinspoolDevice({ platform: 'linux' })
  t.match(device.check(uri), /this computer runs another system/)
  t.same(await device.list(limit()), [])
  await t.rejects(device.open(uri, limit()), { code: 'PRINTER_OFFLINE', message: /another system/ })
})

t.test('the printers of Windows are listed with the names of their drivers', async (t) => {
  const { device, spooler } = makeDevice()
  const found = await device.list(limit())
  t.same(
    spooler.calls,
    ['list 2 at 2', 'list 2 at 2', 'list 4 at 4'],
    'other computers are not asked',
  )
  t.same(found, [{ uri: uri.href, name: NAME, makeAndModel: 'ZDesigner ZD420-203dpi ZPL' }])
  t.equal(device.check(uri), undefined)
  const broken = createWinspoolDevice({
    platform: 'win32',
    loadSpooler: () => Promise.reject(new Error('no winspool.drv')),
  })
  t.same(await broken.list(limit()), [])
  await t.rejects(broken.open(uri, limit()), { code: 'PRINTER_OFFLINE', message: /not opened/ })
})

t.test('names that Windows cannot have are refused in words', (t) => {
  const { check } = createWinspoolDevice({ platform: 'win32' })
  for (const text of ['winspool:', 'winspool:%', 'winspool:a%00', `winspool:${'x'.repeat(221)}`]) {
    t.match(check(new URL(text)), /wanted winspool:NAME/, text.slice(0, 20))
  }
  t.match(check(new URL('winspool://server/printer')), /wanted winspool:NAME/)
  t.equal(check(new URL('winspool:%5C%5Cserver%5Cprinter')), undefined)
  t.end()
})

t.test('a label is one RAW document', async (t) => {
  const { device, spooler } = makeDevice()
  {
    await using connection = await device.open(uri, limit())
    await connection.send(makeLabel(40_000), limit())
    t.equal(await connection.confirm?.(limit()), false)
  }
  t.match(spooler.jobs, [
    { document: { pDatatype: 'RAW', pDocName: 'platen label' }, isEnded: true },
  ])
  t.ok(Buffer.from(spooler.jobs[0]?.bytes ?? []).equals(makeLabel(40_000)))
  t.same(spooler.calls, ['close'])
})

t.test('what Windows says when it takes no label is put in words', async (t) => {
  const { device, spooler } = makeDevice()
  spooler.error = 1804
  await using connection = await device.open(uri, limit())
  await t.rejects(connection.send(makeLabel(9), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /takes no raw labels/,
  })
  spooler.error = 0
  await connection.send(makeLabel(9), limit())
  spooler.error = 112
  await t.rejects(connection.send(makeLabel(9), limit()), {
    code: 'PRINTER_LOST',
    message: /taken 0 of 9 bytes\. The disk of this computer is full/,
    accepted: 0,
  })
  const codes = [5, 1722, 1801].map((code) => explainCode(code, '"x"'))
  t.match(codes, [/Security/, /start the service "Print Spooler"/, /no printer named "x"/])
  t.match(explainCode(6, '"x"'), /error 6/)
})

t.test('a label that is cut does not come out of the queue later', async (t) => {
  const { device, spooler } = makeDevice()
  const stop = new AbortController()
  {
    await using connection = await device.open(uri, limit())
    const sent = connection.send(makeLabel(100_000), stop.signal)
    while (spooler.jobs.every(({ bytes }) => bytes.length === 0)) await new Promise(setImmediate)
    stop.abort('enough')
    await t.rejects(sent, { code: 'PRINTER_LOST', accepted: 32_768, cause: 'enough' })
    await connection.cancel?.(limit())
  }
  t.same(spooler.calls, ['job 1 command 5', 'job 1 command 5', 'close'])
})

t.test('a label is followed through the queue', async (t) => {
  const { device, spooler } = makeDevice()
  await using connection = await device.open(uri, limit())
  t.same(await connection.status?.(limit()), [])
  await connection.cancel?.(limit())
  await connection.send(makeLabel(9), limit())
  spooler.status = 0x10 | 0x40 // printing, and out of paper
  t.same(await connection.status?.(limit()), ['media-empty'])
  const confirmed = confirm(connection, limit())
  spooler.status = 0x80
  t.equal(await confirmed, false)
  spooler.status = 0
  t.equal(await confirm(connection, AbortSignal.timeout(20)), false)
  spooler.status = 0x104
  await t.rejects(confirm(connection, limit()), { code: 'PRINTER_LOST', message: /took the label/ })
  t.same(spooler.calls, [])
})

t.test('a job whose description grew meanwhile is still in the queue', async (t) => {
  const { device, spooler } = makeDevice()
  await using connection = await device.open(uri, limit())
  await connection.send(makeLabel(9), limit())
  spooler.status = 0x2
  spooler.jobInfoBytes = [120, 400]
  const confirmed = confirm(connection, limit())
  while (spooler.jobInfoBytes.length > 0) await new Promise(setImmediate)
  spooler.status = 0x104
  await t.rejects(confirmed, { code: 'PRINTER_LOST', message: /took the label/ })
})

t.test('status bits are put in the words of IPP', (t) => {
  t.same(listReasons(0x1 | 0x20 | 0x40 | 0x400), ['media-empty', 'offline', 'paused', 'other'])
  t.same([0, 0x80, 0x1000, 0x4].map(judgeJob), ['waiting', 'sent', 'sent', 'deleted'])
  t.end()
})

t.test('each status bit of a job says what winspool.h says (JOB_STATUS_…)', (t) => {
  const reasons: Readonly<Record<number, string>> = {
    1: 'paused',
    2: 'other',
    32: 'offline',
    64: 'media-empty',
    512: 'other',
    1024: 'other',
  }
  const ends: Readonly<Record<number, string>> = {
    4: 'deleted',
    128: 'sent',
    256: 'deleted',
    4096: 'sent',
  }
  for (let bit = 1; bit <= 0x8000; bit *= 2) {
    const name = `0x${bit.toString(16)}`
    t.same(listReasons(bit), reasons[bit] === undefined ? [] : [reasons[bit]], name)
    t.equal(judgeJob(bit), ends[bit] ?? 'waiting', name)
  }
  t.same(listReasons(0x2 | 0x200 | 0x400), ['other'], 'once')
  t.equal(judgeJob(0x80 | 0x100), 'sent', 'a job that was sent, and is gone')
  t.end()
})

t.test('each error code of winerror.h that a person can mend is told in words', (t) => {
  const cases: readonly (readonly [number, RegExp])[] = [
    [5, /does not let this user print on "A"/],
    [112, /disk of this computer is full/],
    [1722, /start the service "Print Spooler"/],
    [1801, /knows no printer named "A"/],
    [1804, /driver of "A" takes no raw labels/],
    [6, /does not take the label for "A" \(error 6\)/],
  ]
  for (const [code, words] of cases) t.match(explainCode(code, '"A"'), words, `${code}`)
  t.end()
})

t.test('an answer of Windows that is cut or points elsewhere gives no text', (t) => {
  const info = makeInfo(['', 'Zebra', '', 'USB001', 'driver'])
  const [printer] = readPrinters(info, 0x7ff0_0000_0000n, 1)
  t.same(printer, { name: 'Zebra', port: 'USB001', driver: 'driver' })
  t.same(readPrinters(info, 1n, 1), [{ name: '', port: '', driver: '' }])
  t.same(readPrinters(info.subarray(0, 100), 1n, 1), [])
  t.end()
})

async function confirm(connection: Connection, signal: AbortSignal): Promise<unknown> {
  return await connection.confirm?.(signal)
}

t.test('a spooler that hangs holds nobody up', async (t) => {
  const { device, spooler } = makeDevice()
  const connection = await device.open(uri, limit())
  const { promise, resolve } = Promise.withResolvers<void>()
  spooler.hang = promise
  t.same(await device.list(soon()), [])
  await t.rejects(connection.send(makeLabel(9), soon()), {
    code: 'PRINTER_LOST',
    accepted: 0,
  })
  await t.rejects(device.open(new URL('winspool:Other'), soon()), {
    code: 'PRINTER_OFFLINE',
  })
  resolve()
  await connection[Symbol.asyncDispose]()
  t.match(spooler.jobs, [{ isEnded: true }])
  t.equal(spooler.calls.at(-1), 'close')
  t.equal((await device.list(limit())).length, 1)
})
