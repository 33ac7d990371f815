import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import * as v from 'valibot'
import type { Plugin, PluginConfig, RunningPlugin } from '../../src/plugins/plugin.ts'
import { Plugins } from '../../src/plugins/registry.ts'
import { checkConfig, findUnknownPrinters, findWarnings } from '../../src/settings/check.ts'
import { formatFault, makeWarning } from '../../src/settings/faults.ts'
import { doorPort, field, flag, object, text, type ValuesOf } from '../../src/settings/field.ts'
import { loadConfig } from '../../src/settings/load.ts'
import { MASK } from '../../src/settings/masks.ts'
import { type PluginSettings, SettingsSchema } from '../../src/settings/schema.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import { startRig } from '../http/rig.ts'
import { makePluginCore } from '../plugins/core.ts'

const entries = {
  scale: field(v.optional(flag, false), 'Scale', 'Weighs parcels.'),
  scale_port: field(v.optional(doorPort), 'Scale port', 'Where it listens.', {
    ports: 2,
    when: 'scale',
  }),
  scale_secret: field(v.optional(text), 'Scale secret', 'Of the scale.', { secret: true }),
  scales: field(
    v.optional(
      v.array(
        v.object(
          { bench: field(v.optional(text), 'Bench', 'A printer.', { printer: true }) },
          object,
        ),
      ),
    ),
    'Scales',
    'More of them.',
  ),
}

type ScaleSettings = ValuesOf<typeof entries>

const scale: PluginSettings<ScaleSettings> = {
  entries,
  findWarnings: ({ scale, scale_secret, host }) =>
    scale || scale_secret === undefined ? [] : [makeWarning('scale_secret', `idle at ${host}.`)],
}

/** A plugin that was started with its settings. */
interface RunningScale extends RunningPlugin {
  readonly settings: PluginConfig<ScaleSettings>
}

const plugin: Plugin<RunningScale, ScaleSettings> = {
  name: 'scale',
  title: 'Scale',
  settings: scale,
  start: ({ settings }) => ({ settings }),
}

const core = new SettingsSchema([])
const schema = new SettingsSchema([scale])

function open(t: Test, content: object): { store: ConfigStore; warnings: readonly string[] } {
  const file = join(t.testdir(), 'config.json')
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 })
  const loaded = loadConfig(file, schema)
  return { store: new ConfigStore(file, loaded), warnings: loaded.warnings }
}

t.test('keys of a plugin come behind those of the core, and are keys as these', (t) => {
  const names = schema.fields.map(({ key }) => key)
  t.same(names, [...core.fields.map(({ key }) => key), ...Object.keys(entries)])
  t.match(schema.fields.find(({ key }) => key === 'scales')?.fields, [{ key: 'bench' }])
  t.same(schema.defaults().raw, { ...core.defaults().raw, scale: false })
  t.match(checkConfig({ scale: 'yes' }, schema).faults, [
    { key: 'scale', message: 'got "yes", wanted true or false' },
  ])
  t.match(checkConfig({ scale_secret: 5 }, schema).faults, [{ message: /^got a number, wanted/ }])
  t.end()
})

t.test('without the plugin its keys are not known', (t) => {
  const raw = { scale: true }
  const { config } = checkConfig(raw, core)
  if (config === undefined) throw new Error('it is kept')
  t.match(findWarnings(raw, config, core), [{ key: '"scale"', message: /^unknown key/ }])
  t.end()
})

t.test('a plugin reads its keys beside those of the core', async (t) => {
  const { store } = open(t, { scale_secret: 'geheim', scale: true })
  const plugins = new Plugins([plugin], (error) => t.fail(String(error)))
  const folder = join(t.testdirName, 'box')
  mkdirSync(folder)
  const { bench } = startRig(t, { bench: { folder }, prints: false })
  plugins.start(makePluginCore(bench, { settings: store }), new AbortController().signal)
  const { settings } = plugins.running(plugin)
  t.equal(settings.current.scale, true)
  t.equal(settings.current.port, '8080')
  t.match(store.masked(), { scale_secret: MASK })
  await store.put({ ...store.masked(), scale: false })
  t.match(settings.current, { scale: false, scale_secret: 'geheim' })
  t.equal(settings.check({ scale: true }).scale, true)
})

t.test('a plugin warns of what is odd about its keys', async (t) => {
  const { store, warnings } = open(t, { scale_secret: 'geheim' })
  t.same(warnings, ['config.json: scale_secret: idle at localhost.'])
  const saved = await store.put({ scale_secret: MASK, host: '127.0.0.1' })
  t.same(saved.warnings.map(formatFault), ['scale_secret: idle at 127.0.0.1.'])
})

t.test('marks say which keys open ports and name printers', (t) => {
  const clash = { key: 'scale_port', message: 'needs port 8080, as port does; wanted another one' }
  t.match(checkConfig({ scale: true, scale_port: 8079 }, schema).faults, [clash])
  t.equal(checkConfig({ scale_port: 8079 }, schema).faults, undefined, 'while it is off')
  const { config } = checkConfig({ scales: [{ bench: 'Bench 1' }, {}] }, schema)
  if (config === undefined) throw new Error('it is right')
  t.match(findUnknownPrinters(config, ['Zebra'], schema), [{ key: 'scales[0].bench' }])
  t.same(findUnknownPrinters(config, ['Bench 1'], schema), [])
  t.end()
})
