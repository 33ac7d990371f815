import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Part } from './parts.ts'
import { report } from './report.ts'
import { runFiles } from './run-files.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What became of a part. */
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

/** Runs a part to its end; true when it passed. */
export async function runPart({ run }: Part): Promise<boolean> {
  if ('tests' in run) return report(await runFiles(run.tests, { jobs: 1, env: run.env ?? {} }))
  const [program = '', ...args] = run.command
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}
