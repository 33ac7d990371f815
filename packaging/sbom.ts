// Prints what is in the image or in a release as CycloneDX 1.5: the npm packages of the bundle, the Debian packages of the lists
// and, with --node, every Node.js that goes into an executable or a package, with its hash.
//   usage: node packaging/sbom.ts [--node] [FILE.packages]...      after `node packaging/build.js`; a line of a list is NAME VERSION ARCH
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

interface Component {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly 'bom-ref'?: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { 'bom-ref': string; name: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const args = process.argv.slice(2)
const bom = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  }),
) as Bom
const shipped = listShipped()
// Not by `--omit dev`: npm 11 leaves out what a tool for development needs too.
bom.components = bom.components.filter(({ name, version }) => shipped.has(`${name}@${version}`))
const refs = new Set(bom.components.map((each) => each['bom-ref']))
bom.dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref) || ref === bom.metadata.component['bom-ref'])
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }))
// What npm makes new at each call would make every image another one.
delete bom.serialNumber
bom.metadata.component.name = 'platen' // npm takes that of the folder
const epoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0)
bom.metadata.timestamp = new Date(epoch * 1000).toISOString()
if (args.includes('--node')) bom.components.push(...listNodes())
const lines = args
  .filter((file) => file !== '--node')
  .flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'))
for (const line of lines) {
  const [name = '', version = '', arch = ''] = line.split(' ')
  const query = `arch=${arch}&distro=debian-13`
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?${query}`
  bom.components.push({ type: 'library', name, version, purl })
}
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`)

/** `NAME@VERSION` of every package of the lock file that is not for development alone, and of those that went into the bundle. */
function listShipped(): ReadonlySet<string> {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean; devOptional?: boolean }>
  }
  const entries = Object.entries(lock.packages).filter(
    ([, { dev, devOptional }]) => dev !== true && devOptional !== true,
  )
  const bundled = readFileSync('dist/licenses.txt', 'utf8').matchAll(/^--- (\S+) (\S+) \(/gm)
  return new Set([
    ...entries.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
    ...[...bundled].map(([, name, version]) => `${name}@${version}`),
  ])
}

/** Lists the components of versions.env, each npm package once. */
function listNodes(): readonly Component[] {
  const text = readFileSync('packaging/versions.env', 'utf8')
  const values = new Map(
    [...text.matchAll(/^(\w+)=(\S+)$/gm)].map(([, key, value]) => [key, value]),
  )
  const read = (key: string) => values.get(key) ?? ''
  const kinds = [...values.keys()].flatMap(
    (key) => /^NODE_PACKAGE_(\w+)$/.exec(key ?? '')?.[1] ?? [],
  )
  return kinds
    .filter((kind) => kind !== 'linux_mac') // makes those for Macs, and goes into nothing
    .map((kind) => {
      const name = read(`NODE_PACKAGE_${kind}`)
      const version = read(`NODE_VERSION_${kind}`) || read('NODE_VERSION')
      const hash = Buffer.from(read(`NODE_INTEGRITY_${kind}`).replace('sha512-', ''), 'base64')
      return {
        type: 'platform',
        name,
        version,
        purl: `pkg:npm/${name}@${version}`,
        hashes: [{ alg: 'SHA-512', content: hash.toString('hex') }],
      }
    })
}
