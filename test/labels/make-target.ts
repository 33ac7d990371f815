import type { Target } from '../../src/labels/target.ts'

/** A printer with ordinary stock; what a test is about is given. */
export function makeTarget(more: Partial<Target> = {}): Target {
  return {
    language: 'zpl',
    dpi: 203,
    labelWidth: 4,
    labelHeight: 6,
    pictureDpi: undefined,
    startingPointX: 0,
    startingPointY: 0,
    rotate: 'auto',
    darkness: undefined,
    speed: undefined,
    z64: false,
    ...more,
  }
}
