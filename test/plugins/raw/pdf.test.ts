import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { raw } from '../../../src/plugins/raw/index.ts'
import { printer } from '../../core/bench.ts'
import { findClosedPort } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { jobs, openDoor } from '../door/door-bench.ts'
import { talk } from './client.ts'

const caseOf = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../../labels/codecs/pdf/cases', name))

/** Sends a PDF to the port of a printer, and returns its fate. */
async function send(t: Test, name: string) {
  const port = await findClosedPort()
  const printers = [printer('A', 'file:a', 'zpl')]
  const door = await openDoor(t, raw, { raw_port: port }, { printers, defaultName: 'A' })
  await talk(port, [caseOf(name)])
  await poll('the label to be taken', () => jobs(door).length > 0)
  await poll('it to end', () =>
    jobs(door).every(({ state }) => state === 'completed' || state === 'pending-held'),
  )
  return jobs(door)
}

t.test('a PDF on port 9100 that lost something never prints as if it were whole', async (t) => {
  for (const name of ['utf8-mangled', 'crlfmangled', 'dct-cut', 'flate-cut', 'g4-cut']) {
    const [job] = await send(t, `${name}.pdf`)
    t.match(spoken(job), { state: 'pending-held', message: /damaged|read as text/ }, name)
  }
  const [bars] = await send(t, 'font-3of9.pdf')
  t.match(spoken(bars), { state: 'pending-held', message: /the bar code font Free3of9/ })
  const pages = await send(t, 'blank-between.pdf')
  t.same(spoken(pages.map(({ message, state }) => [state, message]).toSorted()), [
    ['completed', ''],
    ['completed', 'Pages 2 and 4 are blank and were left out.'],
  ])
})
