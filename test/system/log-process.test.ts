import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import t from 'tap'

t.test('a process writes its lines to standard error, also the last one', (t) => {
  const module = new URL('../../src/system/log.ts', import.meta.url).href
  const script = `import { createLog } from ${JSON.stringify(module)}
    createLog({ level: 'info', toJournal: true }).info({ port: '8080' }, 'start')
    process.exit(0)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
  t.equal(String(stdout), '')
  t.equal(String(stderr), '<6>{"level":"info","port":"8080","msg":"start"}\n')
  t.end()
})

t.test('a process goes on though nobody takes its lines', (t) => {
  if (!existsSync('/dev/full')) {
    t.comment('this system has no file that is always full')
    t.end()
    return
  }
  const module = new URL('../../src/system/log.ts', import.meta.url).href
  const script = `import { createLog } from ${JSON.stringify(module)}
    const log = createLog({ level: 'info', toJournal: false })
    for (let n = 0; n < 3; n += 1) log.info({ n }, 'printed')
    process.stdout.write('prints on')`
  const full = openSync('/dev/full', 'w')
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', full],
  })
  closeSync(full)
  t.equal(String(stdout), 'prints on')
  t.equal(status, 0)
  t.end()
})
