import t from 'tap'
import type { Server } from '../../e2e/server.ts'
import { clone, HOST_IDENTITY, hostStatus, lp2844, zebra } from '../models.ts'
import {
  bundle,
  jobThat,
  listPrinters,
  post,
  printerThat,
  startProgram,
  watchJob,
} from '../program.ts'
import { hasPrinted, makeEpl, makeTspl, makeZpl } from '../stream.ts'
import { UsbPrinter } from '../usb-printer.ts'

const KB100 = 100_000
const PAUSE_MS = 30_000
const PAPER_OUT = 0x38 // port status: selected, no error, and out of paper
const ALL_WELL = 0x18
const isWell = ({ state }: { state: string }): boolean => state === 'idle'
const ended = ({ state }: { state: string }): boolean => /^(completed|aborted)$/.test(state)

await t.test('the program with USB printers', async (t) => {
  const folder = t.testdir()
  let server: Server = await startProgram(t, { folder })
  const gk420 = await UsbPrinter.make(t, {
    ...zebra,
    name: 'gk420',
    port: 0,
    answers: [
      ['~HS', hostStatus()],
      ['~HI', HOST_IDENTITY],
    ],
  })
  const old = await UsbPrinter.make(t, { ...lp2844, name: 'old', port: 1 })
  const rollo = await UsbPrinter.make(t, { ...clone, name: 'rollo', port: 2 })
  const names: Record<string, string> = {}

  await t.test('finds what is plugged in while it runs, and says what each is', async (t) => {
    t.same(await listPrinters(server), [], 'with none there is none, not even a virtual one')
    for (const [printer, part, language] of [
      [gk420, 'GK420d', 'zpl'],
      [old, 'LP2844', 'epl'],
      [rollo, 'Thermal%20Printer', 'tspl'],
    ] as const) {
      await printer.plug()
      const begin = performance.now()
      const seen = await printerThat(server, part)
      t.comment(`${part}: found after ${Math.round(performance.now() - begin)} ms`)
      t.equal(seen.language, language)
      names[part] = seen.name
    }
    const uris = (await listPrinters(server)).map(({ uri }) => uri)
    t.match(uris, [/serial=29J101500123$/, /LP2844\?port=2-1$/, /serial=ROLLO77$/])
  })

  const zpl = () => names['GK420d'] ?? ''
  const epl = () => names['LP2844'] ?? ''
  const tspl = () => names['Thermal%20Printer'] ?? ''

  await t.test('prints 100 KB byte for byte on three printers at once', async (t) => {
    const labels = [makeZpl(KB100, 1), makeEpl(KB100, 2), makeTspl(KB100, 3)] as const
    const jobs = [
      await post(server, zpl(), labels[0]),
      await post(server, epl(), labels[1]),
      await post(server, tspl(), labels[2]),
    ]
    for (const id of jobs) t.equal((await jobThat(server, id, ended)).state, 'completed')
    await hasPrinted(t, gk420, labels, ['label 0'])
    await hasPrinted(t, old, labels, ['label 1'])
    await hasPrinted(t, rollo, labels, ['label 2'])
  })

  await t.test('a printer that counts its labels confirms each', async (t) => {
    const id = await post(server, zpl(), makeZpl(500, 4))
    t.equal((await jobThat(server, id, ended)).delivery, 'confirmed')
  })

  await t.test(
    'an answer that says "out of paper" keeps the label, until paper is there',
    async (t) => {
      await gk420.setAnswers([['~HS', hostStatus({ paperOut: 1, formats: 1 })]])
      const id = await post(server, zpl(), makeZpl(500, 5))
      const out = await printerThat(server, zpl(), (each) =>
        each.state_reasons.includes('media-empty'),
      )
      t.match(out, { state: 'stopped', message: /out of labels/, hint: /Load a roll/ })
      await gk420.setAnswers([['~HS', hostStatus()]])
      t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'confirmed' })
      await printerThat(server, zpl(), isWell)
    },
  )

  await t.test('a printer that pauses for 30 s gets the rest, and no byte twice', async (t) => {
    await old.forget()
    await old.accept(40_960)
    const label = makeEpl(KB100, 6)
    const id = await post(server, epl(), label)
    await old.untilTaken(40_960)
    const begin = performance.now()
    await old.setPortStatus(PAPER_OUT)
    const stuck = await jobThat(server, id, ({ state }) => state === 'processing-stopped')
    t.match(stuck, { message: /LP2844/, hint: /.+/ })
    const blocked = await printerThat(server, epl(), (each) =>
      each.state_reasons.includes('media-empty'),
    )
    t.match(blocked, { state: 'stopped', message: /out of labels/ })

    const other = await post(server, tspl(), makeTspl(KB100, 7))
    t.equal((await jobThat(server, other, ended)).state, 'completed', 'others go on meanwhile')
    const states = await watchJob(server, id, begin + PAUSE_MS)
    t.same([...states], ['processing-stopped'], 'for as long as it pauses')
    await old.setPortStatus(ALL_WELL)
    await old.accept('all')
    t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'sent' })
    await hasPrinted(t, old, [label], ['label 0'])
  })

  await t.test('a label that lost its cable is held and never sent by itself again', async (t) => {
    await gk420.forget()
    await gk420.accept(20_480)
    const [cut, next] = [makeZpl(KB100, 8), makeZpl(2_000, 9)]
    const id = await post(server, zpl(), cut)
    await gk420.untilTaken(20_480)
    await gk420.unplug()
    const held = await jobThat(server, id, ({ state }) => state === 'pending-held')
    t.match(held, {
      delivery: 'unknown',
      reasons: ['platen-interrupted'],
      message: /.+/,
      hint: /.+/,
    })
    await printerThat(server, zpl(), (each) => each.state_reasons.includes('offline'))
    const later = await post(server, zpl(), next)

    await gk420.accept('all')
    const before = (await gk420.received()).length
    await gk420.plug()
    t.equal((await jobThat(server, later, ended)).state, 'completed', 'the next label goes on')
    await hasPrinted(t, gk420, [cut, next], ['label 1'], before)
    const stream = (await gk420.received()).subarray(before)
    t.equal(stream.indexOf('~JA'), 0, 'after the way out of the half one')
    t.equal((await jobThat(server, id, () => true)).state, 'pending-held', 'a person decides')
    await server.post(`/jobs/${id}/resolve`, { printed: true })
    t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'confirmed' })
  })

  await t.test('a printer without a way out of half a label goes on when it was off', async (t) => {
    await old.forget()
    await old.accept(20_480)
    const [cut, next] = [makeEpl(KB100, 10), makeEpl(2_000, 11)]
    const id = await post(server, epl(), cut)
    await old.untilTaken(20_480)
    await old.unplug()
    await jobThat(server, id, ({ state }) => state === 'pending-held')
    const later = await post(server, epl(), next)
    await old.accept('all')
    const before = (await old.received()).length
    await old.plug()
    t.equal((await jobThat(server, later, ended)).state, 'completed')
    await hasPrinted(t, old, [cut, next], ['label 1'], before)
  })

  for (const taken of [0, 512, 'all'] as const) {
    const title = `a cable that is pulled after ${taken} bytes loses no label and repeats none`
    await t.test(title, async (t) => {
      await rollo.forget()
      await rollo.accept(taken)
      const [cut, next] = [makeTspl(20_000, 16), makeTspl(2_000, 17)]
      const id = await post(server, tspl(), cut)
      if (taken === 0) await jobThat(server, id, ({ state }) => state === 'processing-stopped')
      else await rollo.untilTaken(taken === 'all' ? cut.length : taken)
      await rollo.unplug()
      const { state } = await jobThat(server, id, (job) => !job.state.startsWith('processing'))
      // Of one packet the kernel may say surely that it was not taken; of the last one it may have said that it was.
      const wanted = {
        0: /^pending(-held)?$/,
        512: /^pending-held$/,
        all: /^(completed|pending-held)$/,
      }
      t.match(state, wanted[taken])
      await rollo.accept('all')
      const before = (await rollo.received()).length
      await rollo.plug()
      const later = await post(server, tspl(), next)
      t.equal((await jobThat(server, later, ended)).state, 'completed')
      const wantedLabels = state === 'pending' ? ['label 0', 'label 1'] : ['label 1']
      await hasPrinted(t, rollo, [cut, next], wantedLabels, before)
    })
  }

  await t.test('two of a kind are told apart, by serial number or by socket', async (t) => {
    const twin = await UsbPrinter.make(t, { ...lp2844, name: 'twin', port: 3 })
    await twin.plug()
    const second = await printerThat(server, 'port=4-1')
    t.not(second.name, epl())
    const [here, there] = [makeEpl(3_000, 12), makeEpl(3_000, 13)]
    await old.forget()
    const jobs = [await post(server, epl(), here), await post(server, second.name, there)]
    for (const id of jobs) t.equal((await jobThat(server, id, ended)).state, 'completed')
    await hasPrinted(t, old, [here, there], ['label 0'])
    await hasPrinted(t, twin, [here, there], ['label 1'])

    await twin.remove()
    await printerThat(server, 'port=4-1', (each) => each.state_reasons.includes('offline'))
    const sister = await UsbPrinter.make(t, { ...zebra, serial: '29J2', name: 'sister', port: 3 })
    await sister.plug()
    const named = await printerThat(server, 'serial=29J2')
    t.not(named.name, zpl())
    const own = makeZpl(3_000, 14)
    await jobThat(server, await post(server, named.name, own), ended)
    await hasPrinted(t, sister, [own], ['label 0'])
    await sister.remove()
  })

  await t.test('names stay the same when cables and the program come and go', async (t) => {
    const before = await listPrinters(server)
    await rollo.unplug()
    await printerThat(server, tspl(), (each) => each.state_reasons.includes('offline'))
    t.equal(await server.stop(), 0)
    server = await startProgram(t, { ...bundle, folder })
    await printerThat(server, zpl(), isWell)
    await rollo.plug()
    await printerThat(server, tspl(), isWell)
    const told = (all: typeof before) => all.map(({ name, uri, language }) => [name, uri, language])
    t.same(told(await listPrinters(server)), told(before))
    const label = makeZpl(KB100, 15)
    await gk420.forget()
    t.equal((await jobThat(server, await post(server, zpl(), label), ended)).state, 'completed')
    await hasPrinted(t, gk420, [label], ['label 0'])
  })
})
