import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Test } from 'tap'
import type { Config } from '../../src/config/schema.ts'
import type { Doors } from '../../src/doors/door.ts'
import { createAccess } from '../../src/http/access/access.ts'
import { createLimits } from '../../src/http/body-budget.ts'
import { createDoorNames, createDoorRoutes } from '../../src/http/doors.ts'
import type { AppParts, HttpEnv } from '../../src/http/parts.ts'
import { refusalJson, toFailure } from '../../src/http/server-faults.ts'
import { listen } from '../listen.ts'

/** The paths of the doors on an HTTP port of their own, with the access of the box; gives its address. */
export async function servePaths(t: Test, doors: Doors, config: () => Config): Promise<string> {
  const access = createAccess({ config, ownNames: () => [] })
  const limits = createLimits(() => config().max_body_mb)
  const app = new Hono<HttpEnv>()
  app.use('*', access.guard())
  const current = {
    get current() {
      return config()
    },
  }
  const parts = { access, limits, doors, config: current } as unknown as AppParts
  app.route('/', createDoorNames(parts))
  app.route('/', createDoorRoutes(parts))
  app.onError((error, c) => {
    const failure = toFailure(error)
    return c.json(refusalJson(failure), failure.status)
  })
  return `http://127.0.0.1:${await listen(t, createServer(getRequestListener(app.fetch)))}`
}
