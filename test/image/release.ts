import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, truncateSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Owner } from '../packages/debian.ts'
import { derivePackage } from '../packages/derive.ts'
import { openRepository, type Repository } from '../packages/repository.ts'
import { dropFile } from './box.ts'

const ROOT = join(import.meta.dirname, '../..')
const CARD_BYTES = 2 ** 31
const run = promisify(execFile)

/** The login for changing settings and asking for updates on the box. */
export const LOGIN = { username: 'packer', password: 'conveyor belt 7' } as const

/** Before a server's first line it makes one that says it is not well. */
export const ILL = `{
  const { Server } = process.getBuiltinModule('node:http')
  const { emit } = Server.prototype
  Server.prototype.emit = function (name, request, response) {
    if (name !== 'request' || request.url !== '/healthz') return Reflect.apply(emit, this, arguments)
    response.statusCode = 503
    response.end('{"Message":"This version is ill."}')
    return true
  }
}
`

/** The image with a repository that it gets its updates from, on this machine. */
export interface Release {
  /** The image's own version. */
  readonly version: string
  /** The card: a copy of the image that has room to grow. */
  readonly card: string
  readonly repository: Repository
  /** Adds platen and platen-appliance of this version, with a fault in the server's code where one is given. */
  publish(version: string, fault?: string): Promise<void>
  /** Adds another version of platen-node; gives its number. */
  publishNode(): Promise<string>
}

/** Makes both, from the packages in the folder `debs` (packaging/deb.sh and appliance.sh), with a key made for this run. */
export async function makeRelease(owner: Owner, folder: string, debs: string): Promise<Release> {
  const own = join(folder, 'debs')
  mkdirSync(own)
  for (const name of readdirSync(debs)) copyFileSync(join(debs, name), join(own, name))
  const files = readdirSync(own).map((name) => join(own, name))
  const find = (name: string): string =>
    files.find((file) => file.startsWith(`${join(own, name)}_`)) ?? ''
  const repository = await openRepository(owner, folder, files, '10.0.2.2')
  const card = join(folder, 'card.img')
  await run(join(ROOT, 'image/mkimage'), [card, ...files], {
    env: { ...process.env, REPO_SOURCES: repository.file },
  })
  truncateSync(card, CARD_BYTES)
  const versionOf = (name: string): string => find(name).split('_')[1] ?? ''
  return {
    version: versionOf('platen'),
    card,
    repository,
    async publish(version, fault) {
      await repository.publish(
        derivePackage(find('platen'), fault === undefined ? { version } : { version, fault }),
        derivePackage(find('platen-appliance'), { version }),
      )
    },
    async publishNode() {
      const version = `${versionOf('platen-node')}+1`
      await repository.publish(derivePackage(find('platen-node'), { version }))
      return version
    },
  }
}

/** Settings on the card, with which the box prints on this machine. */
export function dropSettings(card: string, printers: readonly object[]): void {
  dropFile(card, 'config.json', JSON.stringify({ host: '', ...LOGIN, printers }))
}

/** The header of who may change the box. */
export function loginHeader(): { authorization: string } {
  const { username, password } = LOGIN
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Sends one request after the other, each on a connection of its own; unanswered ones count as refused. */
export class Knocker {
  answered = 0
  longestMs = 0
  readonly refused: string[] = []
  readonly #port: number
  #goesOn = true
  readonly #ended: Promise<void>

  constructor(port: number) {
    this.#port = port
    this.#ended = this.#run()
  }

  async stop(): Promise<void> {
    this.#goesOn = false
    await this.#ended
  }

  async #run(): Promise<void> {
    while (this.#goesOn) {
      const began = performance.now()
      // QEMU's forwarding takes every connection, and closes it without an answer when the guest refuses.
      await this.#knock().then(
        () => {
          this.answered += 1
        },
        (error) => this.refused.push(`${new Date().toISOString()} ${String(error)}`),
      )
      this.longestMs = Math.max(this.longestMs, Math.round(performance.now() - began))
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  async #knock(): Promise<void> {
    const asked = request({ port: this.#port, path: '/healthz', agent: false, timeout: 240_000 })
    asked.on('timeout', () => asked.destroy(new Error('no answer within 240 s')))
    asked.end()
    const [answer] = await once(asked, 'response')
    answer.resume()
    await once(answer, 'end')
  }
}
