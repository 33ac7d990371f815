import type { Context } from 'hono'
import type { Traces } from './origin.ts'

/** Reads what a browser tells about the cause of a request. */
export function readTraces(c: Context): Traces {
  return {
    method: c.req.method,
    origin: c.req.header('origin'),
    fetchSite: c.req.header('sec-fetch-site'),
    fetchMode: c.req.header('sec-fetch-mode'),
    fetchDest: c.req.header('sec-fetch-dest'),
    referer: c.req.header('referer'),
  }
}
