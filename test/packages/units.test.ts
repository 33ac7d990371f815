// What runs as root may do what it needs and no more: said in the units, so that a mistake in a script, or in a program that it
// calls, does not get all of the box.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const FOLDERS = ['systemd', 'systemd/appliance'] as const
const ROOT = join(import.meta.dirname, '../..')

/** All values of a key, as they stand. */
function valuesOf(unit: string, key: string): readonly string[] {
  return unit
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1))
}

const units = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.service'))
      .map((name) => {
        const path = join(ROOT, folder, name)
        return [name, { path, text: readFileSync(path, 'utf8') }] as const
      }),
  ),
)
const asRoot = [...units].filter(([, { text }]) => valuesOf(text, 'User').length === 0)

/** Before the disk is there, or a shell for its owner. */
const OPEN: ReadonlySet<string> = new Set([
  'platen-data.service',
  'platen-grow.service',
  'platen-ssh.service',
])
/** Those that change mounts for everybody, which a namespace of files would keep to themselves. */
const MOUNTING: ReadonlySet<string> = new Set([
  'platen-update.service',
  'platen-update-recover.service',
  'platen-import.service',
  'platen-status.service',
])
/** As systemd-analyze counts it: 10 is none at all, which 9.6 of them were. */
const EXPOSURE: ReadonlyMap<string, number> = new Map([
  ['platen.service', 2],
  ['platen-names.service', 4.5],
  ['platen-ports.service', 4.5],
  ['platen-wifi.service', 5.5],
  ['platen-import.service', 7.2],
  ['platen-status.service', 7.2],
  ['platen-update.service', 8],
  ['platen-update-recover.service', 8],
])

t.test('every unit of root names what it may do', (t) => {
  for (const [name, { text }] of asRoot) {
    if (OPEN.has(name)) continue
    for (const key of ['NoNewPrivileges', 'LockPersonality', 'RestrictRealtime'])
      t.same(valuesOf(text, key), ['yes'], `${name}: ${key}`)
    t.same(valuesOf(text, 'SystemCallArchitectures'), ['native'], name)
    t.not(valuesOf(text, 'CapabilityBoundingSet').length, 0, `${name}: capabilities`)
    t.notMatch(valuesOf(text, 'CapabilityBoundingSet').join(' '), '~', name)
    const [families = ''] = valuesOf(text, 'RestrictAddressFamilies')
    t.match(families, /AF_UNIX/, `${name}: families`)
    if (!/update|names|ports|wifi/.test(name))
      t.notMatch(families, /AF_INET/, `${name}: no network`)
    t.equal(EXPOSURE.has(name), true, name)
  }
  t.end()
})

t.test('files: read-only, but where mounts are changed for everybody', (t) => {
  for (const [name, { text }] of asRoot) {
    if (OPEN.has(name)) continue
    const namespaces = text
      .split('\n')
      .filter((line) =>
        /^(?:Protect(?:System|Home|Kernel|Control)|PrivateTmp|ReadWrite|MountFlags)/.test(line),
      )
    if (MOUNTING.has(name)) t.same(namespaces, [], `${name} has no namespace of files`)
    else t.same(valuesOf(text, 'ProtectSystem'), ['strict'], name)
  }
  t.end()
})

const version = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' })
const release = Number(/^systemd (\d+)/.exec(version.stdout ?? '')?.[1] ?? 0)
const skip = release < 250 && 'systemd-analyze cannot look at files here'

t.test('systemd finds no more open than was judged', { skip }, (t) => {
  for (const [name, most] of EXPOSURE) {
    const path = units.get(name)?.path ?? ''
    const args = ['security', '--offline=yes', '--no-pager', `--threshold=${most * 10}`, path]
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    t.equal(status, 0, `${name}: ${stdout.trim().split('\n').at(-1)} ${stderr}`)
  }
  t.end()
})
