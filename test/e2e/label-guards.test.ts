import t from 'tap'
import { type Answer, base64, ENTRIES, jobIn, PATIENT, startServer } from './server.ts'

t.setTimeout(300_000)

for (const entry of ENTRIES) {
  t.test(`labels that spoil a printer and labels that come twice, by ${entry}`, async (t) => {
    const config = { printer_commands: 'refuse', duplicate_guard_minutes: 10 }
    const server = await startServer(t, { entry, folder: t.testdir(), config, flags: ['--demo'] })
    const print = async (text: string, more = {}) => {
      const response = await server.post('/', { label: base64(text), ...more }, PATIENT)
      return { status: response.status, answer: (await response.json()) as Answer }
    }
    const refused = await print('^XA^KP1234^XZ')
    t.equal(refused.status, 422)
    t.match(refused.answer, { Status: 'Error', code: 'LABEL_COMMAND', detail: /\^KP at byte 3/ })
    const warned = await print('^XA^JUS^XZ')
    t.equal(warned.status, 200)
    t.match(warned.answer, {
      Status: 'OK',
      jobs: [{ state: 'completed', message: '', detail: /\^JUS saves settings/ }],
    })
    const first = await print('^XA^FDone^FS^XZ')
    t.equal(first.answer.Status, 'OK')
    const again = await print('^XA^FDone^FS^XZ', {})
    t.equal(again.status, 202)
    t.match(again.answer, {
      Status: 'Error',
      Message: /^Already printed at \d\d:\d\d on Demo printer/,
      code: 'JOB_DUPLICATE',
      hint: /Release/,
      jobs: [{ state: 'pending-held', reasons: ['platen-duplicate'] }],
    })
    const id = again.answer.jobs[0]?.id ?? ''
    t.equal((await server.post(`/jobs/${id}/release`)).status, 200)
    t.match(await jobIn(server, id, ['completed']), { message: '' })
    t.equal(await server.stop(), 0)
  })
}

/** Each ends inside its data: the printer would take the next label for the rest. */
const CUT = {
  zpl: '^XA^GFB,999999,999999,1,xx^FS^XZ',
  object: '~DYR:X,B,G,99999,,xx',
  epl: 'N\nP1\nN\nGW0,0,99,99,xx\nP1\n',
  form: 'N\nFS"F"\nA1,1,0,1,1,1,N,"x"\nP1\n',
  tspl: 'SIZE 4,6\nCLS\nBITMAP 0,0,99,99,0,xx\nPRINT 1\n',
}

for (const entry of ENTRIES) {
  t.test(`labels that end inside a picture are held, by ${entry}`, async (t) => {
    const config = { printer_commands: 'allow' }
    const server = await startServer(t, { entry, folder: t.testdir(), config, flags: ['--demo'] })
    const print = async (text: string) => {
      const response = await server.post('/', { label: base64(text) }, PATIENT)
      return { status: response.status, answer: (await response.json()) as Answer }
    }
    for (const [name, label] of Object.entries(CUT)) {
      const { status, answer } = await print(label)
      t.equal(status, 202, name)
      t.match(answer, {
        Status: 'Error',
        Message: /^The end of this label is missing/,
        code: 'LABEL_CUT',
        hint: /print the label again from the shop/,
        jobs: [{ state: 'pending-held', reasons: ['document-format-error'], delivery: 'none' }],
      })
      const id = answer.jobs[0]?.id ?? ''
      t.equal((await server.post(`/jobs/${id}/release`)).status, 409)
      const next = await print(`^XA^FD${name}^FS^XZ`)
      t.match(next.answer, { Status: 'OK', jobs: [{ state: 'completed' }] }, 'the next one prints')
      t.equal((await server.post(`/jobs/${id}/cancel`)).status, 200)
    }
    t.equal(await server.stop(), 0)
  })
}
