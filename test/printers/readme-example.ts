import { createServer } from 'node:net'
import { createDevices, PrinterFault, parseDeviceUri } from '#printers'

const server = createServer((socket) => socket.on('data', (bytes) => console.log(`${bytes}`)))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as { port: number }

const target = parseDeviceUri(`socket://127.0.0.1:${port}`, createDevices({ stateFolder: '.' }))
if (typeof target === 'string') throw new Error(target)
const signal = AbortSignal.timeout(10_000)
const connection = await target.device.open(target.uri, signal)
await connection.send(Buffer.from('^XA^FDHello^FS^XZ'), signal)
await connection[Symbol.asyncDispose]()

server.close()
const gone = target.device.open(target.uri, signal)
await gone.catch((error) => console.log(error instanceof PrinterFault && error.code))
