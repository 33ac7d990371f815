import t, { type Test } from 'tap'
import { createSerialDevice } from '../../../src/printers/serial.ts'
import { conforms, makeLabel, type Rig } from '../../conformance/device.ts'
import { countJobs } from '../count-jobs.ts'
import { bundle, jobThat, post, printerThat, startProgram } from '../program.ts'
import { ADAPTER, adapterIsThere, SerialPrinter } from '../serial-printer.ts'
import { hasPrinted, makeZpl } from '../stream.ts'

const limit = () => AbortSignal.timeout(180_000)

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
      stall: 'the emulated adapter cannot be stopped; pseudo terminals show it in test/printers',
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

  await t.test('the chip itself is told to honour XON and XOFF, and the speed', async (t) => {
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

  await t.test('is added by a person, prints, is lost and comes back', async (t) => {
    await plug()
    const server = await startProgram(t, { ...bundle, folder: t.testdir() })
    const { found } = (await (await server.post('/printers/discover')).json()) as {
      found: readonly { uri: string; guess: boolean }[]
    }
    const seen = found.find(({ uri }) => uri.startsWith(`serial:${ADAPTER}`))
    t.equal(seen?.guess, true, 'nobody knows what is at its other end')
    const uri = `serial:${ADAPTER}?baud=3000000&flow=xonxoff`
    await server.post('/printers', { name: 'Scale bench', uri, language: 'zpl' })
    await printer.forget()
    const [whole, cut, next] = [makeZpl(100_000, 1), makeZpl(1_000_000, 2), makeZpl(3_000, 3)]
    const id = await post(server, 'Scale bench', whole)
    t.equal((await jobThat(server, id, ({ state }) => state === 'completed')).state, 'completed')
    await hasPrinted(t, printer, [whole], ['label 0'])

    await printer.forget()
    const lost = await post(server, 'Scale bench', cut)
    await printer.untilTaken(20_000)
    await printer.unplug()
    const held = await jobThat(server, lost, ({ state }) => state === 'pending-held')
    t.match(held, { delivery: 'unknown', reasons: ['platen-interrupted'] })
    await printerThat(server, 'Scale bench', ({ state }) => state === 'stopped')
    await adapterIsThere(false)
    const later = await post(server, 'Scale bench', next)
    await printer.forget()
    await plug()
    await jobThat(server, later, ({ state }) => state === 'completed')
    await hasPrinted(t, printer, [cut, next], ['label 1'])
  })
})
