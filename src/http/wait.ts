import type { Job } from '../jobs/job.ts'
import type { HttpContext } from './context.ts'
import type { AppParts } from './parts.ts'
import { readWait } from './prefer.ts'

/**
 * The jobs as they are once all have ended, the client's patience has, or the client has gone: they go on all the
 * same. Never throws: after the commit no failure may make a client send its labels again.
 */
export async function waitForJobs(
  c: HttpContext,
  parts: Pick<AppParts, 'intake' | 'log' | 'stopping'>,
  jobs: readonly Job[],
  maxSeconds: number,
): Promise<readonly Job[]> {
  const { seconds, applied } = readWait(c.req.header('prefer'), maxSeconds)
  if (applied !== undefined) c.header('Preference-Applied', applied)
  if (seconds === 0) return jobs
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), seconds * 1_000)
  try {
    const ids = jobs.map((job) => job.id)
    const signal = AbortSignal.any([patience.signal, parts.stopping, c.req.raw.signal])
    return await parts.intake.ended(ids, signal)
  } catch (error) {
    parts.log.error({ err: error }, 'wait failed')
    return jobs
  } finally {
    clearTimeout(timer)
  }
}
