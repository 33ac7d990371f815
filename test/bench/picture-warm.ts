import { renderPicture } from '../../src/labels/render.ts'
import { makeTarget } from '../labels/make-target.ts'
import { atMost } from './once.ts'
import { ways } from './peers.js'
import { type Input, isPhoto, PHOTO_SHARE } from './picture-set.ts'
import { median } from './process.ts'
import { type Contenders, runInTurn, type Spent } from './rounds.ts'
import type { Row } from './row.ts'

/** The later half counts: V8 compiles on for a hundred runs. jimp takes 3 s for a photo. */
const BOUNDS = { rounds: atMost(150), eachMs: 2_500, atLeast: 4 }
const PEERS = ['sharp', 'jimp', 'zpl-image'] as const

/** Milliseconds, by name; the photo's goal is a share of what sharp takes in the same run. */
const GOALS: Readonly<Record<string, number>> = {
  'gray 812x1218 PNG': 3,
  '1-bit 812x1218 PNG': 2,
  'RGB 812x1218 JPEG': 12,
  'letter page 2550x3300 PNG': 50,
}

/** Picture to printer bytes in a process that has done it before, beside the packages of npm. */
export async function benchWarm(input: Input): Promise<readonly Row[]> {
  const { bytes, format, name } = input
  const target = makeTarget()
  const runs: Contenders = new Map<string, () => unknown>([
    ['ours', () => renderPicture(bytes, format, target)],
    ...PEERS.map((peer) => [peer, () => ways[peer](bytes, format)] as const),
  ])
  const spent = await runInTurn(runs, BOUNDS)
  const of = (who: string, which: keyof Spent): number => {
    const all = spent.get(who) ?? []
    return median(all.slice(all.length >> 1).map((one) => one[which]))
  }
  const row = (peer: string, unit: string, which: keyof Spent, goal?: number): Row => ({
    what: `${name}, warm, ${unit}`,
    ours: of('ours', which),
    peer: of(peer, which),
    peerName: peer,
    goal,
  })
  const photoGoal = isPhoto(input) ? of('sharp', 'ms') * PHOTO_SHARE : undefined
  const [sharp, ...others] = PEERS
  return [
    row(sharp, 'ms', 'ms', GOALS[name] ?? photoGoal),
    // What the machine does besides does not fall on this one.
    row(sharp, 'processor ms', 'processorMs'),
    ...others.map((peer) => row(peer, 'ms', 'ms')),
  ]
}
