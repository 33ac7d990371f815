import { join } from 'node:path'
import t from 'tap'
import {
  findConfigFile,
  findStateFolder,
  holdTimeZone,
  listStopSignals,
} from '../../src/system/process.ts'

t.test('the configuration: flag, then variable, then here, then the platform folder', (t) => {
  const cwd = t.testdir({ full: { 'config.json': '{}' }, empty: {} })
  const around = { env: { PLATEN_CONFIG: 'var.json' }, cwd: join(cwd, 'full'), home: '/home/me' }
  const linux = { ...around, platform: 'linux' } as const
  t.equal(findConfigFile('flag.json', linux), join(cwd, 'full', 'flag.json'))
  t.equal(findConfigFile('/etc/flag.json', linux), '/etc/flag.json')
  t.equal(findConfigFile(undefined, linux), join(cwd, 'full', 'var.json'))
  t.equal(findConfigFile(undefined, { ...linux, env: {} }), join(cwd, 'full', 'config.json'))
  const away = { ...linux, env: {}, cwd: join(cwd, 'empty') }
  t.equal(findConfigFile(undefined, away), '/home/me/.config/platen/config.json')
  const xdg = { ...away, env: { XDG_CONFIG_HOME: '/xdg' } }
  t.equal(findConfigFile(undefined, xdg), '/xdg/platen/config.json')
  const relative = { ...away, env: { XDG_CONFIG_HOME: 'xdg' } }
  t.equal(findConfigFile(undefined, relative), '/home/me/.config/platen/config.json')
  t.equal(
    findConfigFile(undefined, { ...away, platform: 'darwin' }),
    '/home/me/Library/Application Support/platen/config.json',
  )
  t.equal(
    findConfigFile(undefined, {
      platform: 'win32',
      env: { APPDATA: 'C:\\Users\\me\\Roaming' },
      home: 'C:\\Users\\me',
      cwd: 'C:\\nowhere',
    }),
    'C:\\Users\\me\\Roaming\\platen\\config.json',
  )
  t.end()
})

t.test('the state: systemd, then the platform folder', (t) => {
  const home = '/home/me'
  const linux = (env: NodeJS.ProcessEnv) => findStateFolder({ platform: 'linux', home, env })
  t.equal(linux({ STATE_DIRECTORY: '/var/lib/platen:/var/lib/other' }), '/var/lib/platen')
  t.equal(linux({ XDG_STATE_HOME: '/xdg' }), '/xdg/platen')
  t.equal(linux({}), '/home/me/.local/state/platen')
  t.equal(
    findStateFolder({ platform: 'darwin', home, env: {} }),
    '/home/me/Library/Application Support/platen',
  )
  t.equal(
    findStateFolder({ platform: 'win32', home: 'C:\\Users\\me', env: {} }),
    'C:\\Users\\me\\AppData\\Local\\platen',
  )
  const given = { STATE_DIRECTORY: 'D:\\labels' }
  t.equal(findStateFolder({ platform: 'win32', home, env: given }), 'D:\\labels')
  t.end()
})

t.test('the process itself says where it is when nothing else does', (t) => {
  t.match(findConfigFile(undefined, { env: process.env }), /config\.json$/)
  t.match(findStateFolder({ env: process.env }), /./)
  t.end()
})

t.test('the program ends in good order on the signals of its system', (t) => {
  t.same(listStopSignals('linux'), ['SIGINT', 'SIGTERM'])
  t.same(listStopSignals('darwin'), ['SIGINT', 'SIGTERM'])
  t.ok(listStopSignals('win32').includes('SIGHUP'), 'a closed console window')
  t.end()
})

// 08:17 UTC; in Nepal a quarter and five hours later.
const MORNING = new Date(Date.UTC(2026, 10, 21, 8, 17))

const clock = () => MORNING.toTimeString().slice(0, 5)

/** Whatever this test is run with, it starts in `zone`. */
function startIn(t: { teardown(end: () => void): unknown }, zone: string | undefined) {
  const before = process.env['TZ']
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env['TZ']
    else process.env['TZ'] = value
  }
  set(zone)
  t.teardown(() => set(before))
  return holdTimeZone()
}

t.test('local times are those of the zone at once, and the first one comes back', (t) => {
  const hold = startIn(t, 'America/Denver')
  t.equal(clock(), '01:17')
  hold('Asia/Kathmandu')
  t.equal(clock(), '14:02')
  hold('Asia/Shanghai')
  t.equal(clock(), '16:17')
  hold(undefined)
  t.equal(clock(), '01:17')
  t.end()
})

t.test('a computer that names no zone by TZ has its own again', (t) => {
  const hold = startIn(t, undefined)
  const own = clock()
  hold('Asia/Kathmandu')
  t.equal(clock(), '14:02')
  hold(undefined)
  t.equal(clock(), own)
  t.notOk('TZ' in process.env)
  t.end()
})
