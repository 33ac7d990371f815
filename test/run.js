// Runs every test with coverage and closes with one line of counts and the list of skips.
import { spawn } from 'node:child_process'
import { Parser } from 'tap-parser'

const counts = { passed: 0, failed: 0 }
const skips = []
const failures = []
const coverage = []

/** Counts the leaves: tests that hold no other test. */
function follow(test, path) {
  const here = [...path, test.name]
  let hasChildren = false
  test.on('child', (child) => {
    hasChildren = true
    follow(child, here)
  })
  test.on('assert', (result) => note(result, here))
  test.on('complete', (results) => {
    if (path.length === 0) console.log(`${results.ok ? 'ok  ' : 'FAIL'} ${test.name}`)
    if (!hasChildren || !results.ok) counts[results.ok ? 'passed' : 'failed'] += 1
  })
}

function note(result, here) {
  const where = [...here, result.name].join(' > ')
  const why =
    typeof result.skip === 'string' && result.skip !== '' ? result.skip : 'no reason given'
  if (result.skip) skips.push(`${where}: ${why}`)
  else if (!result.ok && !result.todo && result.diag) failures.push({ where, diag: result.diag })
}

const tap = spawn('tap', ['--reporter=tap', '--show-full-coverage', ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const parser = new Parser()
parser.on('child', (file) => follow(file, []))
parser.on('extra', (text) => coverage.push(text))
tap.stdout.pipe(parser)
const code = await new Promise((resolve) => tap.on('close', resolve))

console.log(`\n${coverage.filter((text) => text.includes('|')).join('')}`)
for (const { where, diag } of failures) {
  console.log(`\nFAILED ${where}\n${JSON.stringify(diag, null, 2).slice(0, 3000)}`)
}
if (skips.length > 0) console.log(`\nSkipped:\n${skips.map((line) => `- ${line}`).join('\n')}`)
if (code !== 0 && counts.failed === 0) {
  console.log(`\ntap ended with ${code}: see the coverage above, or a test file that ended early`)
  counts.failed = 1
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${skips.length} skipped`)
process.exitCode = code
