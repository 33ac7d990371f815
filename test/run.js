// Runs every test with coverage and closes with one line of counts and the list of skips.
import { spawn } from 'node:child_process'
import { Parser } from 'tap-parser'

const counts = { passed: 0, failed: 0, skipped: 0 }
const skips = []
const failures = []

const parser = new Parser()
parser.on('child', (file) => watch(file, []))

/** Counts the leaves: a test that holds no other test. */
function watch(test, path) {
  const here = [...path, test.name]
  let children = 0
  test.on('child', (child) => {
    children += 1
    watch(child, here)
  })
  test.on('assert', (result) => {
    if (result.skip) skips.push(`${here.join(' > ')} > ${result.name}: ${reason(result.skip)}`)
    else if (!result.ok && !result.todo) failures.push({ path: here, result })
  })
  test.on('complete', (results) => {
    if (path.length === 0) process.stdout.write(`${results.ok ? 'ok  ' : 'FAIL'} ${test.name}\n`)
    if (children > 0 && results.ok) return
    if (results.plan?.skipAll) {
      counts.skipped += 1
      skips.push(`${here.join(' > ')}: ${reason(results.plan.skipReason)}`)
    } else counts[results.ok ? 'passed' : 'failed'] += 1
  })
}

const reason = (skip) => (typeof skip === 'string' && skip !== '' ? skip : 'no reason given')

const tap = spawn('tap', ['--reporter=tap', '--show-full-coverage', ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const tail = []
tap.stdout.on('data', (chunk) => tail.push(chunk))
tap.stdout.pipe(parser)
const code = await new Promise((resolve) => tap.on('close', resolve))

const leaf = failures.filter(({ result }) => result.diag)
for (const { path, result } of leaf) {
  console.log(`\nFAILED ${path.join(' > ')} > ${result.name}`)
  console.log(JSON.stringify(result.diag, null, 2).slice(0, 3000))
}
counts.skipped = skips.length
if (skips.length > 0) console.log(`\nSkipped:\n${skips.map((line) => `- ${line}`).join('\n')}`)
if (code !== 0 && counts.failed === 0) {
  counts.failed = 1
  console.log(`\ntap ended with ${code}:\n${Buffer.concat(tail).toString().slice(-4000)}`)
}
const coverage = Buffer.concat(tail).toString().split('\n').filter((line) => line.includes(' | ') || line.includes('-|-'))
console.log(`\n${coverage.join('\n')}`)
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = code
