import t, { type Test } from 'tap'
import { formBody, jsonBody, type Rig, startRig, ZPL64 } from '../http/rig.ts'
import { importPage } from './in-node.ts'

interface Label {
  readonly id: string
  readonly title: string
}

interface Store {
  readonly jobs: ReadonlyMap<string, Label>
  putJob(job: Label): void
  find(query: object): Promise<void>
  refresh(): Promise<boolean>
  loadOlder(): Promise<boolean>
  dropFound(): readonly string[]
}

/** Opens a page's store, over the calls of the page to a real print server. */
async function openStore(t: Test, call: Rig['call']): Promise<Store> {
  const before = globalThis.fetch
  t.teardown(() => {
    globalThis.fetch = before
  })
  const { createApi } = await importPage<{ createApi(): object }>('shell/api.js')
  const { createStore } = await importPage<{ createStore(api: object): Store }>('shell/store.js')
  globalThis.fetch = (path, init) => call(String(path), init)
  return createStore(createApi())
}

async function print(rig: Rig, copies: number, title = ''): Promise<void> {
  const body = formBody(['label', ZPL64], ['copies', String(copies)], ['title', title])
  t.equal((await rig.call('/', { ...body })).status, 200)
}

t.test('what is told while a page wakes hides none of the labels it slept through', async (t) => {
  const rig = startRig(t)
  let told = (): void => undefined
  const store = await openStore(t, async (path, init) => {
    const answer = await rig.call(path, init)
    if (path.startsWith('/jobs?limit=')) told()
    return answer
  })
  await print(rig, 3)
  await store.refresh()
  await print(rig, 60)
  const newest = (await (await rig.call('/jobs?limit=1')).json()) as Label[]
  // The stream of events is open before the answer is there.
  told = () => {
    for (const label of newest) store.putJob(label)
  }
  let hasOlder = await store.refresh()
  while (hasOlder) hasOlder = await store.loadOlder()
  t.same(
    [...store.jobs.keys()].sort(),
    rig
      .jobs()
      .map(({ id }) => id)
      .sort(),
  )
})

t.test('what a search brings while a page wakes hides none of them either', async (t) => {
  const rig = startRig(t)
  let search = async (): Promise<void> => undefined
  const store = await openStore(t, async (path, init) => {
    const answer = await rig.call(path, init)
    if (path.startsWith('/jobs?limit=')) await search()
    return answer
  })
  await print(rig, 3)
  await store.refresh()
  await print(rig, 60)
  await print(rig, 1, 'Wanted')
  search = () => store.find({ title: 'Wanted' })
  let hasOlder = await store.refresh()
  t.same(store.dropFound(), [], 'the newest label stays when the search is over')
  while (hasOlder) hasOlder = await store.loadOlder()
  t.equal(store.jobs.size, 64)
})

t.test('older labels that come behind a list that began again leave no gap', async (t) => {
  const rig = startRig(t)
  let late = Promise.resolve()
  const store = await openStore(t, async (path, init) => {
    const answer = await rig.call(path, init)
    if (path.includes('before=')) await late
    return answer
  })
  await print(rig, 60)
  await store.refresh()
  const { promise, resolve } = Promise.withResolvers<void>()
  late = promise
  const older = store.loadOlder()
  await print(rig, 60)
  await store.refresh()
  resolve()
  let hasOlder = await older
  while (hasOlder) hasOlder = await store.loadOlder()
  t.equal(store.jobs.size, 120)
})

t.test('an answer that events have overtaken changes nothing back', async (t) => {
  const rig = startRig(t)
  let told = async (): Promise<void> => undefined
  const store = await openStore(t, async (path, init) => {
    const answer = await rig.call(path, init)
    if (path.includes('limit=100') || path.includes('before=')) await told()
    return answer
  })
  await print(rig, 41)
  await store.refresh()
  const [id = ''] = store.jobs.keys()
  told = async () => {
    const codes = ['1Z999AA10123456784']
    await rig.call(`/jobs/${id}/codes`, jsonBody({ codes }))
    store.putJob((await (await rig.call(`/jobs/${id}`)).json()) as Label)
  }
  await store.find({ state: 'completed' })
  t.match(store.jobs.get(id)?.title, '1Z999AA10123456784')
})
