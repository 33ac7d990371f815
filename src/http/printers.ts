import { Hono } from 'hono'
import { answerJson, judgeJobs, statusOf } from './answer.ts'
import type { HttpEnv } from './context.ts'
import { printerJson } from './json.ts'
import type { Limits } from './limits.ts'
import type { AppParts } from './parts.ts'
import { waitForJobs } from './wait.ts'

/** `GET /printers`, and the test label of one of them. */
export function createPrinterRoutes(parts: AppParts, limits: Limits): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/printers', parts.access.read(), (c) => c.json(parts.printers.list().map(printerJson)))
  app.post('/printers/:name/test', parts.access.operate(), async (c) => {
    const { name } = parts.printers.resolve(c.req.param('name'))
    const body = JSON.stringify({
      printer: name,
      host: parts.info().hostName,
      at: timeWords(new Date(parts.now?.() ?? Date.now())),
    })
    const { jobs } = parts.intake.acceptDocument({
      format: 'test',
      body: Buffer.from(body),
      options: { printer: name },
      source: 'test',
    })
    const settled = await waitForJobs(c, parts, jobs, limits.bounds.waitSeconds)
    const verdict = judgeJobs(settled, (printer) => parts.printers.get(printer))
    return c.json(answerJson(verdict, settled), statusOf(settled))
  })
  return app
}

/** Date and time of day where the box is, to the minute: who holds the label asks "is this the one from just now?". */
function timeWords(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}
