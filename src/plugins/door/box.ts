import type { Intake } from '../../core/intake/intake.ts'
import type { BodyBudget, BudgetShare } from '../../core/request/body-budget.ts'
import { ownerOfSocket } from '../../http/access/addresses.ts'
import type { PluginCore } from '../plugin.ts'
import { judgeDoorCaller } from './caller.ts'
import type { DoorBox } from './door.ts'

/** Makes the box as doors are given it. */
export function makeDoorBox(core: PluginCore): DoorBox {
  const { intake, bodies, printers, spool, scheduler, renderer, settings, ownNames } = core
  const { info, certificates, keys, log, fault } = core
  return {
    ...countBodies(intake, bodies),
    printers,
    spool,
    scheduler,
    renderer,
    config: () => settings.current,
    info,
    certificates,
    keys,
    log,
    fault,
    ownerOf: ownerOfSocket,
    callerOf: (headers) => judgeDoorCaller(headers, settings.current, ownNames),
  }
}

/** Makes the parts of a `DoorBox` that count the bytes its doors hold in memory. */
export function countBodies(
  intake: Pick<Intake, 'takeTogether' | 'forSource'>,
  bodies: BodyBudget,
): Pick<DoorBox, 'intake' | 'hold'> {
  const hold = (owner: string): BudgetShare => bodies.open(owner)
  return {
    hold,
    intake: {
      forSource: (...of) => intake.forSource(...of),
      async take(request, share) {
        if (share !== undefined) return await intake.takeTogether(request)
        using own = hold(request.network ?? request.source)
        await own.take(request.labels.reduce((sum, { length }) => sum + length, 0))
        return await intake.takeTogether(request)
      },
    },
  }
}
