import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Test } from 'tap'
import { listNames } from '../../src/core/spool/schema.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { AppParts } from '../../src/http/parts.ts'
import type { Plugin } from '../../src/plugins/plugin.ts'
import { Plugins } from '../../src/plugins/registry.ts'
import { SettingsSchema } from '../../src/settings/schema.ts'
import { newJob } from '../core/labels.ts'
import { startRig } from '../http/rig.ts'
import { makePluginCore } from '../plugins/core.ts'

const SRC = new URL('../../src/', import.meta.url).href

/** Checks the contract of every plugin. */
export async function conforms(t: Test, plugin: Plugin, all: readonly Plugin[]): Promise<void> {
  t.match(plugin.name, /^[a-z][a-z-]*$/, 'a name like a folder')
  t.not(plugin.title, '')
  t.equal(all.filter(({ name }) => name === plugin.name).length, 1, 'its name is its own')
  t.equal(all.filter(({ title }) => title === plugin.title).length, 1, 'its title is its own')
  const owners = all.flatMap(({ tables }) => tables ?? []).map(({ owner }) => owner)
  t.equal(new Set(owners).size, owners.length, 'tables are told apart by their owners')
  const others = all.filter((other) => other !== plugin).flatMap(({ settings }) => settings ?? [])
  const known = new SettingsSchema(others).fields.map(({ key }) => key)
  for (const key of Object.keys(plugin.settings?.entries ?? {})) t.notOk(known.includes(key), key)

  await t.test(
    'starts on a box with nothing configured, loads nothing, tells its figures, and stops',
    async (t) => {
      const { core, faults, plugins } = makeCore(t, [plugin])
      const stopping = new AbortController()
      const loaded = await listLoaded(() => {
        plugins.start(core, stopping.signal)
        t.ok(plugins.running(plugin))
        plugins.listening()
      })
      t.same(loaded, [], 'what is switched off is not loaded')
      await plugins.ready()
      const told = plugins.figures().flatMap(({ values }) => values)
      t.same(told, [], 'there is nothing to tell yet')
      stopping.abort()
      await plugins.stop()
      await plugins.end()
      t.same(faults, [])
    },
  )

  await t.test('describes each of its paths', async (t) => {
    const routes = await plugin.routes?.()
    const described = await plugin.describe?.()
    t.equal(described === undefined, routes === undefined)
  })

  await testTables(t, plugin)
}

/** The modules that files of `src/` import while this is done and in the turns after it. */
async function listLoaded(work: () => void): Promise<readonly string[]> {
  const loaded: string[] = []
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL?.startsWith(SRC) === true) loaded.push(specifier)
      return next(specifier, context)
    },
  })
  work()
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  hooks.deregister()
  return loaded
}

/** Checks its tables in the spool's database. */
async function testTables(t: Test, plugin: Plugin): Promise<void> {
  const tables = plugin.tables ?? []
  if (tables.length === 0) return
  const own = listNames(tables).filter((name) => !listNames([]).includes(name))
  const open = (folder: string): Spool => {
    return new Spool({ folder, tables, minFreeBytes: 0, ballastBytes: 0 })
  }
  const listThere = (folder: string): readonly unknown[] => {
    using db = new DatabaseSync(join(folder, 'spool.db'))
    const rows = db.prepare('SELECT name FROM sqlite_schema').all()
    return rows.map(({ name }) => name)
  }

  await t.test('its tables are there, also in a spool that was there before', (t) => {
    const folder = t.testdir()
    new Spool({ folder, minFreeBytes: 0, ballastBytes: 0 }).close()
    open(folder).close()
    t.same(
      own.filter((name) => !listThere(folder).includes(name)),
      [],
    )
    t.end()
  })

  for (const name of own) {
    await t.test(`labels survive the loss of ${name}, and it is there again`, (t) => {
      const folder = t.testdir()
      const spool = open(folder)
      const { jobs } = spool.add([newJob(), newJob()])
      spool.close()
      forget(join(folder, 'spool.db'), name)
      const again = open(folder)
      t.match(again.notices, [/was damaged/])
      t.same(
        jobs.map(({ id }) => again.history.get(id)?.state),
        ['pending', 'pending'],
      )
      again.close()
      t.ok(listThere(folder).includes(name))
      t.end()
    })
  }
}

/** Drops a part of the schema, as a damaged page does. */
function forget(file: string, name: string): void {
  using db = new DatabaseSync(file, { defensive: false })
  db.exec(`PRAGMA writable_schema=ON; DELETE FROM sqlite_schema WHERE name = '${name}'`)
}

/** A box on which these plugins may start. */
function makeCore(t: Test, list: readonly Plugin[]) {
  const { bench } = startRig(t, { prints: false })
  const faults: unknown[] = []
  const note = (fields: object): void => {
    if ('err' in fields) faults.push(fields.err)
  }
  const core = makePluginCore(bench, {
    log: { info: note, warn: note, error: note },
    fault: (error) => faults.push(error),
  })
  return { core, faults, plugins: new Plugins(list, core.fault) }
}

/** A plugin that is broken disturbs no other, nor the core. */
export async function containsDamage(t: Test): Promise<void> {
  const broken: Plugin = {
    name: 'broken',
    title: 'Broken',
    start: () => {
      throw new Error('no start')
    },
    routes: async () => ({ create: () => new Hono(), first: () => new Hono() }),
  }
  const silent: Plugin = {
    name: 'silent',
    title: 'Silent',
    start: () => ({
      furtherNames: () => {
        throw new Error('no names')
      },
      figures: () => {
        throw new Error('no figures')
      },
      ready: () => Promise.reject(new Error('not ready')),
      announcer: () => Promise.reject(new Error('no announcer')),
      stop: () => Promise.reject(new Error('no stop')),
    }),
  }
  const figure = { name: 'grams', help: 'g', type: 'gauge', values: [] } as const
  const service = { name: 'grams', type: 'gauge', port: 1, txt: {} }
  const sound: Plugin = {
    name: 'sound',
    title: 'Sound',
    start: () => ({
      furtherNames: () => ['sound.local'],
      figures: () => [figure],
      announcer: async () => () => [service],
    }),
    routes: async () => ({ create: () => new Hono(), first: () => new Hono() }),
  }
  const mute: Plugin = {
    name: 'mute',
    title: 'Mute',
    start: () => ({
      announcer: async () => () => {
        throw new Error('no services')
      },
    }),
  }
  const { core, faults, plugins } = makeCore(t, [broken, silent, mute, sound])
  plugins.start(core, new AbortController().signal)
  t.match(faults, [{ message: 'no start' }])
  t.throws(() => plugins.running(broken), { code: 'PROGRAM_BROKEN', message: /^Broken was not/ })
  const mounted = (await plugins.loadRoutes()).mount({} as AppParts)
  t.same(
    mounted.map(({ first }) => first === undefined),
    [true, false],
    'nothing of one that was not started comes before the paths of others',
  )
  t.same(plugins.furtherNames(), ['sound.local'])
  t.same(plugins.figures(), [figure])
  await t.rejects(plugins.ready(), { message: 'not ready' }, 'ends the start')
  const announce = await plugins.loadAnnouncer()
  t.same(announce({ port: 1, securePort: undefined, host: 'x.local' }), [service])
  await plugins.stop()
  t.match(faults, [
    { message: 'no start' },
    { message: 'no names' },
    { message: 'no figures' },
    { message: 'no announcer' },
    { message: 'no services' },
    { message: 'no stop' },
  ])
}
