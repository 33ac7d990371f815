import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

t.test('`make corpora` fails when no picture could be fetched', (t) => {
  const { status, stdout } = spawnSync(process.execPath, [RUN], {
    env: { PATH: t.testdir() },
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.match(stdout, /libpng1\.6: skipped/)
  t.match(stdout, /libpng1\.6: 0 of 0 pictures compared/)
  t.match(stdout, /2 failed/)
  t.end()
})
