import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'

const ROOT = join(import.meta.dirname, '../..')

/** The script with the real program, a folder for its units, and a systemctl that writes down what it is told. */
function makeBox(t: Test) {
  const folder = t.testdir({
    platen: `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'platen.js')}" "$@"\n`,
    systemctl: `#!/bin/sh\necho "$*" >>"${'$'}{0%/*}/told"\n`,
    units: {},
  })
  for (const program of ['platen', 'systemctl']) chmodSync(join(folder, program), 0o755)
  const env = {
    ...process.env,
    PLATEN: join(folder, 'platen'),
    PLATEN_CONFIG: join(folder, 'config.json'),
    UNITS: join(folder, 'units'),
    SYSTEMCTL: join(folder, 'systemctl'),
  }
  const read = (file: string) => {
    const path = join(folder, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  return {
    set(config: object | string): string {
      const text = typeof config === 'string' ? config : JSON.stringify(config)
      writeFileSync(env.PLATEN_CONFIG, text)
      writeFileSync(join(folder, 'told'), '')
      return execFileSync(join(ROOT, 'packaging/lib/set-ports'), { env, encoding: 'utf8' })
    },
    dropIn: (unit: string) => read(`units/${unit}.d/port.conf`),
    told: () => read('told').split('\n').filter(Boolean),
  }
}

t.test('the ports of the units need nothing', (t) => {
  const box = makeBox(t)
  t.equal(box.set({ host: '', port: '8080' }), '')
  t.same(box.told(), [])
  t.end()
})

t.test('another port moves the socket, and back', (t) => {
  const box = makeBox(t)
  t.match(box.set({ host: '', port: '9090', secure_port: '9443' }), 'port 9090')
  t.equal(box.dropIn('platen.socket'), '[Socket]\nListenStream=\nListenStream=9090\n')
  t.equal(box.dropIn('platen-secure.socket'), '[Socket]\nListenStream=\nListenStream=9443\n')
  t.equal(box.dropIn('platen-web.socket'), '')
  t.same(box.told(), [
    'daemon-reload',
    '--quiet is-active platen.service',
    'stop platen.service',
    'restart platen.socket',
    'restart platen-secure.socket',
    'start platen.service',
  ])
  box.set({ host: '', port: '9090', secure_port: '9443' })
  t.same(box.told(), [], 'the same again changes nothing')
  box.set({ host: '', port: 8080 })
  t.equal(box.dropIn('platen.socket'), '')
  t.equal(box.dropIn('platen-secure.socket'), '')
  t.end()
})

t.test('a host keeps every socket on its own addresses', (t) => {
  const box = makeBox(t)
  box.set({ host: 'localhost' })
  const both = (port: number) =>
    `[Socket]\nListenStream=\nListenStream=127.0.0.1:${port}\nListenStream=[::1]:${port}\nBindIPv6Only=ipv6-only\n`
  t.equal(box.dropIn('platen.socket'), both(8080))
  t.equal(box.dropIn('platen-web.socket'), both(80))
  t.equal(box.dropIn('platen-secure.socket'), both(443))
  box.set({ host: '10.1.2.3' })
  t.equal(box.dropIn('platen-web.socket'), '[Socket]\nListenStream=\nListenStream=10.1.2.3:80\n')
  box.set({ host: 'fd00::1', port: '80' })
  t.match(box.dropIn('platen.socket'), 'ListenStream=[fd00::1]:8080\n', 'port 80 has its own unit')
  t.end()
})

t.test('a configuration that cannot be read moves nothing', (t) => {
  const box = makeBox(t)
  box.set({ host: '', port: '9090' })
  t.match(box.set('{"port":'), 'cannot be read')
  t.match(box.set({ host: 'no-such-name.invalid' }), 'has no address')
  t.match(box.dropIn('platen.socket'), 'ListenStream=9090')
  t.same(box.told(), [])
  t.end()
})
