import { readFileSync } from 'node:fs'
import t from 'tap'
import { until } from '../until.ts'
import { type Answer, base64, ENTRIES, jobIn, startServer } from './server.ts'

/** Native addons in the memory of a process. */
function listAddons(pid: number): readonly string[] {
  const files = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(
    /\s(\/\S+\.node)(?: \(deleted\))?$/gm,
  )
  return [...new Set([...files].map(([, file = '']) => file))]
}

for (const entry of ENTRIES) {
  t.test(
    `${entry}: a box without USB, serial and Windows printers loads no native code`,
    { skip: process.platform !== 'linux' && 'only Linux shows the memory of a process as a file' },
    async (t) => {
      const config = {
        printers: [
          { name: 'Away', uri: 'serial:/dev/serial/by-id/usb-nobody-has-this', language: 'zpl' },
          { name: 'Virtual', uri: 'file:virtual', language: 'zpl' },
        ],
      }
      const server = await startServer(t, { entry, folder: t.testdir(), config })
      const print = async (printer: string): Promise<string> => {
        const label = base64('^XA^FO30,30^A0N,60^FDHello^FS^XZ')
        const answer = await server.post('/', { label, printer }, { prefer: 'wait=0' })
        return ((await answer.json()) as Answer).jobs[0]?.id ?? ''
      }
      await jobIn(server, await print('Virtual'), ['completed'])
      // A port that is not there is found out without the code that would open it.
      const id = await print('Away')
      await until('the label to say why it waits', async () => {
        const { message } = await jobIn(server, id, ['pending'])
        return message === '' ? undefined : message
      })
      t.equal((await server.get('/printers')).status, 200)
      t.same(listAddons(server.pid), [])
      t.ok(
        readFileSync(`/proc/${server.pid}/maps`, 'utf8').includes('/node'),
        'the map is that of Node',
      )
    },
  )
}
