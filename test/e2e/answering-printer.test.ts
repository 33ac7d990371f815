import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AnsweringPrinter } from '../devices/answering-printer.ts'
import { until } from '../until.ts'
import { type Answer, base64, ENTRIES, PATIENT, startServer } from './server.ts'

t.setTimeout(300_000)

const ZPL = '^XA^PW406^LL406^FO30,30^A0N,60^FDHello^FS^XZ'

for (const entry of ENTRIES) {
  t.test(
    `${entry}: a printer that answers tells what it is, and confirms its labels`,
    async (t) => {
      const device = await AnsweringPrinter.open('zpl', { busyAnswers: 1 })
      t.teardown(() => device.close())
      const folder = t.testdir()
      const config = { printers: [{ name: 'Bench', uri: device.uri, language: 'zpl' }] }
      const server = await startServer(t, { entry, folder, config })
      const print = async (to = server) =>
        (await (await to.post('/', { label: base64(ZPL) }, PATIENT)).json()) as Answer
      // It is asked as soon as the server runs, before its first label.
      const known = await until('the printer to tell', async () => {
        const list = (await (await server.get('/printers')).json()) as { make_and_model: string }[]
        return list.find((printer) => printer.make_and_model !== '')
      })
      t.match(known, {
        make_and_model: 'Zebra ZD421',
        media: { label_width: 4.1, label_height: 6.03, tracking: 'gap' },
      })
      const confirmed = await print()
      t.match(confirmed, { Status: 'OK', jobs: [{ delivery: 'confirmed' }] })
      t.match(
        confirmed.jobs[0]?.message,
        /is 2 in long, but Bench says that its labels are 6 in long/,
      )
      t.equal(await server.stop(), 0)
      const file = join(folder, 'state', 'printers.json')
      t.equal(statSync(file).mode & 0o777, 0o600)
      const again = await startServer(t, { entry, folder })
      t.match(await print(again), { jobs: [{ delivery: 'confirmed' }] }, 'known after a restart')
      t.equal(device.labels.length, 2)
    },
  )
}
