import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeRandom } from '../random.ts'

// The script is run 500 times.
t.setTimeout(600_000)

const ROOT = join(import.meta.dirname, '../..')

const REAL = `exec "${process.execPath}" "${join(ROOT, 'packaging/launcher/platen.js')}" "$@"`

/** The script with the program, a folder for its units, and a systemctl that writes down what it is told. */
function makeBox(t: Test, program = REAL) {
  const folder = t.testdir({
    platen: `#!/bin/sh\n${program}\n`,
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
    AS: '',
    CHECK_S: '60',
  }
  const read = (file: string) => {
    const path = join(folder, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  return {
    env,
    folder,
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

t.test('another port starts a server whose own port another program has', (t) => {
  const box = makeBox(t)
  // Nothing is active: platen.socket has failed, and with it platen.service.
  const lines = [`echo "$*" >>'${box.folder}/told'`, 'case "$*" in *is-active*) exit 3 ;; esac']
  writeFileSync(box.env.SYSTEMCTL, `#!/bin/sh\n${lines.join('\n')}\n`)
  box.set({ host: '', port: '8091' })
  t.match(box.told().at(-1), /^--no-block start platen\.socket platen\.service$/)
  // Before the sockets have been tried, at boot.
  const boot = [...lines, 'case "$*" in *is-failed*) exit 1 ;; esac']
  writeFileSync(box.env.SYSTEMCTL, `#!/bin/sh\n${boot.join('\n')}\n`)
  box.set({ host: '', port: '8092' })
  t.notMatch(box.told().join(), / start /)
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
    '--quiet is-active platen.socket',
    '--quiet is-active platen-web.socket',
    '--quiet is-active platen-ipp.socket',
    '--quiet is-active platen-secure.socket',
    'stop platen.service platen.socket platen-web.socket platen-ipp.socket platen-secure.socket',
    '--no-block start platen.socket platen-web.socket platen-ipp.socket platen-secure.socket platen.service',
  ])
  box.set({ host: '', port: '9090', secure_port: '9443' })
  t.same(box.told(), [], 'the same again changes nothing')
  box.set({ host: '', port: 8080 })
  t.equal(box.dropIn('platen.socket'), '')
  t.equal(box.dropIn('platen-secure.socket'), '')
  t.end()
})

t.test('HTTPS gives way to HTTP: without its socket the server would not start', (t) => {
  const box = makeBox(t)
  for (const [port, secure_port, http, https] of [
    // 443 is that of the unit of HTTPS.
    ['443', undefined, '443', '8443'],
    ['443', '443', '443', '8443'],
    ['8080', '8080', '', ''],
    ['9090', '9090', '9090', ''],
    ['8443', '8443', '8443', ''],
    // Port 80 has a unit of its own.
    ['80', '8080', '', ''],
  ] as const) {
    box.set({ host: '', port, secure_port })
    const dropIn = (wanted: string) =>
      wanted === '' ? '' : `[Socket]\nListenStream=\nListenStream=${wanted}\n`
    t.equal(box.dropIn('platen.socket'), dropIn(http), `HTTP of ${port} and ${secure_port}`)
    t.equal(
      box.dropIn('platen-secure.socket'),
      dropIn(https),
      `HTTPS of ${port} and ${secure_port}`,
    )
  }
  t.end()
})

t.test('a host keeps every socket on its own addresses', (t) => {
  const box = makeBox(t)
  box.set({ host: 'localhost' })
  const both = (port: number) =>
    `[Socket]\nListenStream=\nListenStream=127.0.0.1:${port}\nListenStream=[::1]:${port}\nBindIPv6Only=ipv6-only\nFreeBind=yes\n`
  t.equal(box.dropIn('platen.socket'), both(8080))
  t.equal(box.dropIn('platen-web.socket'), both(80))
  t.equal(box.dropIn('platen-ipp.socket'), both(631))
  t.equal(box.dropIn('platen-secure.socket'), both(443))
  box.set({ host: '10.1.2.3' })
  t.equal(
    box.dropIn('platen-web.socket'),
    '[Socket]\nListenStream=\nListenStream=10.1.2.3:80\nFreeBind=yes\n',
  )
  box.set({ host: 'fd00::1', port: '80' })
  t.match(box.dropIn('platen.socket'), 'ListenStream=[fd00::1]:8080\n', 'port 80 has its own unit')
  box.set({ host: '::ffff:10.1.2.3', port: '9090' })
  // With BindIPv6Only the kernel refuses such an address, and without its socket the server does not start.
  t.equal(
    box.dropIn('platen.socket'),
    '[Socket]\nListenStream=\nListenStream=[::ffff:10.1.2.3]:9090\nFreeBind=yes\n',
  )
  box.set({ host: '::', port: '9090' })
  // As Node listens on it: a computer with IPv4 alone is answered, too.
  t.match(box.dropIn('platen.socket'), 'ListenStream=[::]:9090\nBindIPv6Only=both\n')
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

t.test('a host that has no address yet, as at boot, takes no port away', (t) => {
  const box = makeBox(t)
  t.match(box.set({ host: 'no-such-name.invalid', port: '9090' }), 'has no address')
  t.equal(box.dropIn('platen.socket'), '[Socket]\nListenStream=\nListenStream=9090\n')
  t.equal(box.dropIn('platen-web.socket'), '')
  t.end()
})

const PRINT = 'cat "$PLATEN_CONFIG"' // what --check-config would print, were there no schema

t.test('the attack of the review changes nothing, nor does its kin', (t) => {
  const box = makeBox(t, PRINT)
  const set = (config: object) => box.set(`${JSON.stringify(config, null, 2)}\n`)
  set({ host: '10.1.2.3', port: '9090', secure_port: '9443' })
  const before = dropIns(box)
  t.match(before, [/:631\n/, /:80\n/, /:9090\n/, /:9443\n/])
  const attack =
    '::\rExecStartPre=/bin/sh\rStandardInput=file:/etc/platen/config.json\rListenStream=8080\r#'
  const hosts = [
    attack,
    attack.replaceAll('\r', '\\r'),
    '::\nExecStartPre=/bin/sh',
    '::\0',
    '::\t1',
    ':: 1',
  ]
  hosts.push(
    '$(id)',
    '`id`',
    '$HOME',
    "'",
    '"',
    '\\',
    '-n',
    '%n',
    '::1\\',
    'a;id',
    '*',
    '[::]',
    '999.1.1.1',
    '::g',
  )
  for (const host of hosts) {
    t.match(set({ host, port: '1' }), /the ports stay as they are\.$/m, JSON.stringify(host))
  }
  for (const key of ['port', 'secure_port']) {
    for (const port of [
      '0',
      '65536',
      '080',
      '',
      '80 81',
      '80\r#',
      '$(id)',
      '-1',
      1.5,
      null,
      [1],
      true,
    ]) {
      t.match(
        set({ host: '', port: '1', [key]: port }),
        /the ports stay as they are\.$/m,
        `${key} ${port}`,
      )
    }
  }
  t.match(
    set({ port: '1' }),
    /host in the settings is neither a name nor an address/,
    'a host that is missing',
  )
  t.match(
    box.set('{\n  "host": "",\n  "host": "::1",\n  "port": "1"\n}\n'),
    'stay',
    'or stands twice',
  )
  t.match(
    box.set('{\n  "host": "::\rExecStartPre=/bin/sh",\n  "port": "1"\n}\n'),
    'stay',
    'a raw CR',
  )
  t.match(box.set('{\n  "host": [\n    "::1"\n  ],\n  "port": "1"\n}\n'), 'stay', 'a list')
  t.same(dropIns(box), before)
  t.end()
})

t.test('a program without an end, or one that never ends, is not waited for', (t) => {
  const endless = makeBox(t, 'yes')
  t.match(endless.set({ host: '' }), 'cannot be read')
  const hanging = makeBox(t, 'exec sleep 1000')
  hanging.env.CHECK_S = '0.2'
  t.match(hanging.set({ host: '' }), 'cannot be read')
  t.end()
})

t.test(
  "the settings are read by the server's user",
  { skip: process.getuid?.() !== 0 && 'needs root' },
  (t) => {
    const box = makeBox(t)
    // The folder of the tests may be closed to another user.
    const open = mkdtempSync(join(tmpdir(), 'platen-ports-'))
    t.teardown(() => rmSync(open, { recursive: true }))
    chmodSync(open, 0o755)
    box.env.PLATEN = join(open, 'platen')
    const script = `#!/bin/sh\nprintf '{\\n  "host": "",\\n  "port": "%s"\\n}\\n' "$(id -u)"\n`
    writeFileSync(box.env.PLATEN, script, { mode: 0o755 })
    box.env.AS = 'setpriv --reuid=4711 --regid=4711 --clear-groups'
    t.match(box.set({}), 'port 4711')
    t.end()
  },
)

/** The drop-ins that are there, as texts. */
function dropIns(box: ReturnType<typeof makeBox>): readonly string[] {
  const files = globSync('**', { cwd: box.env.UNITS, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  return files.map((one) => readFileSync(join(one.parentPath, one.name), 'utf8')).sort()
}

const ROUNDS = 500
const SEED = 20_260_111
const LISTENERS =
  /^\[Socket\]\nListenStream=\n(?:ListenStream=(?:[\d.]+:|\[[\da-f:.]+\]:)?\d{1,5}\n)+(?:BindIPv6Only=(?:ipv6-only|both)\n)?(?:FreeBind=yes\n)?$/i

t.test(
  `of ${ROUNDS} hostile configurations (seed ${SEED}) none changes more than the listeners`,
  (t) => {
    const box = makeBox(t, PRINT)
    const draw = makeHostile(makeRandom(SEED), join(box.folder, 'canary'))
    let changed = 0
    for (let round = 0; round < ROUNDS; round++) {
      const text = draw()
      if (!box.set(text).includes('the ports stay')) changed++
      const bad = dropIns(box).filter((one) => !LISTENERS.test(one))
      if (bad.length > 0) t.fail(`round ${round}`, { text, bad })
      const strange = box.told().filter((line) => !/^[\w\s.-]+$/.test(line))
      if (strange.length > 0) t.fail(`round ${round}`, { text, strange })
    }
    const names = globSync('**', { cwd: box.env.UNITS }).filter((name) => name.endsWith('.conf'))
    t.same(
      names.filter((name) => !/^platen(?:-web|-ipp|-secure)?\.socket\.d\/port\.conf$/.test(name)),
      [],
    )
    t.notOk(existsSync(join(box.folder, 'canary')), 'nothing of them was run')
    t.ok(changed > 20 && changed < ROUNDS - 100, `${changed} were good enough to listen`)
    t.end()
  },
)

/** Gives configurations as --check-config might print them: JSON mostly, and texts that are none. */
function makeHostile(random: () => number, canary: string): () => string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const parts = [
    '\r',
    '\n',
    '\\r',
    '\\n',
    '\0',
    '\t',
    ' ',
    '"',
    "'",
    '\\',
    '`',
    '*',
    '%',
    '#',
    ';',
    '[',
    ']',
    '-',
    '=',
  ]
  parts.push(
    `$(touch ${canary})`,
    `\`touch ${canary}\``,
    `;touch ${canary};`,
    `|touch ${canary}`,
    '\\c',
    '\\0101',
    '\u2028',
  )
  parts.push(
    'ExecStartPre=/bin/sh',
    'ListenStream=1',
    '[Service]',
    '::',
    '127.0.0.1',
    '\n  "host": "::1",',
    'end',
  )
  const good = ['', 'localhost', '::', '::1', '10.1.2.3', 'fd00::5', '0.0.0.0', '127.0.0.1']
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(parts)).join('')
  const host = () => pick([pick(good), text(), pick(good) + text(), text() + pick(good)])
  const port = () =>
    pick<unknown>([
      String(Math.floor(random() * 70_000)),
      Math.floor(random() * 70_000),
      text(),
      `80${text()}`,
    ])
  const value = () => pick<unknown>([text(), [text()], { host: text(), port: text() }, null, 7])
  return () => {
    const config: Record<string, unknown> = {
      host: pick<unknown>([host(), host(), host(), host(), value()]),
      port: port(),
    }
    if (random() < 0.4) config['secure_port'] = port()
    if (random() < 0.5) config[text()] = value()
    const json = `${JSON.stringify(config, null, 2)}\n`
    if (random() < 0.8) return json
    const at = Math.floor(random() * json.length)
    return json.slice(0, at) + text() + json.slice(at)
  }
}
