import { EventEmitter } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { UnixLine, type UnixPort } from '../../../../src/printers/devices/serial/line.ts'

/** A port of @serialport/bindings-cpp over a plain file, whose poller says what the test wants. */
function makePort(t: Test, flags: string) {
  const fd = openSync(join(t.testdir({ port: '' }), 'port'), flags)
  t.teardown(() => closeSync(fd))
  const poller = Object.assign(new EventEmitter(), {
    polled: [] as number[],
    poll(events: number) {
      this.polled.push(events)
    },
  })
  const port: UnixPort & { fd: number | null } = {
    fd,
    poller,
    flush: () => Promise.reject(new Error('unplugged')),
    close: () => Promise.reject(new Error('unplugged')),
  }
  return { port, poller }
}

t.test('a Mac may hold more bytes back than Linux', (t) => {
  const { port } = makePort(t, 'r')
  t.equal(new UnixLine(port, 'linux').slackBytes, 255)
  t.equal(new UnixLine(port, 'darwin').slackBytes, 2_048)
  t.end()
})

t.test('a write that fails ends the line, and closing what is gone is not a failure', async (t) => {
  const { port, poller } = makePort(t, 'r')
  const line = new UnixLine(port)
  await t.rejects(line.write(Buffer.from('label')), { code: 'EBADF' })
  await line.ended
  t.match(line.fault, { code: 'EBADF' })
  poller.emit('readable', null)
  poller.emit('writable', null)
  t.equal(poller.polled.at(-1), 0, 'nothing is waited for any more')
  await t.rejects(line.write(Buffer.from('label')), { code: 'EBADF' })
  await line.close()
})

t.test('a port that hangs up or fails while nobody writes ends the line', async (t) => {
  for (const event of ['readable', 'writable']) {
    const { port, poller } = makePort(t, 'r+')
    const line = new UnixLine(port)
    poller.emit(event, new Error('bad file descriptor'))
    await line.ended
    t.match(line.fault, { message: 'bad file descriptor' })
  }
  const { port, poller } = makePort(t, 'r')
  const line = new UnixLine(port)
  poller.emit('readable', null) // and there is nothing to read
  t.match(line.fault, { message: 'the port hung up' })
})

t.test('a line that ends while it waits fails the write', async (t) => {
  const { port, poller } = makePort(t, 'r+')
  const line = new UnixLine(port)
  const written = line.write(Buffer.from('label'))
  poller.emit('writable', null)
  await written
  const cut = line.write(Buffer.from('label'))
  line.end(undefined)
  await t.rejects(cut, { message: 'ended' })
  t.match(line.fault, { message: 'ended' })
})
