import { open } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// The floor of an accept: a bare server that reads a body, appends it to a file, and answers when it is on the disk. All
// that came while the disk was busy share the next write (group commit).

const file = await open(process.argv[2] ?? '', 'a')
let waiting: { readonly body: Buffer; readonly response: ServerResponse }[] = []
let isWriting = false

async function writeAll(): Promise<void> {
  if (isWriting) return
  isWriting = true
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    await file.appendFile(Buffer.concat(group.map(({ body }) => body)))
    await file.datasync()
    for (const { response } of group) response.writeHead(202).end('{"Status":"OK"}')
  }
  isWriting = false
}

function take(incoming: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = []
  incoming.on('data', (part: Buffer) => parts.push(part))
  incoming.on('end', () => {
    waiting.push({ body: Buffer.concat(parts), response })
    void writeAll()
  })
}

const server = createServer((incoming, response) => {
  if (incoming.method === 'POST') take(incoming, response)
  else response.end('{"Status":"OK"}')
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
