import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ownsConsole, writeFailedStart } from '../../src/system/windows.ts'

t.test('a page says why the program does not start', (t) => {
  const file = fileURLToPath(
    writeFailedStart({
      message: 'config.json: line 3, "<b>" & more',
      hint: 'Correct it.',
      logFile: 'C:\\Jörg\\platen.log',
    }),
  )
  t.teardown(() => rmSync(dirname(file), { recursive: true }))
  const page = readFileSync(file, 'utf8')
  t.match(page, 'line 3, "&lt;b>" &amp; more')
  t.match(page, /Correct it\..*C:\\Jörg\\platen\.log/s)
  t.end()
})

t.test('only Windows opens a console for one program', async (t) => {
  t.equal(await ownsConsole('linux'), false)
  t.equal(await ownsConsole('win32'), false, 'standard input is none here')
})
