import { execFileSync } from 'node:child_process'
import type { Graph, Reach } from './graph.ts'
import { isReached } from './graph.ts'

/**
 * With these a file of test/ starts a process or a browser, or reads what was drawn as a scanner or a printer would.
 * Decision `unit-tests`.
 */
const PARTNERS = [
  'node:child_process',
  'node:cluster',
  'playwright-core',
  'zpl-renderer-js',
  'zxing-wasm/reader',
]
/** Three seconds of a processor each: too dear while somebody works. */
const DEAR = [
  'test/plugins/ipp/dialogs.test.ts',
  'test/plugins/door/races/races.test.ts',
  'test/core/drawing/pdf.test.ts',
  'test/attacks/costly-bodies.test.ts',
  'test/core/races/races.test.ts',
  'test/plugins/peers/races/races.test.ts',
  'test/preview/hostile.test.ts',
  'test/labels/codecs/fuzz.test.ts',
  'test/labels/codecs/oracle.test.ts',
]

/** They measure the process that they run in, or load a module of it first: others before them would count, too. */
const ALONE = ['test/plugins/peers/plugin.test.ts', 'test/system/idle-heap.test.ts']

export function runsAlone(test: string): boolean {
  return ALONE.includes(test)
}

/** A test is a unit test when no file of test/ that it imports has such a partner: it decides at once, and alone. */
export function isUnit({ packages, imported }: Reach): boolean {
  return !PARTNERS.some((name) => packages.has(name)) && !DEAR.some((test) => imported.has(test))
}

export function listTests({ files }: Graph): readonly string[] {
  return files.filter((file) => /^test\/.*\.test\.ts$/.test(file))
}

/** The unit tests, or those that one of the changed files reaches. */
export function pickUnits(graph: Graph, changed?: readonly string[]): readonly string[] {
  return listTests(graph).filter((file) => {
    const reach = graph.reach(file)
    if (!isUnit(reach)) return false
    return changed === undefined || changed.some((one) => isReached(reach, one))
  })
}

/** Lists files that differ from main, or from the last commit if main is the branch at hand: committed on a branch, edited, or new. */
export function listChanged(root: string): readonly string[] {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  // A clone of another branch alone has no main.
  const hasMain = git('branch', '--list', 'main').trim() !== ''
  const base = hasMain ? git('merge-base', 'HEAD', 'main').trim() : 'HEAD'
  const names = [
    git('diff', '--name-only', '-z', base),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
  return names.flatMap((text) => text.split('\0')).filter((name) => name !== '')
}
