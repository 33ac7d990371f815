import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { RequestFields } from '../request/request-fields.ts'

/** What handlers see of the server and leave for each other. */
export interface HttpEnv {
  /** Node's own request and answer; absent under `app.request()`. */
  Bindings: Partial<HttpBindings>
  Variables: {
    /** The fields of a print request while it can still be refused. */
    fields?: RequestFields | undefined
  }
}

/** The context of every handler here. */
export type HttpContext = Context<HttpEnv>
