import t from 'tap'
import { raw } from '../../../src/plugins/raw/index.ts'
import { conforms } from '../../conformance/door.ts'
import { open, sendRaw } from './client.ts'

t.test('the raw port is a door as every other', async (t) => {
  await conforms(
    t,
    {
      door: raw,
      hasPort: true,
      config: (port) => ({ raw_port: port }),
      send: (place, labels, more = {}) => sendRaw(place, labels, more.isSlow),
      async cut({ port }, label) {
        const { socket } = await open(port)
        await new Promise((resolve) => socket.write(label.subarray(0, label.length / 2), resolve))
        socket.resetAndDestroy()
      },
    },
    {
      together: 'a stream has no requests: each label is a job as it ends',
      printer: 'a port belongs to a printer; nobody can name another one',
    },
  )
})
