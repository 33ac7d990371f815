import t, { type Test } from 'tap'
import { createSerialDevice } from '../../../src/printers/devices/serial/index.ts'
import { conforms, makeLabel, type Rig } from '../../conformance/device.ts'
import { until } from '../../until.ts'
import { countJobs } from '../count-jobs.ts'
import { bundle, jobThat, post, printerThat, startProgram, type WirePrinter } from '../program.ts'
import { ADAPTER, adapterIsThere, SerialPrinter } from '../serial-printer.ts'
import { hasPrinted, makeZpl } from '../stream.ts'

const NAME = 'Scale bench'
const QUESTION = '~HS'
const PATIENCE_MS = 180_000 // emulation, with other tests beside it

const limit = () => AbortSignal.timeout(PATIENCE_MS)
const ended = ({ state }: { state: string }): boolean => /^(completed|aborted)$/.test(state)
const says = (reason: string) => (each: WirePrinter) => each.state_reasons.includes(reason)

/** Resolves when the printer was asked twice more how it is. */
async function untilAskedOn(printer: SerialPrinter): Promise<void> {
  const count = async () => (await printer.received()).toString('latin1').split(QUESTION).length
  const wanted = (await count()) + 2
  const look = async () => (await count()) >= wanted || undefined
  await until('two questions', look, PATIENCE_MS, 100)
}

await t.test('a printer on an FTDI adapter', async (t) => {
  const printer = new SerialPrinter(t)
  const plug = async () => {
    if (printer.isPlugged) return
    await adapterIsThere(false)
    await printer.plug()
    await adapterIsThere(true)
  }

  await t.test('passes the contract of devices', async (t) => {
    const device = createSerialDevice()
    t.teardown(() => device[Symbol.asyncDispose]())
    const makeRig = async (_t: Test): Promise<Rig> => {
      await plug()
      await printer.forget()
      const jobs: Uint8Array[] = []
      return {
        device: countJobs(device, printer, jobs),
        uri: new URL(`serial:${ADAPTER}?baud=3000000`),
        nowhere: new URL('serial:/dev/serial/by-id/usb-Nobody?baud=9600'),
        largeBytes: 2_000_000,
        received: (count) => Promise.resolve(jobs.slice(0, count)),
        begun: () => printer.untilTaken(1),
        unplug: () => void printer.unplug(),
      }
    }
    await conforms(t, makeRig, {
      stall:
        'QEMU ignores the flow control of its adapter; pseudo terminals show it in test/printers',
    })
  })

  await t.test('is seen by the name that udev gave it', async (t) => {
    await plug()
    await using device = createSerialDevice()
    const found = await device.list(limit())
    t.ok(
      found.some(({ uri }) => uri.startsWith(`serial:${ADAPTER}`)),
      JSON.stringify(found),
    )
  })

  await t.test('the chip itself is told to honor XON and XOFF, and the speed', async (t) => {
    await plug()
    await using device = createSerialDevice()
    {
      const uri = new URL(`serial:${ADAPTER}?baud=38400&flow=xonxoff`)
      await using connection = await device.open(uri, limit())
      await connection.send(makeLabel(100), limit())
    }
    const told = await printer.ask('trace')
    t.match(told, /set_baud .*38400/)
    t.match(told, /set_xonxoff .*(0x11|11|17).*(0x13|13|19)/i)
  })

  await t.test('comes back after its plug was pulled', async (t) => {
    await plug()
    await using device = createSerialDevice()
    const uri = new URL(`serial:${ADAPTER}?baud=115200`)
    {
      await using connection = await device.open(uri, limit())
      await connection.send(makeLabel(100), limit())
    }
    await printer.unplug()
    await adapterIsThere(false)
    await t.rejects(device.open(uri, limit()), { code: 'PRINTER_OFFLINE' })
    await plug()
    await printer.forget()
    {
      await using connection = await device.open(uri, limit())
      await connection.send(makeLabel(5_000), limit())
    }
    await printer.untilTaken(5_000)
    t.ok((await printer.received()).equals(makeLabel(5_000)))
  })

  await t.test('the program with it', async (t) => {
    await plug()
    await testProgram(t, printer, plug)
  })
})

/** `plug` puts the adapter in again. */
async function testProgram(
  t: Test,
  printer: SerialPrinter,
  plug: () => Promise<void>,
): Promise<void> {
  const server = await startProgram(t, { ...bundle, folder: t.testdir() })

  await t.test('shows the adapter, which a person adds, and says what is behind it', async (t) => {
    const { found } = (await (await server.post('/printers/discover')).json()) as {
      found: readonly { uri: string; guess: boolean }[]
    }
    const seen = found.find(({ uri }) => uri.startsWith(`serial:${ADAPTER}`))
    t.equal(seen?.guess, true, 'what is at its other end is unknown')
    await printer.become('out of labels')
    const uri = `serial:${ADAPTER}?baud=3000000&flow=xonxoff`
    await server.post('/printers', { name: NAME, uri, language: 'zpl' })
    const named = await printerThat(server, NAME, (each) => /GK420d/.test(each.make_and_model))
    t.equal(named.make_and_model, 'Zebra GK420d')
  })

  await t.test('keeps a label while labels are out, and prints it once', async (t) => {
    const out = await printerThat(server, NAME, says('media-empty'))
    t.match(out, { state: 'stopped', message: /out of labels/, hint: /Load a roll/ })
    const label = makeZpl(3_000, 1)
    await printer.forget()
    const id = await post(server, NAME, label)
    const waiting = await jobThat(server, id, ({ message }) => message !== '')
    t.match(waiting, { message: /out of labels/, hint: /Load a roll/ })
    await untilAskedOn(printer)
    await hasPrinted(t, printer, [label], [])
    t.equal((await jobThat(server, id, () => true)).state, 'pending', 'it waits in the box')
    await printer.become('ready')
    t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'confirmed' })
    await hasPrinted(t, printer, [label], ['label 0'])
    await printerThat(server, NAME, ({ state }) => state === 'idle')
  })

  await t.test('prints 100 KB byte for byte, and confirms the label', async (t) => {
    await printer.forget()
    const label = makeZpl(100_000, 2)
    const id = await post(server, NAME, label)
    t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'confirmed' })
    await hasPrinted(t, printer, [label], ['label 0'])
  })

  await t.test('does not call a label printed while the printer is paused', async (t) => {
    await printer.forget()
    await printer.become('paused')
    const label = makeZpl(3_000, 3)
    const id = await post(server, NAME, label)
    const paused = await printerThat(server, NAME, says('paused'))
    t.match(paused, { state: 'stopped', message: /paused/, hint: /pause button/ })
    await untilAskedOn(printer)
    const { state } = await jobThat(server, id, () => true)
    t.not(state, 'completed')
    await printer.become('ready')
    t.match(await jobThat(server, id, ended), { state: 'completed', delivery: 'confirmed' })
    await hasPrinted(t, printer, [label], ['label 0'])
    await printerThat(server, NAME, ({ state }) => state === 'idle')
  })

  await t.test('holds a label whose plug was pulled, and prints the next one', async (t) => {
    await printer.forget()
    const [cut, next] = [makeZpl(1_000_000, 4), makeZpl(3_000, 5)]
    const lost = await post(server, NAME, cut)
    await printer.untilTaken(20_000)
    await printer.unplug()
    const held = await jobThat(server, lost, ({ state }) => state === 'pending-held')
    t.match(held, { delivery: 'unknown', reasons: ['platen-interrupted'] })
    await printerThat(server, NAME, ({ state }) => state === 'stopped')
    await adapterIsThere(false)
    const later = await post(server, NAME, next)
    await printer.forget()
    await plug()
    t.match(await jobThat(server, later, ended), { state: 'completed', delivery: 'confirmed' })
    await hasPrinted(t, printer, [cut, next], ['label 1'])
  })
}
