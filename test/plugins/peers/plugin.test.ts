import { registerHooks } from 'node:module'
import t from 'tap'
import { peers } from '../../../src/plugins/peers/index.ts'
import type { PluginCore } from '../../../src/plugins/plugin.ts'
import { startRig } from '../../http/rig.ts'
import { poll } from '../../until.ts'
import { makePluginCore } from '../core.ts'

t.test('paired boxes are there again once what was in the way is gone', async (t) => {
  const { bench, folder, stopping } = startRig(t, { prints: false })
  let isBlocked = true
  const core: PluginCore = {
    ...makePluginCore(bench),
    get stateFolder() {
      if (isBlocked) throw new Error('in the way')
      return folder
    },
  }
  const { open, listening } = peers.start(core, stopping.signal)
  listening?.()
  await t.rejects(open(), { message: 'in the way' })
  await t.rejects(open(), { message: 'in the way' })
  isBlocked = false
  const [one, another] = await Promise.all([open(), open()])
  t.same(await one.list(), [])
  t.equal(another, one)
})

t.test('rules are followed once what was in the way of their program is gone', async (t) => {
  const { bench, stopping } = startRig(t, { prints: false })
  const faults: unknown[] = []
  let looks = 0
  let isBlocked = true
  // As too many open files, or a virus scanner that looks at it.
  const hooks = registerHooks({
    load(url, context, next) {
      if (!url.endsWith('/peers/backup.ts')) return next(url, context)
      looks += 1
      if (isBlocked) throw Object.assign(new Error('in the way'), { code: 'EMFILE' })
      return next(url, context)
    },
  })
  t.teardown(() => hooks.deregister())
  const core = makePluginCore(bench, { fault: (error) => faults.push(error) })
  const { printers } = bench
  const [first, second] = printers.list()
  if (first === undefined || second === undefined) throw new Error('no printers')
  const rule = { printer: 'Nobody', box: '', minutes: 1 }
  printers.configure([{ ...first, backup: rule }, second], '')
  peers.start(core, stopping.signal).listening?.()
  await poll('the first try', () => faults.length > 0)
  isBlocked = false
  printers.setPaused(second.name, true)
  await poll('the rule', () => printers.get(first.name)?.backupFault !== undefined)
  t.match(faults, [{ code: 'EMFILE' }])
  t.equal(looks, 2)
})
