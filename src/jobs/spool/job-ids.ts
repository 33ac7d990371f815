import { randomInt } from 'node:crypto'

// No 0, 1, i, l, o: an id may be read out over the phone.
const EPOCH_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const ID = /^[a-z2-9]{4}-(\d{1,15})$/

/** Four letters that all ids of one spool begin with, so that those of a new spool never meet old ones. */
export function makeEpoch(): string {
  return Array.from({ length: 4 }, () => EPOCH_LETTERS[randomInt(EPOCH_LETTERS.length)]).join('')
}

/** The id of the job that was accepted as the `seq`-th. */
export function makeId(epoch: string, seq: number): string {
  return `${epoch}-${seq}`
}

/** The number in an id, or undefined when it is none. */
export function seqOf(id: string): number | undefined {
  const found = ID.exec(id)?.[1]
  return found === undefined ? undefined : Number(found)
}
