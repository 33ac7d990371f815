import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { make, type Owner } from './debian.ts'

/** A signed apt repository on the loopback address, with a key made for this test. */
export interface Repository {
  /** The client's `.sources` file, and its text. */
  readonly file: string
  readonly sources: string
  /** Adds packages and signs again. */
  publish(...debs: readonly string[]): Promise<void>
  /** Changes what clients are sent for a path that ends so, until `mend`. */
  tamper(ending: string, change: (bytes: Buffer) => Buffer): void
  mend(): void
  /** Signs the list so that it has ended long ago. */
  expire(): void
}

/** Opens it with these packages. `host` is this machine as the client sees it. */
export async function openRepository(
  t: Owner,
  folder: string,
  debs: readonly string[],
  host = '127.0.0.1',
): Promise<Repository> {
  const root = join(folder, 'repo')
  const home = join(folder, 'gnupg')
  const env = { ...process.env, GNUPGHOME: home }
  execFileSync('mkdir', ['-m', '700', home])
  const gpg = (...args: readonly string[]) =>
    execFileSync('gpg', ['--batch', '-q', ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  gpg('--passphrase', '', '--quick-gen-key', 'platen test', 'ed25519', 'sign', 'never')
  t.teardown(() => execFileSync('gpgconf', ['--kill', 'gpg-agent'], { env }))
  const key = join(folder, 'key.asc')
  writeFileSync(key, gpg('--armor', '--export-secret-keys'), { mode: 0o600 })

  const changes = new Map<string, (bytes: Buffer) => Buffer>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/')
    try {
      const bytes = readFileSync(join(root, path))
      const change = [...changes].find(([ending]) => path.endsWith(ending))?.[1]
      response.end(change === undefined ? bytes : change(bytes))
    } catch {
      response.writeHead(404).end()
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  const publish = async (...more: readonly string[]) => {
    await make('repo.sh', [root, ...more], { SIGN_KEY: key, REPO_URL: url })
  }
  await publish(...debs)
  const file = join(root, 'platen-stable.sources')
  return {
    file,
    sources: readFileSync(file, 'utf8'),
    publish,
    tamper: (ending, change) => void changes.set(ending, change),
    mend: () => changes.clear(),
    expire() {
      const release = join(root, 'dists/stable/Release')
      const text = readFileSync(release, 'utf8')
      const ended = 'Valid-Until: Sat, 01 Mar 2025 00:00:00 UTC'
      writeFileSync(release, text.replace(/^Valid-Until:.*$/m, ended))
      rmSync(join(root, 'dists/stable/InRelease'))
      gpg('--clearsign', '-o', join(root, 'dists/stable/InRelease'), release)
    },
  }
}
