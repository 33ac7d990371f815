import t from 'tap'
import { LabelFault } from '#labels'
import { callLabels, explainLabelFault, tellRemark } from '../../src/core/label-faults.ts'
import { toFailure } from '../../src/http/server-faults.ts'
import { REASONS, reason, refuseField, toFaultData } from '../../src/labels/fault.ts'
import { listForms } from '../../src/words/format.js'
import { ENGLISH, type SentenceKey } from '../../src/words/say.ts'
import { spoken } from '../words/spoken.ts'

t.test('each reason of the library has a sentence with the same values', (t) => {
  for (const [key, names] of Object.entries(REASONS)) {
    for (const text of listForms(ENGLISH[key as SentenceKey]).values()) {
      const places = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      t.same(places.sort(), [...names].sort(), key)
    }
  }
  t.end()
})

t.test('a fault becomes a failure with sentences, also behind a thread', (t) => {
  const fault = new LabelFault('LABEL_REFUSED', reason('isPictureKind', { kind: 'HEIC' }), {
    advice: [reason('saveAsPdf'), reason('iphoneFormats')],
    detail: 'Its 9 bytes begin with 00.',
  })
  t.match(fault, { message: 'isPictureKind (kind: HEIC)', name: 'LabelFault' })
  for (const given of [fault, structuredClone(toFaultData(fault))]) {
    t.match(spoken(explainLabelFault(given)), {
      code: 'LABEL_REFUSED',
      message: 'This is a HEIC picture, which is not printed here.',
      hint: 'Save or export it as PDF or PNG and send that. On an iPhone, choose Most Compatible in Settings, Camera, Formats.',
      detail: 'Its 9 bytes begin with 00.',
    })
  }
  t.end()
})

t.test('technical English stays as it is, with the hint of its code', (t) => {
  const fault = new LabelFault('PICTURE_BROKEN', 'The GIF has no block at byte 9.')
  const failure = explainLabelFault(fault)
  t.match(spoken(failure), { code: 'PICTURE_BROKEN', message: 'The GIF has no block at byte 9.' })
  t.equal(failure.ownHint, undefined)
  t.equal(spoken(tellRemark('As it is.')), 'As it is.')
  t.end()
})

t.test('a refused field repeats what was sent as all messages do', (t) => {
  t.match(
    spoken(explainLabelFault(refuseField('pages', `1\u2028${'9'.repeat(90)}`, 'pages as in 2'))),
    {
      code: 'FIELD_INVALID',
      message: `pages: got "1\\u2028${'9'.repeat(38)}…", wanted pages as in 2.`,
    },
  )
  t.end()
})

t.test('no fault of the library reaches a client as an error of the server', (t) => {
  const fault = new LabelFault('LABEL_EMPTY', reason('isEmpty'))
  const fail = (): never => {
    throw fault
  }
  t.throws(() => callLabels(fail), { name: 'PlatenError', code: 'LABEL_EMPTY' })
  t.match(toFailure(fault), { code: 'LABEL_EMPTY', status: 400, message: 'The label is empty.' })
  const own = new TypeError('ours')
  t.throws(
    () =>
      callLabels(() => {
        throw own
      }),
    own,
  )
  t.end()
})
