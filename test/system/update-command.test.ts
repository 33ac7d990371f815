import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runUpdate } from '../../src/system/commands.ts'

t.test(
  'platen update hands on to the script of the package, and elsewhere says how to update',
  (t) => {
    const folder = t.testdir({ update: '#!/bin/sh\nexit $(printf %s "$1" | tr -d -)\n' })
    const script = join(folder, 'update')
    chmodSync(script, 0o755)
    t.same(runUpdate(['--3'], join(folder, 'platen.js'), script), { code: 3, text: '' })
    const npm = /npm install -g \.\/platen-VERSION\.tgz/
    t.match(runUpdate([], '/elsewhere/platen.js', script), { code: 1, text: npm })
    mkdirSync(join(folder, 'empty'))
    const none = join(folder, 'empty', 'update')
    t.match(runUpdate([], join(folder, 'empty', 'platen.js'), none), { code: 1, text: /git pull/ })
    const root = join(import.meta.dirname, '../..')
    const { status, stderr } = spawnSync(
      process.execPath,
      ['packaging/launcher/platen.js', 'update'],
      { cwd: root },
    )
    t.match({ status, text: String(stderr) }, { status: 1, text: /the way it was installed/ })
    t.end()
  },
)
