import { counter, gauge, type Series } from '../../core/figures.ts'

/** The state of a source of labels, for the metrics. */
interface SourceFigures {
  readonly type: string
  /** The place that it pulls from. */
  readonly where: string
  readonly state: string
  /** Milliseconds since the epoch; 0 = never. */
  readonly contactAt: number
  /** Seconds that may pass between two contacts while all is well. */
  readonly quietSeconds: number
  /** Messages since the start whose labels were taken, and those that were set aside. */
  readonly taken: number
  readonly refused: number
  /** Messages that wait on the other side; undefined = unknown. */
  readonly waiting: number | undefined
}

/** Merges entries of the same place into one series: Prometheus accepts each figure once. */
function merge(sources: readonly SourceFigures[]): readonly SourceFigures[] {
  const places = new Map<string, SourceFigures>()
  for (const source of sources) {
    const place = JSON.stringify([source.type, source.where])
    const other = places.get(place)
    places.set(place, other === undefined ? source : add(other, source))
  }
  return [...places.values()]
}

/** Adds two entries of one place: the worse state of the two, and the newer contact. */
function add(one: SourceFigures, other: SourceFigures): SourceFigures {
  const states = [one.state, other.state]
  return {
    ...one,
    state: ['failing', 'waiting'].find((state) => states.includes(state)) ?? one.state,
    contactAt: Math.max(one.contactAt, other.contactAt),
    quietSeconds: Math.max(one.quietSeconds, other.quietSeconds),
    taken: one.taken + other.taken,
    refused: one.refused + other.refused,
    // Both look at the same messages.
    waiting: other.waiting ?? one.waiting,
  }
}

/** Collects the figures of the sources: contact, state, messages taken, messages waiting on the other side. */
export function collectSources(all: readonly SourceFigures[]): readonly Series[] {
  const sources = merge(all)
  const each = (read: (source: SourceFigures) => number | undefined, more: object = {}) =>
    sources.flatMap((source) => {
      const value = read(source)
      const labels = { source: source.type, where: source.where, ...more }
      return value === undefined ? [] : [{ labels, value }]
    })
  return [
    gauge(
      'platen_source_failing',
      '1 while a source does not reach its other side.',
      each(({ state }) => Number(state === 'failing')),
    ),
    gauge(
      'platen_source_waiting',
      '1 while a source pulls nothing because its printer or the spool cannot take labels.',
      each(({ state }) => Number(state === 'waiting')),
    ),
    gauge(
      'platen_source_last_contact_seconds',
      'When a source last reached its other side, in seconds since the epoch.',
      each(({ contactAt }) => (contactAt === 0 ? undefined : contactAt / 1_000)),
    ),
    gauge(
      'platen_source_quiet_seconds',
      'So long may a source that is well go without reaching its other side.',
      each(({ quietSeconds }) => quietSeconds),
    ),
    gauge(
      'platen_source_backlog_messages',
      'Messages that wait on the other side, where it tells.',
      each(({ waiting }) => waiting),
    ),
    counter('platen_source_messages_total', 'Messages since the start, by what became of them.', [
      ...each(({ taken }) => taken, { result: 'taken' }),
      ...each(({ refused }) => refused, { result: 'refused' }),
    ]),
  ]
}
