import { Hono } from 'hono'
import { languages } from '../languages/index.ts'
import { formatTitles } from '../render/detect.ts'
import type { HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

const RESTARTS = 'The print server finishes the label in hand and starts again.'

/** `GET /info` and `GET /shutdown`. */
export function createInfoRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/info', parts.access.read(), (c) => {
    const { version, host, ip, names, port, securePort, uptime } = parts.info()
    const printers = parts.printers.list()
    return c.json({
      name: 'platen',
      version,
      host,
      ip,
      names,
      port,
      secure_port: securePort,
      printer: printers.find((printer) => printer.isDefault)?.name ?? '',
      available_printers: printers.map((printer) => printer.name),
      languages: languages.map(({ name, title, makers }) => ({ name, title, makers })),
      formats: formatTitles,
      uptime: Math.floor(uptime),
      jobs: parts.spool.counts(),
    })
  })
  app.get('/shutdown', parts.access.shutdown(), (c) => {
    // A HEAD asks only what a GET would answer.
    if (c.req.method !== 'HEAD') endAfterAnswer(c.env?.outgoing, parts.shutdown)
    return c.json({ Status: 'OK', Message: parts.isSupervised ? RESTARTS : '' })
  })
  return app
}

/** The client that asked for the end shall still get its answer. */
function endAfterAnswer(
  outgoing: { once(event: 'close', listener: () => void): unknown } | undefined,
  shutdown: () => void,
): void {
  if (outgoing) outgoing.once('close', shutdown)
  else setImmediate(shutdown)
}
