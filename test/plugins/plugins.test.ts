import t from 'tap'
import { plugins } from '../../src/plugins/index.ts'
import { conforms, containsDamage } from '../conformance/plugin.ts'

for (const plugin of plugins) {
  t.test(plugin.title, (t) => conforms(t, plugin, plugins))
}

t.test('a plugin that is broken disturbs no other', (t) => containsDamage(t))
