import { Hono } from 'hono'
import { PlatenError } from '../errors.ts'
import type { Updates } from '../system/updates.ts'
import type { Access } from './access/access.ts'
import type { HttpEnv } from './context.ts'

/** What these routes work with. */
export interface UpdateParts {
  readonly access: Pick<Access, 'admin'>
  readonly updates: Updates
  readonly version: string
}

/** `GET /update`, what became of the last one, and `POST /update`, which requests one. Both of the admin. */
export function createUpdateRoutes({ access, updates, version }: UpdateParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('/update', access.admin())
  app.get('/update', (c) => {
    const hindrance = updates.hindrance()
    return c.json({
      version,
      possible: hindrance === undefined,
      why_not: hindrance ?? '',
      last: updates.last(),
    })
  })
  app.post('/update', (c) => {
    const hindrance = updates.hindrance()
    if (hindrance !== undefined) throw new PlatenError('UPDATE_NONE', hindrance)
    try {
      updates.request()
    } catch (cause) {
      const message = 'The update request could not be saved.'
      throw new PlatenError('STATE_UNWRITABLE', message, { cause })
    }
    const Message =
      'The print server looks for a newer version and installs it when no label is being printed. This page comes back by itself.'
    return c.json({ Status: 'OK', Message }, 202)
  })
  return app
}
