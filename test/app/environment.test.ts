import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import t from 'tap'
import { noteAddress, readAddress, readEnvironment } from '../../src/app/environment.ts'

t.test('a program that was just started', (t) => {
  const plain = readEnvironment({ HOME: '/home/me' })
  t.notOk(plain.isAppliance)
  t.notOk(plain.isSupervised)
  t.ok(plain.announces)
  t.notOk(plain.toJournal)
  t.equal(plain.runtimeFolder, undefined)
  t.equal(readEnvironment({ PLATEN_ANNOUNCE: '0' }).announces, false)
  t.end()
})

t.test('what the units of the packages and of the SD image set', (t) => {
  const box = readEnvironment({
    PLATEN_APPLIANCE: '1',
    PLATEN_SUPERVISED: '1',
    STATE_DIRECTORY: '/var/lib/platen',
    RUNTIME_DIRECTORY: '/run/platen',
    PLATEN_CONFIG: '/etc/platen/config.json',
  })
  t.ok(box.isAppliance)
  t.ok(box.isSupervised)
  t.ok(box.announces, 'its printers: avahi tells of the box itself')
  t.equal(box.stateFolder, '/var/lib/platen')
  t.equal(box.runtimeFolder, '/run/platen')
  t.equal(box.configFile(undefined), '/etc/platen/config.json')
  t.end()
})

t.test('an executable without a console has a log file', (t) => {
  const { isWindowless, logFile, stateFolder } = readEnvironment({ PLATEN_WINDOWLESS: '1' })
  t.ok(isWindowless)
  t.equal(logFile, join(stateFolder, 'platen.log'))
  t.equal(readEnvironment({ PLATEN_LOG_FILE: '/var/log/p' }).logFile, '/var/log/p')
  t.equal(readEnvironment({}).logFile, undefined)
  t.end()
})

t.test('a service of Windows has folders of its own', (t) => {
  const service = readEnvironment({ ProgramData: 'D:\\Data' }, { isWindowsService: true })
  t.equal(service.stateFolder, 'D:\\Data\\platen')
  t.equal(service.configFile(undefined), 'D:\\Data\\platen\\config.json')
  t.match(service.logFile, /platen\.log$/)
  t.equal(service.opener, undefined, 'nobody sits before it')
  t.match(readEnvironment({}).service('a.json'), { configFile: resolve('a.json') })
  t.end()
})

t.test("systemd's variables are taken out, so that no child takes them for its own", (t) => {
  const env = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1', LISTEN_FDNAMES: 'http' }
  const { sockets } = readEnvironment(env).serviceManager((error) => t.error(error))
  t.same(sockets, [{ name: 'http', fd: 3 }])
  t.same(env, {})
  t.end()
})

t.test('a service is installed from what runs now', (t) => {
  const { service } = readEnvironment({ ProgramFiles: 'D:\\Files', ProgramData: 'D:\\Data' })
  const ground = service(undefined)
  t.match(ground, {
    platform: process.platform,
    home: homedir(),
    configFile: undefined,
    programFiles: 'D:\\Files',
    programData: 'D:\\Data',
    uid: process.getuid?.() ?? 0,
  })
  t.equal(ground.program[0], process.execPath)
  t.ok(ground.program.slice(1).every((path) => isAbsolute(path)))
  t.match(readEnvironment({}).service(undefined), {
    programFiles: 'C:\\Program Files',
    programData: 'C:\\ProgramData',
  })
  // It starts in another folder, without the variables of whoever installs it.
  const named = readEnvironment({ PLATEN_CONFIG: 'shop.json' })
  t.equal(named.service(undefined).configFile, resolve('shop.json'))
  t.equal(named.service('a.json').configFile, resolve('a.json'))
  const before = process.cwd()
  process.chdir(t.testdir({ 'config.json': '{}' }))
  t.teardown(() => process.chdir(before))
  t.equal(readEnvironment({}).service(undefined).configFile, resolve('config.json'))
  t.end()
})

t.test(
  'a second start and platen stop find the first, but where a service manager does all that',
  (t) => {
    const stateFolder = t.testdir()
    const box = readEnvironment({ STATE_DIRECTORY: stateFolder, PLATEN_SUPERVISED: '1' })
    noteAddress(box, 'http://localhost:8080/', '/a.json')
    t.notOk(existsSync(join(stateFolder, 'address')))
    t.equal(readAddress(stateFolder), undefined)
    const alone = readEnvironment({ STATE_DIRECTORY: stateFolder })
    noteAddress(alone, 'http://localhost:8080/', '/a.json')
    t.equal(readAddress(stateFolder), 'http://localhost:8080/')
    t.equal(readAddress(stateFolder, '/a.json'), 'http://localhost:8080/')
    t.equal(readAddress(stateFolder, '/b.json'), undefined, 'the server of other settings')
    writeFileSync(join(stateFolder, 'address'), 'http://localhost:8080/\n')
    t.equal(readAddress(stateFolder, '/a.json'), 'http://localhost:8080/', 'of an older version')
    t.end()
  },
)

t.test('a print server runs without that note: another program may hold its file', (t) => {
  const stateFolder = t.testdir()
  mkdirSync(join(stateFolder, 'address'))
  const desk = readEnvironment({ STATE_DIRECTORY: stateFolder })
  t.doesNotThrow(() =>
    noteAddress({ ...desk, opener: ['xdg-open'] }, 'http://localhost:8080/', '/a.json'),
  )
  t.end()
})
