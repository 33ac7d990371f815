import t from 'tap'
import { explainAws, isDenied } from '../../../src/plugins/sqs/answers.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, say } from '../../../src/words/say.ts'

/** An error of the SDK. */
function failed(name: string, status?: number, message = 'Why.'): Error {
  const metadata = status === undefined ? {} : { $metadata: { httpStatusCode: status } }
  return Object.assign(new Error(message), { name, ...metadata })
}

t.test('what the queue answers, as one sentence', (t) => {
  const place = { where: 'labels' }
  const [refused, away] = ['SOURCE_REFUSED', 'SOURCE_UNREACHABLE'] as const
  for (const [cause, code, message] of [
    [failed('CredentialsProviderError', 403), refused, inEnglish(say('noCredentials', place))],
    [
      failed('QueueDoesNotExist', 400),
      refused,
      inEnglish(say('noQueue', { ...place, region: 'eu' })),
    ],
    [
      failed('AWS.NonExistentQueue', 403),
      refused,
      inEnglish(say('noQueue', { ...place, region: 'eu' })),
    ],
    [failed('X', 401), refused, inEnglish(say('notLetIn', place))],
    [failed('X', 403), refused, inEnglish(say('notLetIn', place))],
    [failed('TimeoutError'), away, inEnglish(say('silent', { printer: 'labels' }))],
    [failed('AbortError', 400), away, inEnglish(say('silent', { printer: 'labels' }))],
    [failed('X'), away, inEnglish(say('isOffline', { printer: 'labels' }))],
    [failed('X', 500), away, inEnglish(say('cannotServe', place))],
    [failed('X', 429), away, inEnglish(say('cannotServe', place))],
    [failed('ThrottlingException', 400), away, inEnglish(say('cannotServe', place))],
    [failed('OverLimit', 400), away, inEnglish(say('cannotServe', place))],
    [failed('X', 499), refused, inEnglish(say('turnsAway', place))],
    [failed('X', 400), refused, inEnglish(say('turnsAway', place))],
    [failed('X', 402), refused, inEnglish(say('turnsAway', place))],
  ] as const) {
    t.match(explainAws('labels', 'eu', cause), { code, message, cause }, `${cause}`)
  }
  const long = explainAws('labels', 'eu', failed('X', 400, 'y'.repeat(300)))
  t.equal(long.detail, `X: ${'y'.repeat(200)}`)
  t.equal(explainAws('labels', 'eu', failed('X', 500)).detail, 'HTTP 500 X.')
  t.match(explainAws('labels', 'eu', failed('X', 403)).detail, /^X: these credentials need sqs:Rec/)
  const ours = new PlatenError('SOURCE_REFUSED', 'Ours.')
  t.equal(explainAws('labels', 'eu', ours), ours)
  for (const odd of [null, 7, {}, { httpStatusCode: '500' }])
    t.equal(
      explainAws('labels', 'eu', Object.assign(new Error('x'), { $metadata: odd })).code,
      away,
      JSON.stringify(odd),
    )
  t.end()
})

t.test('a call that is not allowed to somebody who is known', (t) => {
  const because = (cause: unknown) => new PlatenError('SOURCE_REFUSED', 'No.', { cause })
  t.ok(isDenied(because(failed('AccessDenied', 403))))
  t.ok(isDenied(because(failed('AccessDeniedException', 403))))
  for (const other of [
    because(failed('AccessDenied', 401)),
    because(failed('InvalidClientTokenId', 403)),
    because('AccessDenied'),
    failed('AccessDenied', 403),
    undefined,
  ])
    t.notOk(isDenied(other), `${other}`)
  t.end()
})
