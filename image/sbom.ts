// Prints the list of everything in the image as CycloneDX 1.5: the npm packages of the bundle and every Debian package.
//   usage: node image/sbom.ts FILE.packages
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string }
  components: { type: string; name: string; version: string; purl: string }[]
}

const [list = ''] = process.argv.slice(2)
const npm = execFileSync(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'],
  {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  },
)
const bom = JSON.parse(npm) as Bom
// What npm makes anew at each call would make every image another one.
delete bom.serialNumber
const epoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0)
bom.metadata.timestamp = new Date(epoch * 1000).toISOString()
for (const line of readFileSync(list, 'utf8').trimEnd().split('\n')) {
  const [name = '', version = '', arch = ''] = line.split(' ')
  const query = `arch=${arch}&distro=debian-13`
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?${query}`
  bom.components.push({ type: 'library', name, version, purl })
}
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`)
