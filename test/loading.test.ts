import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts'))

/** Files that import a value, not only types, of the module at the top. */
function importers(module: string): readonly string[] {
  const line = new RegExp(`^import (?!type )[^;']*?from '${module}'`, 'm')
  return files.filter((file) => {
    const found = line.exec(readFileSync(join(SRC, file), 'utf8'))?.[0]
    // `import { type A, type B }` leaves nothing to load.
    return found !== undefined && !/^import \{(\s*type \w+,?)+\s*\}/.test(found)
  })
}

t.test('an idle box does not load what costs megabytes', (t) => {
  t.same(importers('node:http'), [], 'its facade loads all of fetch, 6 MB: see http/guard/index.ts')
  t.same(importers('./page-and-api.ts'), [], 'the page and the API come with the first request')
  t.same(
    importers('./(?:appliance|pin|start-label|state)\\.ts').filter(
      (file) => file !== 'plugins/appliance/appliance.ts',
    ),
    [],
    'only the SD image needs them',
  )
  t.same(importers('prom-client'), [])
  t.same(importers('bonjour-service'), [])
  t.same(importers('bwip-js'), [])
  t.same(
    importers('jpeg-js').filter((file) => !file.startsWith('labels/codecs/fallback/')),
    [],
  )
  t.same(
    importers('@peculiar/x509').filter((file) => !file.startsWith('http/tls/')),
    [],
  )
  t.same(importers('usb'), [], 'its native part costs 7 MB: only an open printer needs it')
  t.same(importers('@serialport/bindings-cpp'), [])
  t.same(importers('koffi'), [])
  t.same(importers('mqtt'), [], 'brings WebSockets and SOCKS: see plugins/mqtt/connection.ts')
  t.same(importers('mqtt/lib/client'), ['plugins/mqtt/connection.ts'])
  t.same(importers('@aws-sdk/client-sqs'), ['plugins/sqs/queue.ts'])
  t.same(
    importers('\\./(?:pull|look)\\.ts').filter(
      (file) => !/^plugins\/\w+\/(?:pull|look)\.ts$/.test(file),
    ),
    [],
    'what a source does is loaded where it is configured',
  )
  t.same(importers('\\./serve\\.ts'), [], 'a door that is switched off is not loaded')
  t.same(importers('\\./routes\\.ts'), [], 'the paths of a plugin come with the first request')
  t.same(importers('@hono/node-server'), ['http/request-listener.ts'])
  t.same(
    importers("(?:\\.\\.?(?:/\\.\\.)*/plugins/shipping/(?!envelope|index)[^']*|#carriers)").filter(
      (file) => !/^(plugins\/shipping|http\/openapi)\//.test(file),
    ),
    [],
    'the shipping API comes with its first request',
  )
  t.same(
    importers("\\.\\.?(?:/\\.\\.)*/openapi/[^']*"),
    [],
    'the description of the API is made when somebody asks for it',
  )
  t.end()
})

t.test('the environment is read in one place', (t) => {
  const readers = files.filter((file) =>
    /process\.env\b/.test(readFileSync(join(SRC, file), 'utf8')),
  )
  t.same(readers.sort(), [
    'main.ts', // hands it to app/environment.ts
    'plugins/sqs/queue.ts', // the endpoint variables of the AWS SDK, which reads its others itself
    'system/process.ts', // Node.js looks at TZ there, so it is written
  ])
  t.end()
})
