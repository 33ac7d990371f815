/** A ZPL label that bears its mark, of so many bytes. */
export function makeLabel(mark: string, bytes: number): string {
  const head = `^XA^FX${mark}^FS`
  return `${head}${'.'.repeat(Math.max(0, bytes - head.length - 4))}^XZ\n`
}

/** The mark of a label that `makeLabel` made; '' when it has none. */
export function markOf(label: string): string {
  return /\^XA\^FX(.*?)\^FS/.exec(label)?.[1] ?? ''
}

/** The mark of a label that is sent now: its receiver can tell how long it took. */
export function timeMark(): string {
  return `@${performance.timeOrigin + performance.now()}`
}

/** Milliseconds since a label with this mark was sent; undefined when the mark is not a time. */
export function ageOf(mark: string): number | undefined {
  if (!mark.startsWith('@')) return undefined
  return performance.timeOrigin + performance.now() - Number(mark.slice(1))
}
