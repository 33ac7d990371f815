// Checks that every regular expression with a repeat was judged: one that takes more than linear time stops the server on a long
// text of a stranger. test/expressions.json says of each that recheck found it safe, or by what its text is bounded.
//   usage: node test/expressions.ts [--judge]
// --judge has recheck (MIT, 57 MB with its engine, so it is fetched into .cache for this alone) judge what is new, and removes what
// is no longer there; of the rest a person must write why it is safe, or change the expression.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { type CallExpression, type NewExpression, type Node, parse } from 'acorn'
import { full } from 'acorn-walk'

const ROOT = join(import.meta.dirname, '..')
const LIST = join(ROOT, 'test/expressions.json')
const TOOL = join(ROOT, '.cache/recheck')
const RECHECK = 'recheck@4.5.0'
const SAFE = 'safe by recheck'
const LIMIT_MS = 20_000

/** The content of the list. */
interface Judged {
  /** By the expression as it is written. */
  readonly expressions: Record<string, string>
  /** By file: expressions that are built from texts, in their order. */
  readonly built: Record<string, readonly string[]>
}

/** An expression as it is written, and the places where it stands. */
type Places = Map<string, string[]>

interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  readonly complexity?: { readonly summary: string }
}

function readFound(): { readonly repeats: Places; readonly built: Map<string, number> } {
  const repeats: Places = new Map()
  const built = new Map<string, number>()
  for (const file of globSync(['src/**/*.{ts,js}', 'web/**/*.js', 'packaging/launcher/platen.js'], {
    cwd: ROOT,
  }).sort()) {
    full(parseFile(file), (node) => {
      const written = writtenAs(node)
      const places = repeats.get(written) ?? []
      if (written !== '') repeats.set(written, [...places, `${file}:${node.loc?.start.line}`])
      if (buildsExpression(node)) built.set(file, (built.get(file) ?? 0) + 1)
    })
  }
  return { repeats, built }
}

function parseFile(file: string): Node {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const code = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  return parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    allowHashBang: true,
  })
}

/** An expression that repeats something at will as it is written; '' for all other nodes. */
function writtenAs(node: Node): string {
  if (node.type !== 'Literal' || !('regex' in node)) return ''
  const { pattern, flags } = node.regex as { pattern: string; flags: string }
  return /[*+]|\{\d+,/.test(pattern) ? `/${pattern}/${flags}` : ''
}

/** `new RegExp(…)` or `RegExp(…)`. */
function buildsExpression(node: Node): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false
  const { callee } = node as NewExpression | CallExpression
  return callee.type === 'Identifier' && callee.name === 'RegExp'
}

async function judge(repeats: Places, listed: Judged): Promise<Judged> {
  spawnSync('npm', ['install', '--prefix', TOOL, '--no-audit', '--no-fund', RECHECK], {
    stdio: 'inherit',
  })
  const { check } = createRequire(join(TOOL, 'x.js'))('recheck') as {
    check(pattern: string, flags: string, options: { timeout: number }): Promise<Verdict>
  }
  const expressions: Record<string, string> = {}
  for (const written of [...repeats.keys()].sort()) {
    const reason = listed.expressions[written]
    if (reason !== undefined) expressions[written] = reason
    else {
      const end = written.lastIndexOf('/')
      const verdict = await check(written.slice(1, end), written.slice(end + 1), {
        timeout: LIMIT_MS,
      })
      if (verdict.status === 'safe') expressions[written] = SAFE
      else console.log(`${verdict.complexity?.summary ?? 'not judged in time'}: ${written}`)
    }
  }
  return { expressions, built: listed.built }
}

function listFaults(repeats: Places, built: Map<string, number>, listed: Judged): string[] {
  const faults: string[] = []
  for (const [written, places] of repeats) {
    if (listed.expressions[written] === undefined) faults.push(`${places[0]}: ${written}`)
  }
  for (const written of Object.keys(listed.expressions)) {
    if (!repeats.has(written)) faults.push(`no longer there: ${written}`)
  }
  for (const file of new Set([...built.keys(), ...Object.keys(listed.built)])) {
    const [found, known] = [built.get(file) ?? 0, listed.built[file]?.length ?? 0]
    if (found !== known) faults.push(`${file} builds ${found} expressions, ${known} are listed`)
  }
  return faults
}

const { repeats, built } = readFound()
let listed = JSON.parse(readFileSync(LIST, 'utf8')) as Judged
if (process.argv.includes('--judge')) {
  listed = await judge(repeats, listed)
  writeFileSync(LIST, `${JSON.stringify(listed, null, 2)}\n`)
}
const faults = listFaults(repeats, built, listed)
if (faults.length > 0) {
  console.error(`${faults.join('\n')}

These regular expressions are not in test/expressions.json as they are now. Run "node test/expressions.ts --judge". What is still
named then may take more than linear time: write it so that each part can end in one way only, or bound its text and write into
that file by what it is bounded.`)
  process.exitCode = 1
}
