import t from 'tap'
import { type Answer, base64, ENTRIES, PATIENT, type Server, startServer } from './server.ts'

t.setTimeout(300_000)

/** `14:02` there. */
function clockIn(timeZone: string): string {
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const
  return new Intl.DateTimeFormat('en', clock).format()
}

/** Prints the label twice; gives the time that the second answer names, and which it may be there. */
async function printTwice(server: Server, text: string, zone: string) {
  const print = async () =>
    (await (await server.post('/', { label: base64(text) }, PATIENT)).json()) as Answer
  const may = [clockIn(zone)]
  await print()
  may.push(clockIn(zone))
  const { Message } = await print()
  const said = / (?:printed|taken) at (?:\S+ )?(\d\d:\d\d) /.exec(Message)?.[1] ?? Message
  return { said, may }
}

/** Minutes pass while a busy machine prints: any of them from `may[0]` to `may[1]`. */
function isBetween(said: string, [from = '', to = '']: readonly string[]): boolean {
  return from <= to ? said >= from && said <= to : said >= from || said <= to
}

for (const entry of ENTRIES) {
  t.test(`sentences tell the time where the box is, by ${entry}`, async (t) => {
    const config = { time_zone: 'Asia/Kathmandu', duplicate_guard_minutes: 60 }
    const flags = ['--demo']
    const env = { TZ: 'UTC' }
    const server = await startServer(t, { entry, folder: t.testdir(), config, flags, env })
    const put = async (more: object) => {
      const settings = (await (await server.get('/config')).json()) as object
      const response = await fetch(`${server.address}/config`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...settings, ...more }),
      })
      return (await response.json()) as { restart: string[]; Message: string; faults?: object[] }
    }
    const check = async (zone: string) => {
      const { said, may } = await printTwice(server, `^XA^FD${zone}^FS^XZ`, zone)
      t.ok(isBetween(said, may), `${said} is from ${may.join(' to ')} in ${zone}`)
    }
    await check('Asia/Kathmandu')
    t.same((await put({ time_zone: 'America/St_Johns' })).restart, [], 'without a restart')
    await check('America/St_Johns')
    t.match((await put({ time_zone: 'Denver' })).Message, /time_zone: got "Denver", wanted a time/)
    await put({ time_zone: '' })
    await check('UTC')
    t.equal(await server.stop(), 0)
  })
}
