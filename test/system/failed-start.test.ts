import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

t.test('it opens for a user whose name has the sign that ends a command of cmd', (t) => {
  const { TMPDIR } = process.env
  t.teardown(() => {
    if (TMPDIR !== undefined) process.env['TMPDIR'] = TMPDIR
    else delete process.env['TMPDIR']
  })
  process.env['TMPDIR'] = join(t.testdir({ 'R&D': {} }), 'R&D')
  const address = writeFailedStart({ message: 'It fails.', hint: '', logFile: undefined })
  t.match(address, /^file:\/\/[^&]*\/R%26D\/platen-[^&]*$/)
  t.match(readFileSync(fileURLToPath(address), 'utf8'), 'It fails.')
  t.end()
})

t.test('only Windows opens a console for one program', async (t) => {
  t.equal(await ownsConsole('linux'), false)
  t.equal(await ownsConsole('win32'), false, 'standard input is none here')
})
