import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createDevices } from '../../src/printers/index.ts'
import { formatFault } from '../../src/settings/faults.ts'
import {
  type LoadedConfig,
  readDefaultName,
  readDuplicateWindow,
  readPrinterSettings,
} from '../../src/settings/load.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { findUnknownPrinters, loadConfig } from './all.ts'

const EXAMPLES = createDevices({ stateFolder: '' })
  .map(({ example }) => example)
  .join(' or ')

function load(t: Test, content: unknown): LoadedConfig {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const file = join(t.testdir(), 'config.json')
  writeFileSync(file, text, { mode: 0o600 })
  return loadConfig(file)
}

function refusal(t: Test, content: unknown): string {
  try {
    load(t, content)
  } catch (error) {
    if (error instanceof PlatenError && error.code === 'CONFIG_BROKEN') return error.message
    throw error
  }
  return 'accepted'
}

t.test('a missing file is written with the defaults, for its owner only', (t) => {
  const file = join(t.testdir(), 'new', 'folder', 'config.json')
  const { config, warnings } = loadConfig(file)
  t.match(config, { host: 'localhost', port: '8080', open_browser: true, job_retention_hours: 72 })
  t.match(config, { max_body_mb: 16, log_level: 'info', on_interrupt: 'hold' })
  t.same(warnings, [])
  t.equal(readDefaultName(config), '')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { printer: 'your-printer-name', port: '8080' })
  t.same(loadConfig(file).config, config, 'and reads back')
  t.end()
})

t.test('a link under the name of the draft is not written through', (t) => {
  const folder = t.testdir({ other: 'mine' })
  const file = join(folder, 'config.json')
  symlinkSync('other', join(folder, `.config.json.${process.pid}.tmp`))
  loadConfig(file)
  t.equal(readFileSync(join(folder, 'other'), 'utf8'), 'mine')
  t.ok(lstatSync(file).isFile())
  t.end()
})

t.test('a missing file that cannot be written is a warning', (t) => {
  // Nobody, root included, can make a folder there.
  const { config, warnings } = loadConfig('/sys/platen-test/config.json')
  t.equal(config.port, '8080')
  t.match(warnings[0], /cannot be written \(E[A-Z]+\)\. The defaults hold/)
  t.end()
})

t.test('a file that cannot be read stops the start', (t) => {
  const file = join(t.testdir(), 'config.json')
  mkdirSync(file)
  t.throws(() => loadConfig(file), { code: 'CONFIG_BROKEN', message: /cannot be read \(EISDIR\)/ })
  t.end()
})

t.test('every key of the seed and of the design is taken', (t) => {
  const raw = {
    host: '',
    port: 80,
    secure_port: 443,
    printer: 'Bench 2',
    open_browser: false,
    use_ssl: true,
    username: 'admin',
    password: 'geheim',
    heart_beat_url: 'https://fleet.example/beat',
    heart_beat_interval: 5,
    heart_beat_params: { any: ['json', null] },
    queues: [
      { type: 'sqs', region: 'eu-central-1', url: 'https://sqs.example/1/labels', ack: 'printed' },
      { type: 'beanstalkd', endpoint: 'queue.example:11300', printer: 'Bench 1' },
      { type: 'mqtt', url: 'mqtts://broker.example', topic: '$share/pack/labels', ca: 'ca.pem' },
    ],
    printers: [
      { name: 'Bench 1', uri: 'socket://10.0.0.7' },
      {
        name: 'Bench 2',
        uri: 'file:virtual',
        language: 'epl',
        dpi: 200,
        label_width: 4,
        label_height: 6.5,
        rotate: 90,
        darkness: 50,
        speed: 4.5,
        graphics: 'z64',
      },
    ],
    result_url: 'http://shop.example/',
    allowed_origins: ['https://shop.example', 'http://localhost:3000/'],
    allowed_hosts: ['Labels.example', '192.168.1.5', '[fe80::1]'],
    job_retention_hours: 1,
    max_body_mb: 0.5,
    log_level: 'debug',
    on_interrupt: 'reprint',
    expire_after: 60,
  }
  const { config, warnings } = load(t, raw)
  t.match(config, { host: '', port: '80', secure_port: '443', heart_beat_interval: 5 })
  t.match(config, {
    queues: [{ endpoint: undefined }, { ack: 'spooled', printer: 'Bench 1' }, { type: 'mqtt' }],
  })
  t.same(config.allowed_origins, ['https://shop.example', 'http://localhost:3000'])
  t.same(config.allowed_hosts, ['labels.example', '192.168.1.5', '[fe80::1]'])
  t.equal(readDefaultName(config), 'Bench 2')
  t.match(readPrinterSettings(config), [
    { name: 'Bench 1', language: undefined, dpi: undefined, rotate: 'auto', graphics: 'auto' },
    { name: 'Bench 2', language: 'epl', dpi: 203, labelHeight: 6.5, rotate: 90, speed: 4.5 },
  ])
  t.same(warnings, [])
  t.end()
})

t.test('the guards of labels and the secret of results are read', (t) => {
  const { config, warnings } = load(t, {
    printer_commands: 'refuse',
    heart_beat_printer_commands: 'allow',
    duplicate_guard_minutes: 10,
    result_secret: 's',
  })
  t.match(config, { printer_commands: 'refuse', heart_beat_printer_commands: 'allow' })
  t.equal(readDuplicateWindow(config), 600_000)
  t.match(warnings, [/result_secret: nothing is sent or signed/])
  const plain = load(t, {}).config
  t.equal(plain.printer_commands, 'warn')
  t.equal(readDuplicateWindow(plain), undefined)
  t.end()
})

t.test('what follows from other keys is filled in', (t) => {
  t.match(load(t, { use_ssl: true }).config, { secure_port: '8443' })
  const { config } = load(t, {})
  t.equal(config.secure_port, undefined)
  t.same(readPrinterSettings(config), [])
  t.end()
})

t.test('null and blank texts count as left out, but a blank host means everywhere', (t) => {
  const blank = { username: '', password: '', secure_port: '', heart_beat_url: '', queues: null }
  const printers = [{ name: 'A', uri: 'file:a', language: '', label_width: null }]
  const { config } = load(t, { ...blank, printers, host: '', printer: '', heart_beat_params: null })
  t.match(config, { username: undefined, secure_port: undefined, queues: undefined, host: '' })
  t.match(config, { heart_beat_params: null }, 'null is JSON of the user here')
  t.equal(readDefaultName(config), '')
  t.equal(readPrinterSettings(config)[0]?.language, undefined)
  t.end()
})

t.test('ports of doors that are closed are free', (t) => {
  t.match(load(t, { qz_port: 8079, raw_port: 9101 }).config, { qz_port: 8079, raw_port: 9101 })
  t.match(load(t, { qz_port: 65_535, raw_port: 65_535 }).config, { qz_port: 65_535 })
  t.end()
})

t.test('a bad value names the key, what was seen and what was wanted', (t) => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ raw_port: 8080 }, 'raw_port: needs port 8080, as port does; wanted another one.'],
    [
      { qz_tray: true, qz_port: 8079 },
      'qz_port: needs port 8080, as port does; wanted another one.',
    ],
    [
      { browser_print: true, raw_port: 9101 },
      'browser_print_port: needs port 9101, as raw_port does; wanted another one.',
    ],
    [
      { qz_tray: true, qz_port: 65_535 },
      'qz_port: needs port 65536 too, wanted a whole number from 1 to 65534.',
    ],
    [
      { browser_print: true, browser_print_port: 65_535 },
      'browser_print_port: needs port 65536 too, wanted a whole number from 1 to 65534.',
    ],
    [{ port: '80a' }, 'port: got "80a", wanted a whole number from 0 to 65535.'],
    [{ port: 65_536 }, 'port: got "65536", wanted a whole number from 0 to 65535.'],
    [{ port: true }, 'port: got true, wanted a whole number from 0 to 65535.'],
    [{ open_browser: 'yes' }, 'open_browser: got "yes", wanted true or false.'],
    [
      { host: 5 },
      'host: got 5, wanted a host name such as "box.example.com", an address such as "192.168.1.5" or "fd00::5", or "" for all networks.',
    ],
    [
      { heart_beat_interval: 1.5 },
      'heart_beat_interval: got 1.5, wanted a whole number from 1 to 86400.',
    ],
    [
      { log_level: 'loud' },
      'log_level: got "loud", wanted one of "error", "warn", "info", "debug".',
    ],
    [{ max_body_mb: 1000 }, 'max_body_mb: got 1000, wanted a number from 0.1 to 100 (MB).'],
    [{ printers: {} }, 'printers: got an object, wanted a list of printers [ { … } ].'],
    [{ printers: [3] }, 'printers[0]: got 3, wanted an object { … }.'],
    [
      { printers: [{ uri: 'file:a' }] },
      'printers[0].name: got nothing, wanted a value, as this key is needed.',
    ],
    [
      { printers: [{ name: '', uri: 'file:a' }] },
      'printers[0].name: got "", wanted a name of 1 to 100 letters, digits and signs, on one line, not only dots.',
    ],
    [
      { printers: [{ name: 'A', uri: 'lpt1' }] },
      `printers[0].uri: "lpt1" is not a device URI; wanted one like ${EXAMPLES}.`,
    ],
    [{ printers: [{ name: 'A', uri: 7 }] }, 'printers[0].uri: got 7, wanted a device URI.'],
    [
      {
        printers: [
          { name: 'A', uri: 'file:a' },
          { name: 'A', uri: 'file:b' },
        ],
      },
      'printers[1].name: "A" is the name of printers[0] too; wanted a name of its own.',
    ],
    [
      { printers: [{ name: 'A', uri: 'file:a', rotate: 45 }] },
      'printers[0].rotate: got 45, wanted one of "auto", 0, 90, 180, 270.',
    ],
    [
      { queues: [{ type: 'kafka' }] },
      'queues[0].type: got "kafka", wanted one of "sqs", "beanstalkd", "mqtt".',
    ],
    [
      { queues: [{ type: 'beanstalkd', endpoint: 'host' }] },
      'queues[0].endpoint: got "host", wanted host:port, such as "queue.example:11300", with a port from 1 to 65535.',
    ],
    ...['host:0', 'host:99999', '[::::]:11300', 'me:secret@host:1', 'a b:1'].map(
      (endpoint): [object, string] => [
        { queues: [{ type: 'beanstalkd', endpoint }] },
        `queues[0].endpoint: got "${endpoint}", wanted host:port, such as "queue.example:11300", with a port from 1 to 65535.`,
      ],
    ),
    ...['a#', 'a/#/b', 'a+/b'].map((topic): [object, string] => [
      { queues: [{ type: 'mqtt', url: 'mqtt://host', topic }] },
      `queues[0].topic: got "${topic}", wanted a topic of 1 to 500 letters, such as "platen/bench-3/print"; + and # stand alone between slashes, # last.`,
    ]),
    [
      { queues: [{ type: 'sqs', region: ' ', url: 'https://sqs.example/1' }] },
      'queues[0].region: got " ", wanted a text of at least one letter.',
    ],
    [
      {
        queues: Array.from({ length: 101 }, () => ({ type: 'beanstalkd', endpoint: '[::1]:1' })),
      },
      'queues: got a list, wanted at most 100 queues.',
    ],
    [
      { queues: [{ type: 'sqs', url: 'https://sqs.example/1' }] },
      'queues[0].region: got nothing, wanted a value, as this key is needed.',
    ],
    [
      { use_ssl: true, port: 8080, secure_port: 8080 },
      'secure_port: got "8080", which is the port of HTTP too; wanted another one.',
    ],
    [
      { use_ssl: true, port: '8443' },
      'secure_port: got "8443", which is the port of HTTP too; wanted another one.',
    ],
    [
      { allowed_origins: ['https://a.example/path'] },
      'allowed_origins[0]: got "https://a.example/path", wanted an origin such as "https://shop.example", without a path.',
    ],
    [
      { allowed_hosts: ['http://a'] },
      'allowed_hosts[0]: got "http://a", wanted a host name or an address such as "box.example.com", without http:// and port.',
    ],
    [[], 'got a list, wanted an object { … }.'],
    ['5', 'got 5, wanted an object { … }.'],
  ]
  for (const [content, wanted] of cases) t.equal(refusal(t, content), `config.json: ${wanted}`)
  t.end()
})

t.test('secrets and addresses that may hold one are never repeated', (t) => {
  const message = refusal(t, {
    password: 12345,
    heart_beat_url: 'ftp://me:geheim@fleet.example',
    result_url: false,
    queues: [{ type: 'sqs', region: 'x', url: 'geheim' }],
  })
  t.match(message, 'password: got a number, wanted a text')
  t.match(message, 'heart_beat_url: got another text, wanted an address')
  t.match(message, 'result_url: got a boolean, wanted')
  t.match(message, 'queues[0].url: got another text, wanted')
  t.notMatch(message, /geheim|12345/)
  t.end()
})

t.test('all faults are told at once, one a line, but not without end', (t) => {
  t.equal(refusal(t, { port: 'x', host: 1, open_browser: 2 }).split('\n').length, 3)
  const many = Array.from({ length: 50 }, () => 7)
  t.match(refusal(t, { allowed_hosts: many }), /\nconfig.json: and 30 more\.$/)
  t.end()
})

t.test('broken JSON names the line and the column', (t) => {
  t.equal(
    refusal(t, '{\n  "port": "8080",\n}\n'),
    'config.json: line 3, column 1: got "}", wanted a key in double quotes.',
  )
  t.end()
})

t.test('a byte order mark is not a fault', (t) => {
  t.equal(load(t, '\uFEFF{"port":"81"}').config.port, '81')
  t.end()
})

t.test('a file that an older editor of Windows saved is read as it was meant', async (t) => {
  const file = join(t.testdir(), 'config.json')
  const text = '{"username":"a","password":"gehe\u00efm","printer":"B\u00fcro \u20ac"}'
  writeFileSync(file, Buffer.from(text.replace('\u20ac', '\u0080'), 'latin1'), { mode: 0o600 })
  const loaded = loadConfig(file)
  t.match(loaded.config, { printer: 'Büro €', password: 'geheïm' })
  t.match(loaded.warnings, [
    'config.json: not UTF-8, so it was read as Windows-1252; save it as UTF-8.',
  ])
  const store = new ConfigStore(file, loaded)
  await store.put({ ...store.masked(), port: '81' })
  const again = loadConfig(file)
  t.match(again.config, { printer: 'Büro €', password: 'geheïm', port: '81' })
  t.same(again.warnings, [])
})

t.test('one of the two keys of a login alone is said, and never its value', (t) => {
  const warningsOf = (raw: object) => load(t, raw).warnings.filter((one) => /counts as/.test(one))
  t.match(warningsOf({ password: 'geheim' }), [/password: set without username/])
  t.notMatch(warningsOf({ password: 'geheim' }).join(), 'geheim')
  t.match(warningsOf({ username: 'admin', password: '' }), [/username: set without password/])
  t.same(warningsOf({ username: 'admin', password: 'geheim' }), [])
  t.same(warningsOf({}), [])
  t.end()
})

t.test('an address at which nobody could change the settings any more is said', (t) => {
  const warningsOf = (raw: object) => load(t, raw).warnings.filter((one) => /nobody can/.test(one))
  const login = { username: 'admin', password: 'geheim' }
  for (const host of ['192.168.1.5', 'fd00::5', '::ffff:192.168.1.5']) {
    t.match(warningsOf({ host }), [/host: while only this address is listened on/], host)
    t.same(warningsOf({ host, ...login }), [])
  }
  for (const host of ['', 'localhost', '127.0.0.1', '127.1.2.3', '::1', '::', '0.0.0.0', 'bench-3'])
    t.same(warningsOf({ host }), [], host)
  t.end()
})

t.test(
  'a file that was made of what GET /config shows is said: its masks would be the secrets',
  async (t) => {
    const file = join(t.testdir(), 'config.json')
    const queues = [
      { type: 'mqtt', url: 'mqtt://broker', topic: 'labels', password: 'open sesame' },
    ]
    const saved = { username: 'admin', password: 'geheim', queues }
    writeFileSync(file, JSON.stringify(saved), { mode: 0o600 })
    const store = new ConfigStore(file, loadConfig(file))
    t.same(loadConfig(file).warnings, [])
    writeFileSync(file, JSON.stringify(store.masked()), { mode: 0o600 })
    t.match(loadConfig(file).warnings, [
      /^config.json: password: only the mask of a secret/,
      /^config.json: queues\[0\].password: only the mask of a secret/,
    ])
    writeFileSync(file, JSON.stringify(saved), { mode: 0o600 })
    t.same((await new ConfigStore(file, loadConfig(file)).put(saved)).warnings, [])
  },
)

t.test('unknown and repeated keys are warnings', (t) => {
  const { warnings, raw } = load(
    t,
    '{"prot":1,"color":2,"port":"81","port":"82","printers":[{"name":"A","uri":"file:a","Dpi":1}],"printer":"B"}',
  )
  t.same(warnings, [
    'config.json: port: stands twice; the last one counts.',
    'config.json: "prot": unknown key; it is kept but has no effect. Did you mean "port"?',
    'config.json: "color": unknown key; it is kept but has no effect.',
    'config.json: printers[0]."Dpi": unknown key; it is kept but has no effect. Did you mean "dpi"?',
  ])
  t.match(raw, { prot: 1 })
  t.end()
})

t.test('settings that name a printer which is not there are told, by key', (t) => {
  const queue = (printer?: string) => ({
    ...({ type: 'beanstalkd', endpoint: 'q:1' } as const),
    ...(printer === undefined ? {} : { printer }),
  })
  const { config } = load(t, {
    printers: [{ name: 'Bench 1', uri: 'file:a' }],
    printer: 'Zebra',
    queues: [queue(), queue('Bench 1'), queue('Bench 2'), queue('Zebra')],
  })
  t.same(findUnknownPrinters(config, ['Bench 1']).map(formatFault), [
    'printer: no printer is named "Zebra" yet; one that is found or added later may be.',
    'queues[2].printer: no printer is named "Bench 2"; did you mean "Bench 1"?',
    'queues[3].printer: no printer is named "Zebra" yet; one that is found or added later may be.',
  ])
  t.same(findUnknownPrinters(config, ['Bench 1', 'Bench 2', 'Zebra']), [])
  t.same(findUnknownPrinters(load(t, {}).config, []), [], 'the placeholder names nobody')
  t.end()
})

t.test('words that every object of JavaScript has are keys as others', (t) => {
  t.same(load(t, { constructor: 1, toString: 2 }).raw, { constructor: 1, toString: 2 })
  t.end()
})

t.test('a rule of a printer that can move nothing is told', (t) => {
  const printers = [
    { name: 'A', uri: 'file:a', backup: 'A' },
    { name: 'B', uri: 'file:a', backup: 'A', backup_minutes: 3 },
    { name: 'C', uri: 'file:c', backup_minutes: 3 },
    { name: 'D', uri: 'file:d', backup: 'C' },
    { name: 'E', uri: 'file:e', backup: 'A', backup_box: 'packing-2' },
    { name: 'F', uri: 'file:f', backup: 'G' },
  ]
  const { config, warnings } = load(t, { printers })
  t.same(warnings, [
    'config.json: printers[0].backup: "A" is the same printer; wanted another one.',
    'config.json: printers[1].backup: "A" is the same printer; wanted another one.',
    'config.json: printers[2]: backup_box and backup_minutes do nothing without backup.',
  ])
  const known = printers.map(({ name }) => name)
  t.match(findUnknownPrinters(config, known).map(formatFault), [
    /^printers\[5\]\.backup: no printer is named "G"/,
  ])
  t.same(
    readPrinterSettings(config).map(({ backup }) => backup?.minutes),
    [10, 3, undefined, 10, 10, 10],
  )
  t.end()
})

t.test(
  'a password that others can read is a warning',
  { skip: process.platform === 'win32' && 'no modes' },
  (t) => {
    const file = join(t.testdir(), 'config.json')
    writeFileSync(file, '{"username":"a","password":"geheim"}', { mode: 0o644 })
    const { warnings } = loadConfig(file)
    t.match(warnings, [/others on this computer can read the password/])
    t.notMatch(warnings.join(), 'geheim')
    t.ok(existsSync(file))
    t.end()
  },
)
