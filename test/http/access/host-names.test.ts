import fc from 'fast-check'
import t from 'tap'
import { canonicalName, judgeHost, parseHost } from '../../../src/http/access/addresses.ts'

const OWN = ['Bench-3', '10.0.0.7', 'fe80::1', '0.0.0.0', '::', 'box.example:8080', '']

t.test('a Host header comes apart into name and port', (t) => {
  for (const [text, name, port] of [
    ['localhost', 'localhost', undefined],
    ['LocalHost:8080', 'localhost', 8080],
    ['localhost.', 'localhost', undefined],
    ['bench_3.local.:80', 'bench_3.local', 80],
    ['localhost:', 'localhost', undefined],
    ['10.0.0.7:65535', '10.0.0.7', 65_535],
    ['[::1]:8080', '::1', 8080],
    ['[0:0:0:0:0:0:0:1]', '::1', undefined],
    ['[FE80::1]', 'fe80::1', undefined],
  ] as const) {
    t.strictSame(parseHost(text), { name, port }, text)
  }
  t.end()
})

t.test('what no browser sends is not a Host', (t) => {
  for (const text of [
    '',
    ' ',
    '.',
    ':80',
    'localhost..',
    '.localhost',
    'a..b',
    'me@localhost',
    'localhost:65536',
    'localhost:80:80',
    'localhost:-1',
    'localhost:8o',
    'localhost/x',
    'localhost, evil.example',
    'http://localhost',
    '::1',
    '[::1',
    '[::1]x',
    '[1.2.3.4]',
    '[fe80::1%25eth0]',
    'lo%63alhost',
    'xn--é',
    'localhost\u0000',
    'a'.repeat(256),
  ]) {
    t.equal(parseHost(text), undefined, JSON.stringify(text))
  }
  t.end()
})

t.test('a name is local, own or foreign', (t) => {
  for (const [name, kind] of [
    ['localhost', 'local'],
    ['127.0.0.1', 'local'],
    ['127.9.9.9', 'local'],
    ['::1', 'local'],
    ['bench-3', 'own'],
    ['10.0.0.7', 'own'],
    ['fe80::1', 'own'],
    ['box.example', 'own'],
    ['0.0.0.0', 'foreign'],
    ['::', 'foreign'],
    ['127.0.0.1.evil.example', 'foreign'],
    ['127.1', 'foreign'],
    ['2130706433', 'foreign'],
    ['localhost.evil.example', 'foreign'],
    ['evil.localhost', 'foreign'],
    ['bench-30', 'foreign'],
    ['', 'foreign'],
  ] as const) {
    t.equal(
      judgeHost(name, () => OWN),
      kind,
      name,
    )
  }
  t.end()
})

t.test('addresses of a configuration come in any spelling', (t) => {
  t.equal(canonicalName(' 0:0::1 '), '::1')
  t.equal(canonicalName('Print.Example.'), 'print.example')
  t.equal(canonicalName('no name'), undefined)
  t.end()
})

t.test('no text makes the parser fail, and what it takes is taken again unchanged', (t) => {
  const piece = fc.constantFrom('localhost', 'evil', '.', ':', '80', '@', '[', ']', '::1', '%', '/')
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 6 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (host) => {
      const found = parseHost(host)
      if (found === undefined) return true
      const again = found.name.includes(':') ? `[${found.name}]` : found.name
      return parseHost(again)?.name === found.name && !/[@/%\s[\]]|\.$|[A-Z]/.test(found.name)
    }),
    { numRuns: 2_000 },
  )
  t.end()
})

t.test('a Host that the parser takes means the same to a URL', (t) => {
  const label = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9-]{0,8}[a-zA-Z0-9]$/)
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'))
  const host = fc.oneof(
    name,
    fc.ipV4(),
    fc.ipV6().map((one) => `[${one}]`),
  )
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }))
  fc.assert(
    fc.property(host, port, fc.boolean(), (host, port, dot) => {
      const text = `${host}${dot && !host.startsWith('[') ? '.' : ''}${port === null ? '' : `:${port}`}`
      // A browser reads xn-- labels and names that end in a number by its own rules; the box has no such name.
      const seen = URL.parse(`http://${text}`)
      if (seen === null) return
      const wanted = seen.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
      t.equal(parseHost(text)?.name, wanted, text)
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('whatever stands before or after an own name makes it foreign', (t) => {
  const junk = fc.stringMatching(/^[a-z0-9.@:%/-]{1,8}$/)
  fc.assert(
    fc.property(junk, fc.constantFrom('bench-3', 'localhost', '10.0.0.7'), (junk, own) => {
      for (const text of [`${junk}${own}`, `${own}${junk}`]) {
        const found = parseHost(text)
        const isOwn = found !== undefined && judgeHost(found.name, () => OWN) !== 'foreign'
        const isFair = /^(?:\.?)(?::\d{0,5})?$/.test(text.slice(own.length)) && text.startsWith(own)
        if (isOwn && !isFair)
          t.ok(
            ['10.0.0.7', '127'].some((one) => found.name.startsWith(one)),
            text,
          )
      }
    }),
    { numRuns: 1_000 },
  )
  t.end()
})
