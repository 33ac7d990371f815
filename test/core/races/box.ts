import type { Job } from '../../../src/core/job.ts'
import { Backups } from '../../../src/plugins/peers/backup.ts'
import { Box, type BoxSettings } from '../../simulator/box.ts'

/** The settings of a box with rules. */
export interface RuledBoxSettings extends BoxSettings {
  /** The rule of a printer is about to move a job. */
  readonly onRule: (id: string) => void
}

/** A box whose printers may have rules: who takes their labels when they cannot print. */
export class RuledBox extends Box {
  readonly backups: Backups

  constructor(settings: RuledBoxSettings) {
    super(settings)
    const { printers, spool, intake } = this
    const { clock, onRule, fault } = settings
    const moveWaiting: typeof intake.moveWaiting = (from, to, rule) => {
      const only = (job: Job): boolean => {
        const isWanted = rule?.only?.(job) ?? true
        if (isWanted) onRule(job.id)
        return isWanted
      }
      return intake.moveWaiting(from, to, { ...rule, only })
    }
    this.backups = new Backups({
      printers,
      spool,
      fault,
      intake: { moveWaiting },
      warn: () => undefined,
      peers: () => Promise.reject(new Error('no other box')),
      // A second of the box's clock counts as a minute.
      now: () => clock.uptimeMs() * 60,
      signal: this.ended.signal,
    })
  }

  override start(): void {
    this.backups.start()
    super.start()
  }
}
