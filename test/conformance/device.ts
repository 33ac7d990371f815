import type { Test } from 'tap'
import { PrinterFault } from '#printers'
import type { Device } from '../../src/printers/device.ts'

/** A device with its stand-in printer. Each test of the suite gets a fresh one. */
export interface Rig {
  readonly device: Device
  /** The stand-in. */
  readonly uri: URL
  /** A place without a printer. */
  readonly nowhere?: URL
  /** The bytes of every job so far, once `count` jobs have ended. */
  received(count: number): Promise<readonly Uint8Array[]>
  /** A label that no buffer between here and the stand-in holds; a third of it at the most fits in. */
  readonly largeBytes?: number
  /** Makes the stand-in take no data, until `resume`. */
  stall?(): void
  resume?(): void
  /** Takes the stand-in away in the middle of a job. */
  unplug?(): void
  /** Resolves when the stand-in has read something of a job. */
  begun?(): Promise<void>
}

/** Behavior that a device cannot show, with the reason. */
export type Skips = Partial<Record<'nowhere' | 'stall' | 'unplug' | 'confirm', string>>

const LARGE = 24_000_000 // more than the network buffers of two computers hold

/** Bytes after which a made label begins again. */
const PERIOD = 0x1_0000

/** A label whose bytes take every value and do not repeat in step with any chunk. */
export function makeLabel(length: number): Uint8Array {
  const label = new Uint8Array(length)
  const own = Math.min(length, PERIOD)
  for (let index = 0; index < own; index++) label[index] = index * 7 + (index >> 8)
  // The rest is copied: a loop over every byte of a large label takes several times as long.
  for (let done = PERIOD; done < length; done *= 2) label.copyWithin(done, 0, done)
  return label
}

/** The suite that every Device passes: its own test calls this with its own stand-in printer. */
export async function conforms(t: Test, makeRig: (t: Test) => Promise<Rig>, skips: Skips = {}) {
  const limit = () => AbortSignal.timeout(120_000)

  await t.test('says what it is, for the docs and for messages', async (t) => {
    const { device } = await makeRig(t)
    t.match(device.scheme, /^[a-z]+$/)
    t.ok(device.example.startsWith(`${device.scheme}:`))
    t.match(device.about, /\.$/)
    t.equal(device.check(new URL(device.example), device.example), undefined)
  })

  await t.test('lists without failing, also when it is told to stop', async (t) => {
    const { device } = await makeRig(t)
    t.ok(Array.isArray(await device.list(limit())))
    t.ok(Array.isArray(await device.list(AbortSignal.abort())))
  })

  await t.test('delivers bytes unchanged and in order', async (t) => {
    const { device, uri, received } = await makeRig(t)
    const label = makeLabel(70_000)
    {
      await using connection = await device.open(uri, limit())
      await connection.send(label.subarray(0, 1), limit())
      await connection.send(new Uint8Array(), limit())
      await connection.send(label.subarray(1), limit())
    }
    const [job] = await received(1)
    t.ok(Buffer.from(job ?? []).equals(label))
  })

  await t.test('keeps one job apart from the next', async (t) => {
    const { device, uri, received } = await makeRig(t)
    for (const size of [3, 20_000]) {
      await using connection = await device.open(uri, limit())
      await connection.send(makeLabel(size), limit())
    }
    t.same(
      (await received(2)).map((job) => job.length),
      [3, 20_000],
    )
  })

  await t.test('is exclusive: a second open says that the printer is busy', async (t) => {
    const { device, uri } = await makeRig(t)
    {
      await using _first = await device.open(uri, limit())
      await t.rejects(device.open(uri, limit()), { code: 'PRINTER_BUSY' })
    }
    await using _again = await device.open(uri, limit())
  })

  await t.test('is free again after an open that was given up', async (t) => {
    const { device, uri } = await makeRig(t)
    await t.rejects(device.open(uri, AbortSignal.abort()), { code: 'PRINTER_OFFLINE' })
    await using _again = await device.open(uri, limit())
  })

  await t.test('can be disposed of twice', async (t) => {
    const { device, uri } = await makeRig(t)
    const connection = await device.open(uri, limit())
    await connection[Symbol.asyncDispose]()
    await connection[Symbol.asyncDispose]()
    t.pass()
  })

  await t.test('hears nothing from a printer that says nothing', async (t) => {
    const { device, uri } = await makeRig(t)
    await using connection = await device.open(uri, limit())
    t.equal((await connection.receive(5, limit())).length, 0)
  })

  await t.test(
    'says what to do when nobody is there',
    { skip: skips.nowhere ?? false },
    async (t) => {
      const { device, nowhere } = await makeRig(t)
      if (nowhere === undefined) throw new Error('rig without nowhere')
      await t.rejects(device.open(nowhere, limit()), { code: 'PRINTER_OFFLINE' })
      await t.rejects(device.open(nowhere, limit()), { code: 'PRINTER_OFFLINE' })
    },
  )

  await t.test('an abort before a send sends nothing', async (t) => {
    const { device, uri, received } = await makeRig(t)
    {
      await using connection = await device.open(uri, limit())
      const error = await failure(connection.send(makeLabel(9), AbortSignal.abort('enough')))
      t.match(error, { code: 'PRINTER_LOST', accepted: 0, cause: 'enough' })
    }
    t.equal((await received(1))[0]?.length, 0)
  })

  await t.test(
    'waits for a slow printer, and goes on',
    { skip: skips.stall ?? false },
    async (t) => {
      const { device, uri, received, stall, resume, largeBytes = LARGE } = await makeRig(t)
      const label = makeLabel(largeBytes)
      stall?.()
      {
        await using connection = await device.open(uri, limit())
        const sent = connection.send(label, limit())
        t.equal((await connection.receive(50, limit())).length, 0, 'can be asked while blocked')
        resume?.()
        await sent
      }
      t.ok(Buffer.from((await received(1))[0] ?? []).equals(label))
    },
  )

  await t.test('stops at once in mid-label', { skip: skips.stall ?? false }, async (t) => {
    const { device, uri, stall, largeBytes = LARGE } = await makeRig(t)
    stall?.()
    const stop = new AbortController()
    await using connection = await device.open(uri, limit())
    const sent = failure(connection.send(makeLabel(largeBytes), stop.signal))
    await connection.receive(50, limit())
    stop.abort('a person said so')
    const error = await sent // without the printer taking anything more
    t.match(error, { code: 'PRINTER_LOST', cause: 'a person said so' })
    t.ok(Number(error.accepted) < largeBytes)
    await t.rejects(connection.send(makeLabel(9), limit()), { code: 'PRINTER_LOST' })
  })

  await t.test(
    'fails when the printer goes away in mid-label',
    { skip: skips.unplug ?? false },
    async (t) => {
      const { device, uri, begun, unplug, largeBytes = LARGE } = await makeRig(t)
      await using connection = await device.open(uri, limit())
      const sent = failure(connection.send(makeLabel(largeBytes * 2), limit()))
      await begun?.()
      unplug?.()
      const error = await sent
      t.match(error, { code: 'PRINTER_LOST' })
      t.ok(Number(error.accepted) >= 0 && Number(error.accepted) < largeBytes * 2)
    },
  )

  await t.test('confirms or says that it cannot', { skip: skips.confirm ?? false }, async (t) => {
    const { device, uri } = await makeRig(t)
    await using connection = await device.open(uri, limit())
    await connection.send(makeLabel(9), limit())
    t.type(await connection.confirm?.(limit()), 'boolean')
  })
}

async function failure(promise: Promise<unknown>): Promise<PrinterFault> {
  try {
    await promise
  } catch (error) {
    if (error instanceof PrinterFault) return error
    throw error
  }
  throw new Error('did not fail')
}
