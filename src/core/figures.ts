/** The computer's health; values that the system does not provide are undefined. Bytes and degrees Celsius. */
export interface BoxFigures {
  readonly temperature: number | undefined
  readonly isUndervolted: boolean | undefined
  readonly memoryAvailable: number | undefined
  readonly memoryTotal: number | undefined
  /** Error counts by device. */
  readonly fileSystemErrors: Readonly<Record<string, number>>
}

/** Collects the figures of the computer itself; an unknown one has no value. */
export function collectBox(box: BoxFigures | undefined): readonly Series[] {
  if (box === undefined) return []
  const undervoltage = box.isUndervolted === undefined ? undefined : Number(box.isUndervolted)
  return [
    gauge('platen_box_temperature_celsius', 'Temperature of the processor.', only(box.temperature)),
    gauge(
      'platen_box_undervoltage',
      '1 while the supply voltage is too low (Raspberry Pi).',
      only(undervoltage),
    ),
    gauge(
      'platen_box_memory_available_bytes',
      'Memory that programs can still get.',
      only(box.memoryAvailable),
    ),
    gauge('platen_box_memory_total_bytes', 'Memory of the computer.', only(box.memoryTotal)),
    gauge(
      'platen_box_file_system_errors',
      'Errors that ext4 met since the file system was made: a dying card counts up here.',
      Object.entries(box.fileSystemErrors).map(([device, value]) => ({
        labels: { device },
        value,
      })),
    ),
  ]
}

/** A named figure of `/metrics` with its values, for Prometheus' text format. */
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

/** Makes the only value of a figure without labels; none when it is not known. */
export function only(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }]
}

/** Names and values of a series' labels. */
type Labels = Readonly<Record<string, string>>

/** A value of a series. */
interface Sample {
  readonly labels: Labels
  readonly value: number
  /** The name of the metric if it differs from the series' name, as in histograms. */
  readonly metricName?: string
}

/** A counter with labels, as a plain map. */
export class Counts {
  readonly #samples = new Map<string, { labels: Labels; value: number }>()

  add(labels: Labels, value = 1): void {
    const key = JSON.stringify(labels)
    const sample = this.#samples.get(key)
    if (sample === undefined) this.#samples.set(key, { labels, value })
    else sample.value += value
  }

  samples(): readonly Sample[] {
    return [...this.#samples.values()]
  }
}

/** A histogram: how many values were at most as large as each bound. */
export class Histogram {
  readonly #name: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number }>()

  /** `bounds` ascend. */
  constructor(name: string, bounds: readonly number[]) {
    this.#name = name
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    const key = JSON.stringify(labels)
    const series = this.#series.get(key) ?? {
      labels,
      counts: new Array<number>(this.#bounds.length + 1).fill(0),
      sum: 0,
    }
    const found = this.#bounds.findIndex((bound) => value <= bound)
    const index = found === -1 ? this.#bounds.length : found
    series.counts[index] = (series.counts[index] ?? 0) + 1
    series.sum += value
    this.#series.set(key, series)
  }

  samples(): readonly Sample[] {
    return [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = counts.map((count, index) => {
        total += count
        const le = String(this.#bounds[index] ?? '+Inf')
        return { labels: { ...labels, le }, value: total, metricName: `${this.#name}_bucket` }
      })
      return [
        ...buckets,
        { labels, value: sum, metricName: `${this.#name}_sum` },
        { labels, value: total, metricName: `${this.#name}_count` },
      ]
    })
  }
}
