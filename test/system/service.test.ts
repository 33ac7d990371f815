import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runService, type ServiceGround } from '../../src/system/service.ts'

const PROGRAM = ['/home/Jörg/my "own" 100%/platen'] as const

function makeGround(more: Partial<ServiceGround> = {}) {
  const commands: string[] = []
  const home = t.testdirName
  const ground: ServiceGround = {
    ...{ platform: 'linux', home, uid: 501, program: PROGRAM, configFile: '/etc/a b.json' },
    ...{ programFiles: join(home, 'Files'), programData: join(home, 'Data') },
    run(command) {
      commands.push(command.join(' '))
      return { code: 0, text: '' }
    },
    ...more,
  }
  return { ground, commands }
}

t.test('Linux: a unit of the user', (t) => {
  const home = t.testdir()
  const { ground, commands } = makeGround({ home })
  t.match(runService('status', ground), { code: 4, text: /not installed/ })
  t.match(runService('install', ground), { code: 0, text: /enable-linger/ })
  const file = join(home, '.config/systemd/user/platen.service')
  t.match(
    readFileSync(file, 'utf8'),
    'ExecStart=/usr/bin/env "/home/Jörg/my \\"own\\" 100%%/platen" "--no-browser" "--config"',
  )
  t.match(runService('status', ground), { code: 0, text: /runs/ })
  t.match(runService('remove', ground), { code: 0, text: /labels stay/ })
  t.notOk(existsSync(file))
  t.same(
    commands,
    [
      ...['is-active platen', 'daemon-reload', 'enable --now platen', 'is-active platen'],
      ...['disable --now platen', 'daemon-reload'],
    ].map((words) => `systemctl --user ${words}`),
  )
  t.end()
})

t.test('macOS: an agent of the user', (t) => {
  const home = t.testdir()
  const { ground, commands } = makeGround({ platform: 'darwin', home, program: ['/a & b/platen'] })
  t.match(runService('install', ground), { code: 0, text: /each login/ })
  t.match(runService('status', ground), { code: 0, text: /runs/ })
  const file = join(home, 'Library/LaunchAgents/platen.plist')
  t.match(readFileSync(file, 'utf8'), '<string>/a &amp; b/platen</string>')
  t.match(runService('remove', ground), { code: 0 })
  t.notOk(existsSync(file))
  t.same(commands, [
    'launchctl bootout gui/501/platen',
    `launchctl bootstrap gui/501 ${file}`,
    'launchctl print gui/501/platen',
    'launchctl bootout gui/501/platen',
  ])
  t.end()
})

t.test('Windows: only the executable installs itself, and what fails is told', (t) => {
  const { ground, commands } = makeGround({ platform: 'win32' })
  const script = runService('install', { ...ground, program: ['node.exe', 'platen.js'] })
  t.match(script, { code: 1, text: /Only the executable/ })
  t.match(runService('install', { ...ground, program: ['/nowhere/x'] }), {
    ...{ code: 1, text: /as administrator/ },
  })
  t.same(commands, [])
  const refused = { ...ground, run: () => ({ code: 1060, text: 'no such service' }) }
  t.match(runService('status', refused), { code: 4, text: /not installed/ })
  t.match(runService('remove', refused), { code: 1, text: /sc\.exe delete platen: no such/ })
  const runs = { ...ground, run: () => ({ code: 0, text: '  STATE : 4  RUNNING' }) }
  t.match(runService('status', runs), { code: 0, text: /runs/ })
  t.end()
})
