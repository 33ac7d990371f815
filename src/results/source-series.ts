import { counter, gauge, type Series } from './series.ts'

/** How a source of labels is doing, as the metrics tell it. */
export interface SourceFigures {
  readonly type: string
  /** What it pulls from. */
  readonly where: string
  readonly state: string
  /** Milliseconds since the epoch; 0 = never. */
  readonly contactAt: number
  /** Messages since the start whose labels were taken, and that were set aside. */
  readonly taken: number
  readonly refused: number
  /** Messages that wait on the other side; undefined = not known. */
  readonly waiting: number | undefined
}

/** The figures of the sources: contact, state, how much came, how much still waits there. */
export function collectSources(sources: readonly SourceFigures[]): readonly Series[] {
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
