import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Computer, linkComputers, skipComputers } from '../../devices/linked-computers.ts'
import { startServer } from '../../e2e/server.ts'
import { until } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { type Json, OFF, WORKING } from './two-boxes.ts'

// Two print servers on a cable of their own, with real multicast; nothing else runs on their computers.
t.setTimeout(300_000)

/** A print server on a computer of its own, called from there. */
class Box {
  readonly computer: Computer
  readonly folder: string

  constructor(computer: Computer, folder: string) {
    this.computer = computer
    this.folder = folder
  }

  static async start(t: Test, computer: Computer, name: string, printer: object): Promise<Box> {
    const ports = { port: '8080', secure_port: '8443', use_ssl: true, host: '' }
    const folder = join(t.testdirName, name)
    const config = { ...ports, printers: [printer], share_printers: false }
    await startServer(t, { folder, config, within: computer.enter() })
    return new Box(computer, folder)
  }

  async call(path: string, body?: object): Promise<Json> {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const address = `http://127.0.0.1:8080${path}`
    const code = `console.log(await (await fetch(${JSON.stringify(address)}, ${JSON.stringify(init)})).text())`
    const said = await this.computer.run(process.execPath, '--input-type=module', '-e', code)
    return JSON.parse(said)
  }

  get printed(): number {
    try {
      const files = readdirSync(join(this.folder, 'state/bench'))
      return files.filter((file) => file.endsWith('.prn')).length
    } catch {
      return 0
    }
  }
}

t.test(
  'two boxes find each other, pair, and print for each other',
  { skip: skipComputers },
  async (t) => {
    t.testdir()
    const [one, two] = await linkComputers(t, ['packing-1', 'packing-2', 'desk'])
    if (one === undefined || two === undefined) throw new Error('no network')
    const [a, b] = await Promise.all([Box.start(t, one, 'a', OFF), Box.start(t, two, 'b', WORKING)])
    const find = async (place: string): Promise<void> => {
      const found = await until('the other box to be found', async () => {
        const { found } = await a.call('/peers/find', {})
        return found.some(({ address }: Json) => address === place) ? found : undefined
      })
      t.match(found, [{ name: 'Label printer packing-2', address: place }], 'it alone')
    }
    await find('10.9.0.2:8443')
    const pairAt = async (address: string): Promise<Json> => {
      const { code } = await b.call('/peers/code', {})
      return await a.call('/peers', { address, code })
    }
    const scoped = await pairAt('[fe80::2%eth0]:8443')
    t.match(scoped, { code: 'FIELD_INVALID', Message: /not the address/ })
    t.match(await pairAt('10.9.0.2:8443'), { Status: 'OK' })
    const both = async (ends: readonly [string, string]): Promise<void> => {
      const [{ peers: there }, { peers: here }] = [await a.call('/peers'), await b.call('/peers')]
      t.match(spoken(there), [
        { name: 'packing-2', address: ends[1], message: '', printers: [{ name: 'Bench 3' }] },
      ])
      t.match(spoken(here), [
        { name: 'packing-1', address: ends[0], message: '', printers: [{ name: 'Bench 1' }] },
      ])
    }
    await both(['10.9.0.1:8443', '10.9.0.2:8443'])
    const label = Buffer.from('^XA^FO30,30^A0N,40^FDmoved^FS^XZ').toString('base64')
    const move = async (count: number): Promise<void> => {
      const { jobs } = await a.call('/', { label, printer: 'Bench 1' })
      const goal = { box: 'packing-2', printer: 'Bench 3', move: true }
      const { job, ...refusal } = await a.call(`/jobs/${jobs[0].id}/reprint`, goal)
      t.match(
        spoken(job),
        { state: 'canceled', message: 'Moved to Bench 3 on packing-2.' },
        refusal,
      )
      await until('it to come out', async () => (b.printed === count ? true : undefined))
    }
    await move(1)

    // Its address is another one, as the router gives it after a power cut: it is found by its certificate.
    await two.run('ip', 'addr', 'del', '10.9.0.2/24', 'dev', 'eth0')
    await two.run('ip', 'addr', 'add', '10.9.0.22/24', 'dev', 'eth0')
    await two.run('ip', 'route', 'add', 'default', 'dev', 'eth0')
    await move(2)
    t.match(spoken(await a.call('/peers')), { peers: [{ address: '10.9.0.22:8443', message: '' }] })

    for (const [n, computer] of [one, two].entries())
      await computer.run('ip', '-6', 'addr', 'add', `fd00:9::${n + 1}/64`, 'dev', 'eth0', 'nodad')
    // The side that shows the code pairs with nobody whom it knows already.
    const { peers } = await b.call('/peers')
    await b.call(`/peers/${peers[0].id}/remove`, {})
    t.match(await pairAt('[fd00:9::2]:8443'), { Status: 'OK' }, 'by IPv6')
    await both(['[fd00:9::1]:8443', '[fd00:9::2]:8443'])
    await move(3)
  },
)
