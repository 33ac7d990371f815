import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import { TAKEN_AT_ONCE } from '../spool/types.ts'

/**
 * Sums up the size of a request's labels while they are unpacked and split into pages. A small body may hold gigabytes, for which the
 * system would end the program before the spool can refuse them.
 */
export class Bulk {
  #bytes = 0

  /**
   * Counts a label as it will be kept.
   * @throws PlatenError BODY_TOO_LARGE
   */
  add({ length }: Uint8Array): void {
    this.#bytes += length
    if (this.#bytes <= TAKEN_AT_ONCE.bytes) return
    throw new PlatenError(
      'BODY_TOO_LARGE',
      `The labels of the request take more than ${TAKEN_AT_ONCE.bytes} bytes once they are unpacked.`,
      { hint: say('severalRequests') },
    )
  }
}
