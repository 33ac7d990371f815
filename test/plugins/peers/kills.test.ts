import t from 'tap'
import { until } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { type Box, OFF, pair, startBox, WORKING, waiting } from './two-boxes.ts'
import { type Cut, Wire } from './wire.ts'

t.setTimeout(300_000)

t.test('a kill of either box at any step of a handover prints the label once', async (t) => {
  const backup = { backup: 'Bench 3', backup_box: 'packing-2', backup_minutes: 15 }
  const off = { ...OFF, ...backup }
  const [a, b] = await Promise.all([startBox(t, 'a', [off]), startBox(t, 'b', [WORKING])])
  const told = await until('the rule to be looked at', async () => {
    const { json } = await a.json('/printers')
    return json[0].backup.message === '' ? undefined : json[0].backup
  })
  const message = 'No print server "packing-2" is paired with this one.'
  t.match(told, { printer: 'Bench 3', box: 'packing-2', minutes: 15, message })
  const wire = await Wire.open(t, b.place)
  const box = await pair(a, b, wire.place)
  const { json: list } = await a.json('/peers')
  t.match(spoken(list.peers), [
    { id: box, message: '', printers: [{ name: 'Bench 3', language: 'zpl' }] },
  ])
  const goal = { box, printer: 'Bench 3', move: true }
  const first = await waiting(a, 'first')
  await a.json(`/jobs/${first}/reprint`, goal)
  const { up, down } = wire.last

  const steps: Readonly<Record<string, { readonly cut: Cut; readonly dies: readonly Box[] }>> = {
    offered: { cut: { up: 0 }, dies: [a] },
    halfSent: { cut: { up: up - 60 }, dies: [a] },
    halfTaken: { cut: { up: up - 60 }, dies: [b] },
    taken: { cut: { down: down - 300 }, dies: [a] },
    answered: { cut: { down: down - 300 }, dies: [b] },
    both: { cut: { down: down - 300 }, dies: [b, a] },
  }
  for (const [mark, { cut, dies }] of Object.entries(steps)) {
    const id = await waiting(a, mark)
    const reached = wire.plan({}, { ...cut, isSilent: true }, {})
    const asked = a.json(`/jobs/${id}/reprint`, goal).catch(() => undefined)
    await reached
    for (const box of dies) await box.server.kill()
    wire.breakAll()
    for (const box of dies) await box.restart()
    await asked
    const job = await until(`${mark} to arrive`, async () => {
      const { json } = await a.json(`/jobs/${id}`)
      return json.state === 'canceled' ? json : undefined
    })
    t.match(spoken(job.message), /^Moved to Bench 3/, mark)
  }
  const marks = ['first', ...Object.keys(steps)]
  await until('all labels to come out', async () =>
    b.printed().length >= marks.length ? true : undefined,
  )
  const out = b.printed()
  for (const mark of marks)
    t.equal(out.filter((text) => text.includes(`^FD${mark}^FS`)).length, 1, `${mark} once`)
  t.equal(out.length, marks.length)
})
