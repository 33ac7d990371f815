import { readFileSync } from 'node:fs'
import t from 'tap'
import { HELP, readFlags } from '../../src/system/flags.ts'
import { version } from '../../src/system/process.ts'

const NONE = {
  config: undefined,
  demo: false,
  noBrowser: false,
  checkConfig: false,
  version: false,
  help: false,
}

t.test('reads every flag', (t) => {
  t.same(readFlags([]), NONE)
  t.same(readFlags(['--config', 'a b.json', '--demo']), { ...NONE, config: 'a b.json', demo: true })
  t.same(readFlags(['--config=x', '--check-config']), { ...NONE, config: 'x', checkConfig: true })
  t.same(readFlags(['--no-browser']), { ...NONE, noBrowser: true })
  t.same(readFlags(['-v', '-h']), { ...NONE, version: true, help: true })
  t.same(readFlags(['--version', '--help', '--']), { ...NONE, version: true, help: true })
  for (const flag of ['--config', '--demo', '--check-config', '--version', '--help']) {
    t.match(HELP, `  ${flag}`)
  }
  t.end()
})

t.test('an unknown flag is reported in a sentence', (t) => {
  t.match(readFlags(['--deamon']), /^Unknown flag --deamon\. platen --help/)
  t.match(readFlags(['-x']), /Unknown flag -x/)
  t.match(readFlags(['--toString']), /Unknown flag --toString/)
  t.match(readFlags(['serve']), /Unknown command "serve"/)
  t.match(readFlags(['--config']), /--config needs a file name/)
  t.match(readFlags(['--config=']), /--config needs a file name/)
  // Of a script whose variable is empty.
  t.match(readFlags(['--config', ' ']), /--config needs a file name/)
  t.match(readFlags(['--config', '--no-browser']), /--config needs a file name/)
  t.match(readFlags(['--config', '-v']), /--config needs a file name/)
  t.same(readFlags(['--config=-v', '--demo']), { ...NONE, config: '-v', demo: true })
  t.match(readFlags(['--demo=yes']), /--demo takes no value/)
  t.end()
})

t.test('reads the commands', (t) => {
  t.same(readFlags(['update']), { ...NONE, command: { name: 'update', args: [] } })
  t.same(readFlags(['update', '--now']), { ...NONE, command: { name: 'update', args: ['--now'] } })
  t.match(readFlags(['update', 'soon']), /takes --now or --back, got "soon"/)
  t.match(readFlags(['update', '--now', '--back']), /got "--now --back"/)
  const print = { name: 'print', files: ['a.zpl', 'b.png'], printer: 'Bench 1', key: 'order 7' }
  const words = [
    'print',
    'a.zpl',
    '--printer',
    'Bench 1',
    'b.png',
    '--key',
    'order 7',
    '--config',
    'c.json',
  ]
  t.same(readFlags(words), { ...NONE, config: 'c.json', command: print })
  t.match(readFlags(['print']), /needs the name of a label file/)
  for (const key of ['', 'x'.repeat(256), 'a\nb']) {
    t.match(readFlags(['print', 'a', '--key', key]), /^--key needs 1 to 255 printable characters/)
  }
  t.match(readFlags(['print', 'a', '--copies']), /Unknown option '--copies'.*platen --help/)
  for (const word of ['print FILE', '--printer', '--key', 'platen update', '--back'])
    t.match(HELP, word)
  t.end()
})

t.test('reads what is done with keys', (t) => {
  const key = (verb: string, keyName = '', scopes = '') => ({
    ...NONE,
    command: { name: 'key', verb, keyName, scopes },
  })
  t.same(readFlags(['key', 'list']), key('list'))
  const shop = { ...key('add', 'shop', 'rate'), config: 'a.json' }
  t.same(readFlags(['key', 'add', 'shop', '--scopes', 'rate', '--config', 'a.json']), shop)
  t.same(readFlags(['key', '--config=a.json', 'list']), { ...key('list'), config: 'a.json' })
  t.match(readFlags(['key', 'list', '--config', ' ']), /^--config needs a file name/)
  t.same(readFlags(['key', 'revoke', 'shop']), key('revoke', 'shop'))
  t.same(readFlags(['key', 'add', 'shop']), key('add', 'shop'))
  t.same(readFlags(['key', 'add', '--scopes', 'ship', 'shop']), key('add', 'shop', 'ship'))
  for (const words of ['', 'add', 'revoke', 'list shop', 'add shop other', 'find shop']) {
    t.match(readFlags(['key', ...words.split(' ').filter(Boolean)]), /takes add NAME, list/, words)
  }
  t.match(readFlags(['key', 'add', 'shop', '--scope', 'ship']), /Unknown option '--scope'/)
  t.end()
})

t.test('reads what starts and stops a server', (t) => {
  t.same(readFlags(['stop']), { ...NONE, command: { name: 'stop' } })
  t.same(readFlags(['service', 'install', '--config', 'c.json']), {
    ...NONE,
    config: 'c.json',
    command: { name: 'service', verb: 'install' },
  })
  t.match(readFlags(['service']), /takes install, remove or status/)
  t.match(readFlags(['service', 'install', 'twice']), /takes install, remove or status/)
  t.match(readFlags(['stop', 'now']), /platen --help/)
  for (const word of ['platen stop', 'platen service install']) t.match(HELP, word)
  t.end()
})

t.test('a flag without content is refused: the variable of a script may be empty', (t) => {
  for (const [words, wanted] of [
    ['print a --printer', '--printer needs the name of a printer.'],
    ['print a --config', '--config needs a file name.'],
    ['stop --config', '--config needs a file name.'],
    ['ship --config', '--config needs a file name.'],
    ['service install --config', '--config needs a file name.'],
    ['key add shop --scopes', '--scopes needs a list of scopes.'],
  ] as const) {
    t.match(readFlags([...words.split(' '), '']), wanted, words)
    t.match(readFlags([...words.split(' '), ' ']), wanted, words)
  }
  t.end()
})

t.test('the version is that of package.json', (t) => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  t.equal(version, JSON.parse(text).version)
  t.end()
})
