import { plugins } from '../../src/plugins/index.ts'
import { Plugins } from '../../src/plugins/registry.ts'

/** All plugins, not started. */
export const allPlugins = new Plugins(plugins, (error) => {
  throw error
})
