import { parseArgs } from 'node:util'
import { startFauxqs } from 'fauxqs'

// A process of its own, so that a test can kill, freeze and restart the server like a real one.
const { values } = parseArgs({ options: { port: { type: 'string' }, data: { type: 'string' } } })
const { port = '0', data = '' } = values
const server = await startFauxqs({ port: Number(port), dataDir: data, logger: false })
process.send?.(server.port)
process.on('disconnect', () => process.exit())
