import t from 'tap'
import {
  explainVerdict,
  type JobSighting,
  type JobVerdict,
  judgeJob,
} from '../../../../src/printers/devices/cups/job.ts'
import { translateReasons } from '../../../../src/printers/devices/cups/queue.ts'

const NOON = 1_000_000 // seconds
const seen = (
  phase: JobSighting['phase'],
  startedAt?: number,
  more: Partial<JobSighting> = {},
) => ({
  phase,
  startedAt,
  at: NOON * 1_000,
  isNewLine: false,
  ...more,
})
const again = { isNewLine: true }
const waiting = seen('waiting')
const printing = seen('printing', NOON - 5)

t.test('a job in CUPS is judged by how it is and how it was', (t) => {
  const cases: readonly (readonly [string, JobSighting | undefined, JobSighting, JobVerdict])[] = [
    ['waits', undefined, waiting, 'follow'],
    ['prints', waiting, printing, 'follow'],
    ['goes on printing', printing, printing, 'follow'],
    ['is through', printing, seen('completed', NOON - 5), 'taken'],
    ['was through at the first look', undefined, seen('completed', NOON), 'taken'],
    ['failed, and will be repeated', undefined, seen('waiting', NOON), 'again'],
    ['goes back to waiting', printing, waiting, 'again'],
    ['was repeated', printing, seen('completed', NOON), 'again'],
    ['is repeated', printing, seen('printing', NOON), 'again'],
    ['waits, cupsd restarted', waiting, seen('waiting', undefined, again), 'follow'],
    ['prints, cupsd restarted', waiting, seen('printing', NOON + 1, again), 'again'],
    ['is through, cupsd restarted', waiting, seen('completed', NOON + 1, again), 'again'],
    ['began unseen, cupsd restarted', waiting, seen('printing', NOON - 5, again), 'again'],
    ['printed on', printing, seen('printing', NOON - 5, again), 'follow'],
    ['was through before the restart', printing, seen('completed', NOON - 5, again), 'taken'],
    [
      'may have been repeated within the second',
      seen('printing', NOON),
      seen('completed', NOON, again),
      'again',
    ],
    ['was canceled', printing, seen('canceled', NOON - 5), 'canceled'],
    ['was given up', printing, seen('aborted', NOON - 5), 'aborted'],
    ['is not known', printing, seen('gone'), 'gone'],
  ]
  for (const [title, before, now, verdict] of cases) t.equal(judgeJob(before, now), verdict, title)
  t.end()
})

t.test('every end that is not good has a sentence', (t) => {
  const bad = ['again', 'canceled', 'aborted', 'gone'] as const
  for (const verdict of bad) t.match(explainVerdict(verdict, '"Zebra"'), /queue "Zebra".*\.$/)
  for (const verdict of ['follow', 'taken'] as const)
    t.equal(explainVerdict(verdict, 'x'), undefined)
  t.end()
})

t.test('what CUPS says of a printer becomes our words', (t) => {
  t.same(translateReasons(['none', 'cups-missing-filter-warning']), [])
  t.same(
    translateReasons([
      'media-needed',
      'media-empty-error',
      'media-jam',
      'door-open-report',
      'marker-supply-empty',
      'connecting-to-device',
      'moving-to-paused',
    ]),
    ['media-empty', 'media-jam', 'cover-open', 'marker-supply-empty', 'offline', 'paused'],
  )
  t.end()
})
