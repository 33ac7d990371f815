import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { startServer } from './server.ts'

t.setTimeout(300_000)

const DIST = join(import.meta.dirname, '../../dist')

// Both files are loaded with the first request.
for (const part of ['page-and-api', 'request-listener']) {
  t.test(
    `${part} is gone: the log names it, the answer says what to do, and it is used once it is back`,
    existsSync(DIST) ? {} : { skip: 'dist/ is missing: make build' },
    async (t) => {
      const folder = t.testdir()
      const program = join(folder, 'program')
      cpSync(DIST, program, { recursive: true })
      const [gone = ''] = globSync(join(program, `${part}-*.js`))
      const kept = readFileSync(gone)
      rmSync(gone)
      const entry = join(program, 'platen.js')
      const server = await startServer(t, { folder, entry, config: {} })
      const answer = await server.get('/printers')
      t.equal(answer.status, 500)
      t.match(await answer.json(), {
        Status: 'Error',
        code: 'PROGRAM_BROKEN',
        Message: 'A part of the print server is missing or damaged.',
        hint: /^Restart the print server/,
      })
      t.match(server.log(), '"msg":"page not loaded"')
      t.match(server.log(), basename(gone))
      writeFileSync(gone, kept)
      t.equal((await server.get('/printers')).status, 200, 'back, it is used without a restart')
      t.equal(await server.stop(), 0)
    },
  )
}
