import { join } from 'node:path'
import t from 'tap'
import { findConfigFile, findStateFolder } from '../../src/system/process.ts'

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
