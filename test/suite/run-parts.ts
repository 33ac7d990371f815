import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Part } from './parts.ts'
import { type Counts, report } from './report.ts'
import { runFiles } from './run-files.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The result of a part. */
export interface PartEnd {
  readonly name: string
  readonly kind: 'passed' | 'failed' | 'left out'
  /** Minutes, or why it was left out. */
  readonly told: string
}

/** Tells why a part is not run now; '' = it is. */
export function findReason(
  part: { readonly isPassed: boolean; readonly expected: number; readonly apart?: string },
  now: number,
  budget: number,
): string {
  if (part.isPassed) return 'it passed here with the same inputs'
  if (part.apart !== undefined && Number.isFinite(budget)) return part.apart
  if (now + part.expected <= budget) return ''
  const spent = `${Math.ceil(now)} of ${budget} minutes are spent`
  return `${spent} and it takes ${Math.ceil(part.expected)}`
}

/** Runs a part to its end; a command counts as one test. Past `limitMs` it is killed with all that it started. */
export async function runPart({ name, run }: Part, limitMs: number): Promise<Counts> {
  if ('tests' in run) {
    return report(await runFiles(run.tests, { jobs: 1, env: run.env ?? {}, isRepeated: true }))
  }
  const [program = '', ...args] = run.command
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true, // a group of its own can be killed whole
  })
  const late = setTimeout(() => {
    console.log(
      `\n${name}: killed after ${Math.round(limitMs / 60_000)} minutes: something in it hangs`,
    )
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, limitMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(late)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skips: [] }
}
