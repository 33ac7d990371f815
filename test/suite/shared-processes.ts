import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Parser, type Result } from 'tap-parser'
import { countTap, makeCount } from './count-tap.ts'
import {
  type FileRun,
  killGroup,
  LIMIT_MS,
  noteEnd,
  runFile,
  startNode,
  untilEnd,
} from './run-file.ts'
import { runsAlone } from './tiers.ts'

const MEMORY = '/dev/shm'
const MEMORY_BYTES = 2 ** 30 // free, at least; all tests together need a tenth of it
/** For a process: each of its files has a limit of its own. */
const DAY_MS = 86_400_000
const GRACE_MS = 30_000 // for tap to say what it waited for
const PROGRAM = join(import.meta.dirname, 'shared-process.ts')

/** A process writes it behind what a file wrote, to both of its outputs. */
const END = '--- end of the file ---'

/** Processes that run many test files each, one after the other. */
export interface SharedProcesses {
  /** Runs a file in a process that has time, or in a new one. */
  run(file: string): Promise<FileRun>
  /** Ends the processes. Only then V8 writes down what it compiled. */
  close(): Promise<void>
}

/** An order to a process: the next file, or that there is none. */
export type Order =
  | { readonly file: string; readonly end: string; readonly limitMs: number }
  | 'end'

interface Shared {
  readonly child: ChildProcess
  /** Reads what the process writes: each file is a test of it. */
  readonly parser: Parser
  /** Resolves with the reason of its end. */
  readonly ended: Promise<string>
  isOver: boolean
}

export function shareProcesses(): SharedProcesses {
  const free: Shared[] = []
  const folder = makeMemoryFolder()
  return {
    async run(file) {
      if (runsAlone(file)) return await runFile(file)
      const shared = free.pop() ?? (await start(folder))
      const run = await runIn(shared, file)
      if (!shared.isOver) free.push(shared)
      return run
    },
    async close() {
      for (const { child } of free) child.send('end')
      await Promise.all(free.map(({ ended }) => ended))
    },
  }
}

/** A folder in memory: spools of tests wait for a disk a fifth of the time. Undefined where there is none, or a small one. */
function makeMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < MEMORY_BYTES) return undefined
  } catch {
    return undefined
  }
  const folder = mkdtempSync(join(MEMORY, 'platen-quick-'))
  // Also when the run is broken off: what lies there takes memory.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(PROGRAM, join(folder, 'shared.ts'))
  return folder
}

async function start(folder: string | undefined): Promise<Shared> {
  const limit = { limitMs: DAY_MS }
  const child =
    folder === undefined
      ? await startNode(PROGRAM, limit)
      : // tap makes the folders of tests below TAP_CWD, and names them by the path of the program from there.
        await startNode(join(folder, 'shared.ts'), { ...limit, env: { TAP_CWD: folder } })
  const parser = new Parser()
  const shared: Shared = { child, parser, ended: untilEnd(child, limit), isOver: false }
  child.stdout?.pipe(parser).once('complete', () => {
    shared.isOver = true
  })
  return shared
}

/** Runs the file in a process that has nothing else to do. One that ends before the file does has failed it. */
async function runIn(shared: Shared, file: string): Promise<FileRun> {
  const { child, parser, ended } = shared
  const began = Date.now()
  const count = makeCount()
  let stderr = ''
  const { promise: isRead, resolve: endRead } = Promise.withResolvers<void>()
  const { promise: isCounted, resolve: endCount } = Promise.withResolvers<void>()
  const onError = (text: string): void => {
    stderr += text
    if (stderr.endsWith(END)) endRead()
  }
  const onAssert = ({ ok, name }: Result): void => {
    if (name === END) endCount()
    else if (!ok && name !== file) noteEnd(count, file, `${name}, outside of its tests`, stderr)
  }
  child.stderr?.on('data', onError)
  parser.once('child', (test: Parser) => countTap(test, [file], count))
  parser.on('assert', onAssert)
  // A process that has ended meanwhile shows that by its end.
  child.send({ file, end: END, limitMs: LIMIT_MS } satisfies Order, () => undefined)
  const alarm = setTimeout(() => killGroup(child.pid), LIMIT_MS + GRACE_MS)
  await Promise.race([Promise.all([isRead, isCounted]), ended])
  clearTimeout(alarm)
  // Else it would be paused.
  child.stderr?.off('data', onError).resume()
  parser.off('assert', onAssert)
  stderr = stderr.replace(END, '')
  if (shared.isOver) noteEnd(count, file, (await ended) || 'ended in the midst of it', stderr)
  return { ...count, file, seconds: (Date.now() - began) / 1000, stderr }
}
