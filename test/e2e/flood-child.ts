import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

// One flood, in a process of its own, so that it does not take the honest client's time. It must not import the test
// runner, which would end it when its own time is over.

/** The orders for the child, as JSON in its first argument. */
export interface Flood {
  readonly name: FloodName
  readonly port: number
  readonly securePort: number
  /** The addresses it comes from, in turn. */
  readonly from: readonly string[]
  readonly connections: number
}

/** Time for which a closed connection stays closed: a flood of ours is not a test of the kernel. */
const REOPEN_MS = 250
const PIECE_BYTES = 64 * 1024

const HOST = 'Host: localhost\r\n'
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n'
const LABEL = `label=${encodeURIComponent(Buffer.from('^XA^FDcrowd^FS^XZ').toString('base64'))}`

type Manner = (socket: Socket, flood: Flood) => void

/** Repeats the request for as long as the server takes it. */
function pipeline(request: string): Manner {
  const piece = request.repeat(Math.ceil(PIECE_BYTES / request.length))
  return (socket) => {
    const write = (): void => {
      while (socket.writable && socket.write(piece));
    }
    socket.on('drain', write)
    write()
  }
}

/** Sends a head and then a byte at a time. */
function drip(head: string, everyMs: number): Manner {
  return (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write('a'), everyMs)
    socket.once('close', () => clearInterval(timer))
  }
}

function deaf(manner: Manner): Manner {
  return (socket, flood) => {
    socket.pause()
    manner(socket, flood)
  }
}

/** Sends one request after the other, each when the one before was answered and some time has passed. */
function repeat(request: string | Buffer, pauseMs: number): Manner {
  return (socket) => {
    let timer: NodeJS.Timeout | undefined
    const send = (): void => {
      timer = undefined
      if (socket.writable) socket.write(request)
    }
    socket.on('data', () => {
      timer ??= setTimeout(send, pauseMs)
    })
    socket.once('close', () => clearTimeout(timer))
    send()
  }
}

function print(fields: string, headers = ''): string {
  const body = `${LABEL}${fields}`
  return `POST / HTTP/1.1\r\n${HOST}${FORM}${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** A file of 200 KB whose header says the most that it can with each of its bytes. */
function printLargeHeader(): Buffer {
  const scan = Buffer.from([0xff, 0xda, 0x00, 0x03, 0xff])
  const file = Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array<Buffer>(40_000).fill(scan)])
  const start = '--cut\r\nContent-Disposition: form-data; name="printer"\r\n\r\nCrowd\r\n--cut\r\n'
  const head = `${start}Content-Disposition: form-data; name="label"; filename="a.jpg"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--cut--\r\n')])
  const type = 'Content-Type: multipart/form-data; boundary=cut\r\n'
  const request = `POST / HTTP/1.1\r\n${HOST}${type}Content-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(request), body])
}

const upload = (path: string): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}${FORM}Sec-Fetch-Site: same-origin\r\nContent-Length: 8000\r\n\r\nx`

const MANNERS = {
  'pipelined-deaf': deaf(pipeline(`GET /info HTTP/1.1\r\n${HOST}\r\n`)),
  'pipelined-read': pipeline(`GET /info HTTP/1.1\r\n${HOST}\r\n`),
  'pipelined-tls': deaf(pipeline(`GET /info HTTP/1.1\r\n${HOST}\r\n`)),
  'pipelined-labels': pipeline(print('&printer=Crowd')),
  'large-answers-deaf': deaf(pipeline(`GET /openapi.json HTTP/1.1\r\n${HOST}\r\n`)),
  'no-host': pipeline('GET / HTTP/1.1\r\n\r\n'),
  'slow-body': drip(upload('/'), 5_000),
  'slow-login': drip(upload('/login'), 5_000),
  'slow-backup': drip(upload('/backup'), 5_000),
  'slow-headers': drip(`GET / HTTP/1.1\r\n${HOST}X: `, 1_000),
  waiting: repeat(print('&printer=Off&expire_after=90', 'Prefer: wait=60\r\n'), 1_000),
  idle: () => undefined,
  events: (socket) => {
    socket.write(`GET /events HTTP/1.1\r\n${HOST}Sec-Fetch-Site: same-origin\r\n\r\n`)
  },
  'tls-silent': () => undefined,
  'small-labels': repeat(print('&printer=Crowd', 'Prefer: respond-async\r\n'), 500),
  'large-header': repeat(printLargeHeader(), 2_000),
} as const satisfies Record<string, Manner>

/** The names of floods to choose from. */
export type FloodName = keyof typeof MANNERS

/** In the order in which they run where nobody chooses. */
export const FLOODS = Object.keys(MANNERS) as readonly FloodName[]

function open(flood: Flood, number: number): void {
  const { name, port, securePort, from } = flood
  const isTls = name === 'pipelined-tls'
  const place = {
    host: '127.0.0.1',
    port: isTls || name === 'tls-silent' ? securePort : port,
    localAddress: from[number % from.length] ?? '127.0.0.1',
  }
  const socket = connect(place)
  const spoken = isTls ? connectTls({ socket, rejectUnauthorized: false }) : socket
  spoken.once(isTls ? 'secureConnect' : 'connect', () => {
    spoken.resume()
    MANNERS[name](spoken, flood)
  })
  // Being cut is what a flood is there for.
  spoken.on('error', () => undefined)
  socket.on('error', () => undefined)
  socket.once('close', () => {
    spoken.destroy()
    setTimeout(() => open(flood, number), REOPEN_MS)
  })
}

const [text] = process.argv.slice(2)
if (process.argv[1] === import.meta.filename && text !== undefined) {
  const flood = JSON.parse(text) as Flood
  process.on('disconnect', () => process.exit())
  for (let number = 0; number < flood.connections; number += 1) open(flood, number)
  process.send?.('begun')
}
