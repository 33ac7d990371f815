import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, win32 } from 'node:path'
import t from 'tap'
import { runService, type ServiceGround, writeUnit } from '../../src/system/service.ts'
import { makeGround } from './make-ground.ts'

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
      // One that runs already, with another configuration, takes this one.
      'is-active platen',
      'daemon-reload',
      'enable platen',
      'restart platen',
      'is-active platen',
      'disable --now platen',
      'daemon-reload',
    ].map((words) => `systemctl --user ${words}`),
  )
  t.end()
})

t.test('macOS: an agent of the user', (t) => {
  const home = t.testdir()
  const commands: string[] = []
  const prints = [0, 113, 0] // one of before is there until its label in hand is finished
  const { ground } = makeGround({
    platform: 'darwin',
    home,
    program: ['/a & b/platen'],
    run(command) {
      commands.push(command.join(' '))
      return { code: command[1] === 'print' ? (prints.shift() ?? 0) : 0, text: '' }
    },
  })
  t.match(runService('install', ground), { code: 0, text: /each login/ })
  t.match(runService('status', ground), { code: 0, text: /runs/ })
  const file = join(home, 'Library/LaunchAgents/platen.plist')
  t.match(readFileSync(file, 'utf8'), '<string>/a &amp; b/platen</string>')
  t.match(runService('remove', ground), { code: 0 })
  t.notOk(existsSync(file))
  t.same(commands, [
    'launchctl bootout gui/501/platen',
    'launchctl print gui/501/platen',
    'launchctl print gui/501/platen',
    `launchctl bootstrap gui/501 ${file}`,
    'launchctl print gui/501/platen',
    'launchctl bootout gui/501/platen',
  ])
  t.end()
})

t.test('Windows: only the executable installs itself, and what fails is told', (t) => {
  const { ground, commands } = makeGround({ platform: 'win32' })
  // Elsewhere the paths of Windows are names in the folder that the tests run in.
  const made = [ground.programFiles, ground.programData].map((one) => win32.join(one, 'platen'))
  t.teardown(() => {
    for (const one of made) rmSync(one, { recursive: true, force: true })
  })
  const script = runService('install', { ...ground, program: ['node.exe', 'platen.js'] })
  t.match(script, { code: 1, text: /Only the executable/ })
  t.match(runService('install', { ...ground, program: ['/nowhere/x'] }), {
    code: 1,
    text: /as administrator/,
  })
  t.same(commands, [])
  const refused = { ...ground, run: () => ({ code: 1060, text: 'no such service' }) }
  t.match(runService('status', refused), { code: 4, text: /not installed/ })
  t.match(runService('remove', refused), { code: 1, text: /sc\.exe delete platen: no such/ })
  const runs = { ...ground, run: () => ({ code: 0, text: '  STATE : 4  RUNNING' }) }
  t.match(runService('status', runs), { code: 0, text: /runs/ })
  t.end()
})

t.test('Windows: a service that is there takes the program and the settings of now', (t) => {
  const [files, data] = [`Files-${process.pid}`, `Data-${process.pid}`]
  const folder = win32.join(files, 'platen')
  const exe = win32.join(folder, 'platen.exe')
  t.teardown(() => {
    for (const one of [folder, exe, win32.join(data, 'platen')])
      rmSync(one, { recursive: true, force: true })
  })
  const own = join(t.testdir({ 'new.exe': 'new' }), 'new.exe')
  writeFileSync(exe, 'old')
  const states = ['4  RUNNING', '3  STOP_PENDING', '1  STOPPED']
  const commands: string[] = []
  const { ground } = makeGround({
    platform: 'win32',
    programFiles: files,
    programData: data,
    program: [own],
    lookMs: 1,
    run([program = '', verb = '', ...rest]) {
      commands.push([verb, ...rest].slice(0, 2).join(' '))
      if (program !== 'sc.exe') return { code: 0, text: '' }
      if (verb === 'create') return { code: 1073, text: 'The specified service already exists.' }
      if (verb !== 'query') return { code: 0, text: '' }
      t.equal(readFileSync(exe, 'utf8'), 'old', 'it is not replaced while it runs')
      const state = states.shift() ?? ''
      return { code: 0, text: `TYPE : 10  WIN32_OWN_PROCESS\nSTATE : ${state}` }
    },
  })
  t.match(runService('install', ground), { code: 0, text: /runs as a service/ })
  t.equal(readFileSync(exe, 'utf8'), 'new')
  t.same(states, [], 'its end was waited for')
  const after = commands.filter((one) => !one.startsWith('query'))
  t.match(after, ['stop platen', /./, 'config platen', /./, /./, 'start platen'])
  t.end()
})

t.test('how the service is, as an exit code too', (t) => {
  const home = t.testdir()
  for (const platform of ['linux', 'darwin'] as const) {
    const { ground } = makeGround({ platform, home, uid: 7 })
    const asked = (code: number) =>
      runService('status', { ...ground, run: () => ({ code, text: 'why' }) })
    t.strictSame(asked(0), { code: 4, text: 'The service is not installed.\n' })
    t.equal(runService('install', ground).code, 0)
    t.strictSame(asked(0), { code: 0, text: 'The service is installed and runs.\n' })
    t.strictSame(asked(3), { code: 3, text: 'The service is installed and does not run.\n' })
    t.equal(runService('remove', ground).code, 0)
    t.equal(runService('remove', ground).code, 0, 'what is not there is removed')
  }
  const { ground } = makeGround({ platform: 'win32' })
  const asked = (code: number, text: string) =>
    runService('status', { ...ground, run: () => ({ code, text }) })
  // sc query: 1 is stopped, 4 runs.
  t.equal(asked(0, 'STATE : 1  STOPPED').code, 3)
  t.equal(asked(0, 'STATE : 4  RUNNING').code, 0)
  // A Windows in Portuguese or Spanish; a service that stopped with an error of this number.
  t.equal(asked(0, 'TIPO : 10  WIN32_OWN_PROCESS\nESTADO : 4  RUNNING').code, 0)
  t.equal(asked(0, 'ESTADO : 1  STOPPED\nWIN32_EXIT_CODE : 4  (0x4)').code, 3)
  t.equal(asked(1060, '').code, 4)
  t.end()
})

t.test('the first command that fails is told, and none follows it', (t) => {
  const { ground, commands } = makeGround({ home: t.testdir() })
  const run = (command: readonly string[]) => {
    commands.push(command.join(' '))
    return { code: 5, text: 'No bus.' }
  }
  t.strictSame(runService('install', { ...ground, run }), {
    code: 1,
    text: 'systemctl --user daemon-reload: No bus.\n',
  })
  t.strictSame(commands, ['systemctl --user daemon-reload'])
  t.strictSame(runService('remove', { ...ground, run }).code, 1)
  t.end()
})

t.test('a service opens no browser, and takes the usual settings unless told', (t) => {
  const { ground } = makeGround({ program: ['/usr/bin/node', '/opt/platen.js'] })
  const start = (more: Partial<ServiceGround>): string | undefined =>
    /^ExecStart=(.*)$/m.exec(writeUnit({ ...ground, ...more }))?.[1]
  const program = '/usr/bin/env "/usr/bin/node" "/opt/platen.js" "--no-browser"'
  t.equal(start({ configFile: undefined }), program)
  t.equal(start({ configFile: '/etc/p.json' }), `${program} "--config" "/etc/p.json"`)
  t.end()
})
