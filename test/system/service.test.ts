import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runService, type ServiceGround, writeAgent, writeUnit } from '../../src/system/service.ts'

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

t.test(
  'systemd reads the unit as it is meant',
  existsSync('/usr/bin/systemd-analyze') ? {} : { skip: 'this machine lacks systemd' },
  (t) => {
    const folder = t.testdir()
    const program = [join(folder, "a 100% $HOME 'b'")] as const
    writeFileSync(program[0], '', { mode: 0o755 })
    const file = join(folder, 'platen.service')
    writeFileSync(file, writeUnit(makeGround({ program }).ground))
    execFileSync('systemd-analyze', ['--user', 'verify', '--man=no', file], {
      ...{ stdio: 'pipe', env: { ...process.env, XDG_RUNTIME_DIR: folder } },
    })
    t.end()
  },
)

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

t.test(
  'an independent reader reads the agent',
  existsSync('/usr/bin/python3') ? {} : { skip: 'this machine lacks python3' },
  (t) => {
    const script =
      'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
    const { ground } = makeGround({ platform: 'darwin', home: '/Users/Jörg', program: ['/a & b'] })
    const text = execFileSync('python3', ['-c', script], { input: writeAgent(ground) })
    t.match(JSON.parse(text.toString()), {
      ...{
        Label: 'platen',
        ProgramArguments: ['/a & b', '--no-browser', '--config', '/etc/a b.json'],
      },
      ...{ RunAtLoad: true, KeepAlive: { SuccessfulExit: false } },
      EnvironmentVariables: { PLATEN_LOG_FILE: '/Users/Jörg/Library/Logs/platen/platen.log' },
    })
    t.end()
  },
)

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
