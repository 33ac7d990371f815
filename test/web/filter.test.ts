import t from 'tap'
import { formBody, startRig, ZPL64 } from '../http/rig.ts'
import { importPage } from './in-node.ts'

const NAMES = ['1Z999AA10123456784', 'Jürgen Müller', 'Żółć', 'Касса 7', 'Order 12-34', '仓库']

t.test('the page shows what the print server finds', async (t) => {
  const { matches } = await importPage<{ matches(words: string, wanted: string): boolean }>(
    'labels/filter.js',
  )
  const rig = startRig(t)
  for (const title of NAMES) await rig.call('/', formBody(['label', ZPL64], ['title', title]))
  for (const [wanted, title] of [
    ['1Z 999 AA1 01 2345 6784', '1Z999AA10123456784'],
    ['muller', 'Jürgen Müller'],
    ['JÜRGEN', 'Jürgen Müller'],
    ['zo', 'Żółć'],
    ['касса7', 'Касса 7'],
    ['order1234', 'Order 12-34'],
    ['仓', '仓库'],
    ['nobody', undefined],
  ] as const) {
    const found = (await (await rig.call(`/jobs?title=${encodeURIComponent(wanted)}`)).json()) as {
      title: string
    }[]
    const titles = found.map((one) => one.title)
    t.same(titles, title === undefined ? [] : [title], wanted)
    t.same(
      NAMES.filter((name) => matches(name, wanted)),
      titles,
      wanted,
    )
  }
})
