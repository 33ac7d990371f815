import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Server, startServer } from '../../e2e/server.ts'
import { until } from '../../until.ts'
import { makeFolder } from './rig.ts'

/** A print server with HTTPS and a virtual printer, whose labels lie in its state folder. */
export interface Box {
  readonly folder: string
  server: Server
  /** Starts it again, on the same ports. */
  restart(): Promise<void>
  /** Host and port of HTTPS. */
  readonly place: string
  /** Lists the output of its printer. */
  printed(): readonly string[]
  json(path: string, body?: object): Promise<{ status: number; json: Json }>
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the wire brings
export type Json = any

const FOREVER = 'socket://127.0.0.1:9'

/** `off`: its printer is switched off, so that labels wait. */
export async function startBox(t: Test, name: string, printers: readonly object[]): Promise<Box> {
  const config = { use_ssl: true, secure_port: '0', printers, share_printers: false }
  const home = makeFolder(t, name)
  const start = { folder: home, env: { PLATEN_ANNOUNCE: '0' } }
  const first = await startServer(t, { ...start, config })
  const info = (await (await first.get('/info')).json()) as Json
  const port = first.address.split(':').at(-1)
  const fixed = { ...config, port, secure_port: info.secure_port }
  const box: Box = {
    folder: home,
    server: first,
    place: `127.0.0.1:${info.secure_port}`,
    async restart() {
      box.server = await startServer(t, { ...start, config: fixed })
    },
    printed: () => readPrinted(join(home, 'state', 'bench')),
    async json(path, body) {
      const { server } = box
      const answer = await (body === undefined ? server.get(path) : server.post(path, body))
      return { status: answer.status, json: await answer.json() }
    },
  }
  return box
}

/** A printer that prints, and one that is off. */
export const WORKING = { name: 'Bench 3', uri: 'file:bench', language: 'zpl' }
export const OFF = { name: 'Bench 1', uri: FOREVER, language: 'zpl' }

/** The owner shows a code at `b` and types it at `a`; gives the id of `b`. */
export async function pair(a: Box, b: Box, place = b.place): Promise<string> {
  const { json: shown } = await b.json('/peers/code', {})
  const { json } = await a.json('/peers', { address: place, code: shown.code })
  if (json.peer === undefined) throw new Error(JSON.stringify(json))
  return json.peer.id
}

/** A label that waits at `a`. */
export async function waiting(a: Box, mark: string): Promise<string> {
  const label = Buffer.from(`^XA^FO30,30^A0N,40^FD${mark}^FS^XZ`).toString('base64')
  const { json } = await a.json('/', { label, printer: 'Bench 1' })
  const id = json.jobs[0].id
  await until('the label to wait', async () => {
    const { json: job } = await a.json(`/jobs/${id}`)
    return job.state === 'pending' && job.reasons.includes('printer-stopped') ? true : undefined
  })
  return id
}

function readPrinted(folder: string): readonly string[] {
  try {
    return (
      readdirSync(folder)
        .filter((name) => name.endsWith('.prn'))
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        // Opened by a server that was killed before the first byte.
        .filter((text) => text !== '')
    )
  } catch {
    return []
  }
}
