// Writes a container image from the tars of its layers: one tar that is an OCI image layout and what `docker load` reads of old
// at once. The same bytes for the same layers.
//   usage: node oci.ts OUT.tar ARCH VERSION LAYER.tar...
// The forms: opencontainers/image-spec (image-layout.md, manifest.md, config.md); manifest.json is that of `docker save`.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES = 'application/vnd.oci.image'
const NODE = '/usr/lib/platen/bin/node'
const START = '/usr/lib/platen/start.cjs'
const STATE = '/var/lib/platen'
const USER = 10_000 // nobody's on any host
const SECOND = 1_000_000_000 // Docker counts nanoseconds

/**
 * The settings with which an engine starts the container; the Dockerfile has the same. Healthcheck is Docker's: engines
 * that know only OCI's keys ignore it.
 */
export const SETTINGS = {
  User: `${USER}:${USER}`,
  ExposedPorts: { '8080/tcp': {} },
  Env: [
    'PATH=/usr/lib/platen/bin',
    `HOME=${STATE}`,
    'NODE_ENV=production',
    `STATE_DIRECTORY=${STATE}`,
    `PLATEN_CONFIG=${STATE}/config.json`,
    'PLATEN_ANNOUNCE=0', // the name on the network would lead to an address inside of the engine
    'MALLOC_ARENA_MAX=2', // as in systemd/platen.service
    'MALLOC_MMAP_THRESHOLD_=8192',
    'MALLOC_TRIM_THRESHOLD_=65536',
  ],
  Entrypoint: [NODE, START],
  WorkingDir: STATE,
  Volumes: { [STATE]: {} },
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', NODE, START, 'health'],
    Interval: 30 * SECOND,
    Timeout: 5 * SECOND,
    StartPeriod: 20 * SECOND,
    Retries: 3,
  },
}

/** The parts of an image. */
interface ImageParts {
  readonly architecture: string
  readonly version: string
  readonly layers: readonly Buffer[]
  /** Seconds since 1970: when it says that it was made. */
  readonly at: number
}

/** Puts an image into an empty folder. */
function writeImage(folder: string, { architecture, version, layers, at }: ImageParts): void {
  const created = new Date(at * 1000).toISOString()
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true })
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  /** Keeps it under its hash; gives what a manifest says of it. */
  const keep = (bytes: Uint8Array, mediaType: string) => {
    const hex = digest(bytes)
    writeFileSync(join(folder, 'blobs/sha256', hex), bytes)
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length }
  }
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value))
  const toJson = (value: unknown) => Buffer.from(JSON.stringify(value))
  const find = ({ digest: name }: { digest: string }) => `blobs/${name.replace(':', '/')}`

  const kept = layers.map((tar) => keep(gzipSync(tar, { level: 9 }), `${TYPES}.layer.v1.tar+gzip`))
  const title = 'org.opencontainers.image'
  const Labels = {
    [`${title}.title`]: 'platen',
    [`${title}.description`]: 'label print server',
    [`${title}.version`]: version,
    [`${title}.licenses`]: 'MIT',
  }
  const config = {
    created,
    architecture,
    os: 'linux',
    config: { ...SETTINGS, Labels },
    rootfs: { type: 'layers', diff_ids: layers.map((tar) => `sha256:${digest(tar)}`) },
    history: ['Debian', 'Node.js', `platen ${version}`].map((what) => ({
      created,
      created_by: what,
    })),
  }
  const mediaType = `${TYPES}.manifest.v1+json`
  const keptConfig = keep(toJson(config), `${TYPES}.config.v1+json`)
  const body = { schemaVersion: 2, mediaType, config: keptConfig, layers: kept }
  const manifest = keep(toJson(body), mediaType)
  const name = `localhost/platen:${version}`
  const annotations = { [`${title}.ref.name`]: version, 'io.containerd.image.name': name }
  write('oci-layout', { imageLayoutVersion: '1.0.0' })
  write('index.json', {
    schemaVersion: 2,
    manifests: [{ ...manifest, platform: { architecture, os: 'linux' }, annotations }],
  })
  write('manifest.json', [{ Config: find(keptConfig), RepoTags: [name], Layers: kept.map(find) }])
}

if (import.meta.main) {
  const [out = '', architecture = '', version = '', ...files] = process.argv.slice(2)
  if (files.length === 0) throw new Error('usage: node oci.ts OUT.tar ARCH VERSION LAYER.tar...')
  const at = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0)
  const folder = mkdtempSync(join(tmpdir(), 'platen-oci-'))
  const layers = files.map((file) => readFileSync(file))
  writeImage(folder, { architecture, version, layers, at })
  const same = ['--sort=name', `--mtime=@${at}`, '--owner=0', '--group=0', '--numeric-owner']
  const mode = '--mode=u=rwX,go=rX'
  execFileSync('tar', ['-c', '--format=gnu', mode, ...same, '-f', out, '-C', folder, '.'])
  rmSync(folder, { recursive: true })
  process.stdout.write(`${out} ${statSync(out).size} bytes\n`)
}
