import { languageNames } from '#labels'
import type { JobAction } from '../../core/job.ts'
import { FAILURES } from '../../words/failures.ts'
import {
  choice,
  flag,
  list,
  number,
  object,
  orNull,
  record,
  ref,
  type Schema,
  text,
  time,
  whole,
} from '../json-schema.ts'

const JOB_STATES = [
  'pending',
  'pending-held',
  'processing',
  'processing-stopped',
  'canceled',
  'aborted',
  'completed',
]

const verdict = {
  Status: choice(['OK', 'Error'], 'Error: at least one label needs a person'),
  Message: text('one sentence for a person'),
}

/** The parts that answers share. */
export function components(): Readonly<Record<string, Schema>> {
  return {
    TracedJob: object({ ...job(), history: list(step, 'oldest first') }),
    Job: object(job()),
    PrintedJob: object({
      ...job(),
      secret: text('lets the sender follow this job without a login'),
    }),
    PrintAnswer: object(
      {
        ...verdict,
        code: text(),
        hint: text('what to do'),
        texts: ref('Texts'),
        jobs: list(ref('PrintedJob')),
      },
      ['code', 'hint', 'texts'],
    ),
    Done: object({ Status: choice(['OK']), Message: text(), texts: ref('Texts') }, ['texts']),
    Texts: object({ message: said, hint: said }),
    Refusal: object(
      {
        Status: choice(['Error']),
        Message: text(),
        hint: text('what to do'),
        code: choice(Object.keys(FAILURES)),
        texts: ref('Texts'),
        plain: object({ message: text(), hint: text() }),
        detail: text('technical words'),
        faults: list({}, 'of settings: all faults at once'),
      },
      ['plain', 'detail', 'faults'],
    ),
    SeedRefusal: object({ Status: choice(['Error']), Message: text() }),
    Printer: object(printer()),
    SeenPrinter: object({
      name: text(),
      uri: text(),
      make_and_model: text(),
      language: orNull(text()),
      dpi: orNull(number()),
      guess: flag('perhaps no printer at all'),
      other: flag('it prints no labels'),
      hint: text(),
      texts: ref('Texts'),
    }),
    Session: object({
      Status: choice(['OK']),
      Message: text(),
      token: text(),
      admin: flag(),
      loginNeeded: flag(),
      labels: flag(),
      version: text(),
      startLabel: flag(),
      restarts: flag(),
      guesses: list({ type: 'object' }),
    }),
  }
}

/** For other languages; empty where a sentence has no key. */
const JOB_ACTIONS = [
  'resolve',
  'release',
  'reprint',
  'move',
  'cancel',
  'calibrate',
  'choose-language',
] as const satisfies readonly JobAction[]

const said = list(object({ key: text(), values: record({}) }), 'its sentences')

const step = object({ at: time(), state: choice(JOB_STATES), reasons: list(text()) })

function job(): Readonly<Record<string, Schema>> {
  const when = orNull(time())
  return {
    id: text(),
    printer: text(),
    title: text('what a person calls the label'),
    format: text(`${languageNames.join(', ')}, png, packlist, test …`),
    state: choice(JOB_STATES, 'IPP job-state'),
    reasons: list(text(), 'IPP job-state-reasons'),
    delivery: choice(['none', 'sent', 'confirmed', 'unknown'], 'what is known of the paper'),
    message: text(),
    hint: text(),
    texts: ref('Texts'),
    actions: list(choice(JOB_ACTIONS), 'what can be done about it now'),
    detail: text(),
    code: text(),
    source: text(),
    user: text('who printed it from a dialog, as their computer says'),
    created: when,
    started: when,
    ended: when,
    expires: when,
    bytes: whole(),
    sent_bytes: whole(),
    attempts: whole(),
    reprint_of: text('id of the job that it repeats'),
    has_label: flag(),
    has_preview: flag(),
  }
}

function printer(): Readonly<Record<string, Schema>> {
  const inches = orNull(number())
  return {
    name: text(),
    default: flag(),
    paused: flag(),
    uri: text(),
    make_and_model: text(),
    language: orNull(text()),
    dpi: number(),
    label_width: inches,
    label_height: inches,
    found: flag('set up automatically'),
    media: orNull(object({ label_width: inches, label_height: inches, tracking: orNull(text()) })),
    backup: orNull(
      object({
        printer: text('where its waiting labels go when it cannot print for so many minutes'),
        box: text('a paired print server; `""`: this one'),
        minutes: whole(),
        message: text('why they cannot go there; `""`: nothing is known'),
        texts: ref('Texts'),
      }),
    ),
    picture_seconds: orNull(number('how long a picture takes on a slow serial line')),
    state: choice(['idle', 'processing', 'stopped'], 'IPP printer-state'),
    state_reasons: list(text(), 'IPP printer-state-reasons'),
    message: text(),
    hint: text(),
    texts: ref('Texts'),
    actions: list(choice(['calibrate', 'choose-language']), 'what its sentences ask for'),
    detail: text('technical words'),
  }
}
