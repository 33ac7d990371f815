import { Hono, type MiddlewareHandler } from 'hono'
import type { RequestReceipt } from '../../core/intake/requests.ts'
import { answerAccepted } from '../../http/answer.ts'
import { type Calls, route } from '../../http/call.ts'
import { ACCEPTED } from '../../http/field-schemas.ts'
import type { AppParts, HttpEnv } from '../../http/parts.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import type { PluginRoutes, RunningPlugin } from '../plugin.ts'

/** The SD image, once the plugin was started. */
export interface RunningAppliance extends RunningPlugin {
  /**
   * Prints the start label again; undefined on other computers.
   * @throws PlatenError PRINTER_UNKNOWN, SPOOL_*
   */
  startLabel(printer: string): RequestReceipt | undefined
}

/** The start label of the SD image. */
export const applianceRoutes: PluginRoutes<RunningAppliance> = { create: createApplianceRoutes }

/** The call of the start label. */
export const applianceCalls = {
  printStartLabel: {
    method: 'post',
    path: '/printers/:name/start-label',
    tag: 'Printers',
    summary: 'Print the start label again (SD image)',
    answers: ACCEPTED,
  },
} as const satisfies Calls

function createApplianceRoutes(parts: AppParts, running: () => RunningAppliance): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, applianceCalls.printStartLabel, guardStartLabel(parts), (c) => {
    const accepted = running().startLabel(parts.printers.resolve(c.req.param('name')).name)
    if (accepted === undefined) throw new PlatenError('ROUTE_UNKNOWN', say('onlyImage'))
    return answerAccepted(c, parts, accepted)
  })
  return app
}

/**
 * Lets anybody at the page print the start label, which shows the PIN, on a printer that hangs on the box itself: whoever takes
 * that paper could take the card as well. A printer of the network may stand anywhere: only the admin's.
 */
function guardStartLabel({ access, printers }: AppParts): MiddlewareHandler {
  const [operate, admin] = [access.operate(), access.admin()]
  return (c, next) => {
    const { name } = printers.resolve(c.req.param('name'))
    return printers.isAttached(name) ? operate(c, next) : admin(c, next)
  }
}
