import { spawnSync } from 'node:child_process'
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
