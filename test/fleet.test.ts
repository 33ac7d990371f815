import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer } from './e2e/server.ts'

const FLEET = join(import.meta.dirname, '../docs/fleet')
const PROMTOOL = '/usr/bin/promtool'
const NEEDS_PROMTOOL = existsSync(PROMTOOL)
  ? {}
  : { skip: 'promtool (Debian: prometheus) is not installed' }

/** Names of our figures in a text; a histogram's parts count as the histogram. */
function findNames(text: string): readonly string[] {
  const names = text.match(/\bplaten_[a-z_]+/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_bucket$/, '')))].sort()
}

function promtool(args: readonly string[], input = ''): string {
  return execFileSync(PROMTOOL, args, { cwd: FLEET, input, encoding: 'utf8', stdio: 'pipe' })
}

t.test(
  'rules, dashboard and docs name only figures that the server has, and the docs all of them',
  async (t) => {
    const config = { result_url: 'http://127.0.0.1:9/' }
    const server = await startServer(t, { folder: t.testdir(), config })
    const text = await (await server.get('/metrics')).text()
    const known = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    for (const file of ['platen.rules.yml', 'platen.dashboard.json', 'platen.rules.test.yml']) {
      for (const name of findNames(readFileSync(join(FLEET, file), 'utf8'))) {
        t.ok(known.includes(name), `${file}: ${name}`)
      }
    }
    const readme = readFileSync(join(FLEET, 'README.md'), 'utf8')
    // `platen_spool_bytes`, `_quota_bytes`: the second name continues the first of its row
    const told = readme.split('\n').flatMap((row) => {
      const [first = '', ...rest] = row.split('|')[1]?.match(/`[a-z_]+`/g) ?? []
      const stem = /^`(platen_[a-z]+)_/.exec(first)?.[1] ?? ''
      return [
        first,
        ...rest.map((name) => (name.startsWith('`_') ? `\`${stem}${name.slice(1)}` : name)),
      ]
    })
    for (const name of known) t.ok(told.includes(`\`${name}\``), `README.md tells ${name}`)
    if (existsSync(PROMTOOL))
      t.equal(promtool(['check', 'metrics'], text), '', 'promtool finds no fault')
  },
)

t.test('every alert rings when it should, and none on a box that is well', NEEDS_PROMTOOL, (t) => {
  t.match(promtool(['check', 'rules', 'platen.rules.yml']), 'SUCCESS: 14 rules found')
  t.match(promtool(['test', 'rules', 'platen.rules.test.yml']), 'SUCCESS')
  t.end()
})

t.test('the dashboard is one that Grafana can import', (t) => {
  const { panels, uid } = JSON.parse(readFileSync(join(FLEET, 'platen.dashboard.json'), 'utf8'))
  t.equal(uid, 'platen-fleet')
  const ids = panels.map((panel: { readonly id: number }) => panel.id)
  t.equal(new Set(ids).size, ids.length)
  for (const { title, targets, gridPos } of panels) {
    t.ok(
      targets.every(({ expr }: { readonly expr: string }) => expr.length > 0),
      title,
    )
    t.ok(gridPos.x + gridPos.w <= 24, title)
  }
  t.end()
})
