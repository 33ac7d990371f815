import { type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection, Device } from '../device.ts'
import { decodePart, OneJobEach } from '../device.ts'
import { PrinterFault } from '../fault.ts'

const KEPT_JOBS = 200 // a virtual printer must not fill the disk
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u
// What the print server keeps in the same folder, in any case, as macOS and Windows tell no cases apart; a test compares.
const OWN =
  /^(?:address|config\.json|dialogs\.json|in-hand|keys(?:-used)?\.json|peers\.json|pin|platen\.log|printers\.json|restore\.tmp|secret|shipping|sources\.json|spool|start-label|tls|update\.json)(?:\..*)?$/i
const KEPT_FILE = /^(\d{1,15})\.(?:prn|png)$/

/**
 * The virtual printer: `file:NAME` is the folder NAME inside `folder` and never elsewhere. Each job's bytes become
 * `<number>.prn` and its picture `<number>.png`; the last 200 jobs are kept.
 */
export function createFileDevice(folder: string): Device<'file'> {
  const jobs = new OneJobEach()
  return {
    scheme: 'file',
    example: 'file:virtual',
    about:
      'A virtual printer for trying things out: the labels become files in a folder with this name inside the state folder.',
    check,
    list: () => Promise.resolve([]),
    async open(uri, signal): Promise<Connection> {
      const fault = check(uri)
      if (fault !== undefined) throw new PrinterFault('PRINTER_OFFLINE', `${uri.href}: ${fault}.`)
      const name = decodePart(uri.pathname.replace(/^\//, ''), '')
      const title = `The virtual printer ${name}`
      return await jobs.open(name, title, async (release) => {
        try {
          signal.throwIfAborted()
          return connect(await openJob(join(folder, name)), name, release)
        } catch (error) {
          const cause = signal.aborted ? signal.reason : error
          const message = `${title} cannot write to its folder (${readCode(cause)}).`
          throw new PrinterFault('PRINTER_OFFLINE', message, { cause })
        }
      })
    },
  }
}

function check(uri: URL, text = ''): string | undefined {
  // new URL() turns file:../x and file:/x into file:///x, so the words as written are looked at too.
  const isPlain = text === '' || /^file:[^/\\]+$/i.test(text)
  const name = decodePart(uri.pathname.replace(/^\//, ''), '')
  if (isPlain && uri.host === '' && uri.search + uri.hash === '' && NAME.test(name)) {
    if (!OWN.test(name)) return undefined
    return 'the print server keeps something of its own there, wanted another name'
  }
  return 'wanted file:NAME, a folder name of letters, digits, blanks, dots, - and _, without slashes'
}

interface OpenJob {
  readonly path: string
  readonly file: FileHandle
}

/** Makes the folder and the next job's file, and removes what is older than the last 200 jobs. */
async function openJob(folder: string): Promise<OpenJob> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const numbers = new Map<number, string[]>()
  for (const name of await readdir(folder)) {
    const number = KEPT_FILE.exec(name)?.[1]
    if (number !== undefined) {
      numbers.set(Number(number), [...(numbers.get(Number(number)) ?? []), name])
    }
  }
  const oldestFirst = [...numbers.keys()].sort((a, b) => a - b)
  const dropped = oldestFirst.slice(0, Math.max(0, oldestFirst.length - KEPT_JOBS + 1))
  for (const name of dropped.flatMap((number) => numbers.get(number) ?? [])) {
    await rm(join(folder, name), { force: true })
  }
  const path = join(folder, String((oldestFirst.at(-1) ?? 0) + 1))
  return { path, file: await open(`${path}.prn`, 'wx', 0o600) }
}

function connect({ path, file }: OpenJob, name: string, release: () => void): Connection {
  let isOpen = true
  return {
    async send(bytes, signal) {
      let accepted = 0
      try {
        while (accepted < bytes.length) {
          signal.throwIfAborted()
          const { bytesWritten } = await file.write(bytes, accepted)
          accepted += bytesWritten
        }
      } catch (error) {
        const cause = signal.aborted ? signal.reason : error
        const message = `The virtual printer ${name} stopped after ${accepted} of ${bytes.length} bytes (${readCode(cause)}).`
        throw new PrinterFault('PRINTER_LOST', message, { cause, accepted })
      }
    },
    receive: () => Promise.resolve(new Uint8Array()),
    async keepPicture(png) {
      await writeFile(`${path}.png`, png, { mode: 0o600 })
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return
      isOpen = false
      try {
        await file.close()
      } finally {
        release()
      }
    },
  }
}

function readCode(error: unknown): string {
  if (!(error instanceof Error)) return 'stopped'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
