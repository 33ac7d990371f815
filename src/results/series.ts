import type { Sample } from './counts.ts'

/** One named figure of `/metrics` with its values, as Prometheus' text format wants it. */
export interface Series {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly Sample[]
}

/** A figure that goes up and down. */
export function gauge(name: string, help: string, values: readonly Sample[]): Series {
  return { name, help, type: 'gauge', values }
}

/** A figure that only grows until the next start. */
export function counter(name: string, help: string, values: readonly Sample[]): Series {
  return { name, help, type: 'counter', values }
}

/** The only value of a figure without labels; none when it is not known. */
export function only(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }]
}
