import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { describeCanceled, describeMoved } from '../../src/http/job-list.ts'
import { spoken } from '../words/spoken.ts'
import { jsonBody, startRig, ZPL64 } from './rig.ts'

const QUICK = { prefer: 'wait=0' }

interface Listed {
  readonly id: string
  readonly title: string
  readonly state: string
}

/** Two printers; of 300 labels three are held, at places that no first page reaches. */
async function fill(t: Parameters<typeof startRig>[0]) {
  const rig = startRig(t, { prints: false })
  for (let n = 0; n < 300; n += 100) {
    for (const printer of ['Bench 1', 'Bench 2']) {
      const body = { label: ZPL64, printer, copies: 50, title: `Zoë ${n} ${printer}` }
      await rig.call('/', jsonBody(body, QUICK))
    }
  }
  const all = rig.jobs()
  for (const at of [9, 100, 149]) {
    rig.bench.spool.move(all[at]?.id ?? '', () => ({ state: 'pending-held' }))
  }
  const list = async (query: string): Promise<Listed[]> => {
    const res = await rig.call(`/jobs?${query}`)
    t.equal(res.status, 200, query)
    return (await res.json()) as Listed[]
  }
  return { ...rig, all, list }
}

t.test('held labels are found whatever their age, and after a restart', async (t) => {
  const { list, all, bench, call } = await fill(t)
  const held = await list('state=pending-held')
  t.same(
    held.map(({ id }) => id),
    [149, 100, 9].map((at) => all[at]?.id),
  )
  for (const { id } of all.slice(10)) await bench.scheduler.cancel(id)
  const open = await list('state=not-completed&limit=200')
  t.same(
    open.map(({ id }) => id),
    all
      .slice(0, 10)
      .map(({ id }) => id)
      .toReversed(),
  )
  t.equal((await list('state=ended&limit=200')).length, 200)
  const counts: unknown = await (await call('/jobs/counts')).json()
  t.match(counts, {
    not_completed: 10,
    printers: [
      {
        printer: 'Bench 1',
        not_completed: 10,
        pending: 9,
        'pending-held': 1,
        today: { canceled: 140 },
      },
      { printer: 'Bench 2', not_completed: 0, today: { completed: 0, canceled: 150, aborted: 0 } },
    ],
  })
})

t.test('filters go together, and pages follow each other', async (t) => {
  const { list, all } = await fill(t)
  const pages: string[] = []
  let before = ''
  while (true) {
    const page = await list(`printer=Bench+2&state=pending&limit=40${before}`)
    if (page.length === 0) break
    pages.push(...page.map(({ id }) => id))
    before = `&before=${page.at(-1)?.id}`
  }
  const held = new Set([9, 100, 149].map((at) => all[at]?.id))
  t.same(
    pages,
    all
      .filter(({ printer, id }) => printer === 'Bench 2' && !held.has(id))
      .map(({ id }) => id)
      .toReversed(),
  )
  t.equal((await list('title=zoe+100&limit=200')).length, 100)
  t.equal((await list('title=ZOË+100+bench+2&limit=200')).length, 50)
  t.equal((await list('title=zoe&state=pending-held')).length, 3)
  t.equal((await list('title=zoe+0&printer=Bench+1&state=pending-held')).length, 1)
  t.equal((await list('title=nobody')).length, 0)
  t.equal((await list('printer=')).length, 0)
})

t.test('the oldest come first where it is asked for, page after page', async (t) => {
  const { list, all, call } = await fill(t)
  const ids = all.map(({ id }) => id)
  for (const [filter, wanted] of [
    ['', ids],
    ['state=not-completed', ids],
    ['printer=Bench+1', all.filter(({ printer }) => printer === 'Bench 1').map(({ id }) => id)],
    ['title=zoe+100', all.filter(({ title }) => title.includes('100')).map(({ id }) => id)],
  ] as const) {
    const pages: string[] = []
    while (true) {
      const after = pages.at(-1) ?? ''
      const page = await list(`${filter}&order=oldest&limit=77&after=${after}`)
      pages.push(...page.map(({ id }) => id))
      if (page.length < 77) break
    }
    t.same(pages, wanted, filter)
  }
  const between = `after=${ids[3]}&before=${ids[6]}`
  const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)
  t.same(await idsOf(`${between}&order=oldest`), ids.slice(4, 6))
  t.same(await idsOf(`${between}&order=newest&title=zoe`), ids.slice(4, 6).toReversed())
  t.equal((await call('/jobs?order=oldest&after=nobody')).status, 404)
})

t.test('a number is found with its blanks or without', async (t) => {
  const { call } = startRig(t, { prints: false })
  await call('/', jsonBody({ label: ZPL64, title: '1Z999AA10123456784' }, QUICK))
  for (const title of ['1z 999 aa1', '456784', '1Z-999']) {
    const res = await call(`/jobs?title=${encodeURIComponent(title)}`)
    t.equal(((await res.json()) as unknown[]).length, 1, title)
  }
})

t.test('what is not a filter is refused', async (t) => {
  const { call } = startRig(t, { prints: false })
  for (const [query, words] of [
    [
      'states=pending',
      /no query "states", wanted state or printer or title or order or after or before or limit/,
    ],
    ['state=waiting', /state: got "waiting", wanted pending, pending-held/],
    ['state=pending,', /state: got "pending,", wanted pending, /],
    ['state=constructor', /state: got "constructor"/],
    ['limit=0', /limit: got "0"/],
    ['order=upwards', /order: got "upwards", wanted newest or oldest/],
  ] as const) {
    const res = await call(`/jobs?${query}`)
    t.equal(res.status, 400, query)
    t.match(await res.json(), { code: 'FIELD_INVALID', Message: words })
  }
})

t.test('a job tells the states that it has been through', async (t) => {
  const { call, jobs, untilJob } = startRig(t)
  await call('/', jsonBody({ label: ZPL64 }))
  const [job] = jobs()
  await untilJob(({ state }) => state === 'completed')
  const told = (await (await call(`/jobs/${job?.id}`)).json()) as { history: { at: string }[] }
  t.match(told, {
    history: [
      { state: 'pending', reasons: [] },
      { state: 'processing', reasons: ['job-printing'] },
      { state: 'completed', reasons: ['job-completed-successfully'] },
    ],
  })
  for (const { at } of told.history) t.ok(Date.parse(at) > 0)
})

t.test('no list walks over all jobs', async (t) => {
  const rig = startRig(t, { prints: false })
  await rig.bench.close()
  const db = new DatabaseSync(join(rig.folder, 'spool.db'))
  const plan = (sql: string, ...values: (string | number)[]): string =>
    JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values))
  t.match(
    plan(
      'SELECT seq FROM job WHERE state = ? AND printer = ? AND seq > ? AND seq < ? ORDER BY seq ASC LIMIT ?',
      'pending',
      'A',
      0,
      9,
      9,
    ),
    /SEARCH job USING COVERING INDEX job_queue/,
  )
  t.match(
    plan(
      "SELECT seq, title FROM job INDEXED BY job_title WHERE title <> '' AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?",
      0,
      9,
      9,
    ),
    /USING COVERING INDEX job_title/,
  )
  t.match(
    plan(
      'SELECT printer, state, count(*) AS jobs FROM job WHERE has_label IN (0, 1) AND ended_run > 0 AND ended_run >= ? AND ended_at >= ? GROUP BY printer, state',
      9,
      9,
    ),
    /USING INDEX job_ended/,
  )
  db.close()
})

t.test(
  'what became of many labels is said in numbers, and what is none of them not at all',
  (t) => {
    const rows: readonly (readonly [number, number, number, string])[] = [
      [0, 0, 0, 'No label was moved.'],
      [1, 0, 0, '1 label is moved to B.'],
      [3, 0, 1, '3 labels are moved to B. 1 is being printed, held, or came in meanwhile.'],
      [0, 2, 2, 'No label was moved. 2 labels are in a language that B does not print.'],
      // One of another language has ended meanwhile.
      [0, 2, 1, 'No label was moved. 2 labels are in a language that B does not print.'],
      [
        ...([2, 1, 3] as const),
        '2 labels are moved to B. 1 label is in a language that B does not print. 2 are being printed, held, or came in meanwhile.',
      ],
    ]
    for (const [moved, foreign, remaining, words] of rows)
      t.equal(spoken(describeMoved(moved, foreign, remaining, 'B')), words)
    t.match(spoken(describeCanceled(0, 0)), /^[^.]+\.$/)
    t.match(spoken(describeCanceled(2, 1)), / 1 is being printed or came in meanwhile\.$/)
    t.end()
  },
)

t.test(
  'a page has 50 labels where nothing else is asked for, and what was done is said',
  async (t) => {
    const { list } = await fill(t)
    for (const [query, most] of [
      ['', 50],
      ['limit=', 50],
      ['limit=1', 1],
      ['limit=120', 120],
      ['limit=999', 200],
    ] as const) {
      t.equal((await list(query)).length, most, query)
    }
    for (const [canceled, remaining, said] of [
      [0, 0, 'No label was waiting.'],
      [1, 0, '1 label is canceled.'],
      [2, 0, '2 labels are canceled.'],
      [0, 1, 'No label was waiting. 1 is being printed or came in meanwhile.'],
    ] as const) {
      t.equal(spoken(describeCanceled(canceled, remaining)), said)
    }
  },
)

t.test('a query that is there twice is refused, for only one of them would count', async (t) => {
  const { call } = startRig(t)
  for (const query of ['state=pending&state=completed', 'printer=Bench%201&printer=Bench%202']) {
    const res = await call(`/jobs?${query}`)
    t.equal(res.status, 400, query)
    t.match(await res.json(), { code: 'FIELD_INVALID', Message: /wanted one value/ })
  }
})
