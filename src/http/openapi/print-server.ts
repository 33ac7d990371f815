import {
  countsOfPrinter,
  flag,
  json,
  list,
  type Operation,
  object,
  ok,
  orNull,
  ref,
  type Schema,
  text,
  whole,
} from './components.ts'
import { printFields } from './fields.ts'

const PRINT = 'Print'
const JOBS = 'Labels'
const PRINTERS = 'Printers'

const told = { Status: text(), Message: text(), texts: ref('Texts') }
const moved = object({ Status: text(), Message: text(), job: ref('Job') })
const saved = object({ Status: text(), Message: text(), printer: orNull(ref('Printer')) })
const added = object({
  Status: text(),
  Message: text(),
  printer: orNull(ref('Printer')),
  texts: ref('Texts'),
  default_printer: text('where labels that name no printer go; `""`: they are refused'),
})
const found = object({ Status: text(), Message: text(), found: list(ref('SeenPrinter')) })
const accepted = [
  { status: 200, about: 'All labels have ended.', schema: ref('PrintAnswer') },
  { status: 202, about: 'The labels are kept and will print.', schema: ref('PrintAnswer') },
] as const
const done = ok('Done.', ref('Done'))
const prefer = [
  {
    name: 'Prefer',
    about: '`wait=10`: seconds to wait for the paper; `respond-async`: none',
    schema: text(),
  },
  { name: 'Idempotency-Key', about: 'the same as the field `idempotency_key`', schema: text() },
] as const

/** Labels and printers. */
export function printServer(): readonly Operation[] {
  return [...printing(), ...dialogs(), ...jobs(), ...printers()]
}

function printing(): readonly Operation[] {
  const fields = printFields()
  const label = { description: 'a label as base64 (JSON, form) or a file (multipart)', ...text() }
  const body = { type: 'object', properties: { label, labels: list(text()), ...fields } }
  const form = { type: 'object', properties: { label: text('base64'), ...fields } }
  return [
    {
      method: 'post',
      path: '/',
      tag: PRINT,
      refusal: 'Refusal',
      summary: 'Print labels; those of one request are accepted together or not at all',
      query: Object.entries(fields).map(([name, schema]) => ({
        name,
        schema,
        about: 'the same as the field of the body',
      })),
      headers: prefer,
      body: {
        types: {
          'application/json': body,
          'application/x-www-form-urlencoded': form,
          'multipart/form-data': {
            type: 'object',
            properties: { label: { description: 'a file' }, ...fields },
          },
          'application/octet-stream': {
            description: 'a single label; the fields are in the query',
          },
        },
      },
      answers: [
        ...accepted,
        { status: 303, about: 'The labels are kept; `redirect_url` was asked for.' },
      ],
    },
    {
      method: 'post',
      path: '/labels/check',
      tag: PRINT,
      refusal: 'Refusal',
      summary: 'Check whether a file can be printed; nothing is kept',
      body: { types: { 'application/octet-stream': { description: 'the file' } } },
      answers: ok('It prints.', object({ Status: text(), Message: text(), format: text() })),
    },
    {
      method: 'post',
      path: '/packlist',
      tag: PRINT,
      refusal: 'SeedRefusal',
      summary: 'Print the pack list of an order',
      query: (['printer', 'idempotency_key'] as const).map((name) => ({
        name,
        schema: fields[name] ?? text(),
        about: 'as of `POST /`',
      })),
      headers: prefer,
      body: json({ type: 'object', description: 'An order; see docs/api.md.' }),
      answers: accepted.map((one) => ({
        ...one,
        schema: object({ Status: text(), Message: text() }),
      })),
    },
  ]
}

/** What they say is IPP, which OpenAPI has no words for. */
function dialogs(): readonly Operation[] {
  const ipp = { description: 'IPP (RFC 8010), with the document after the attributes' }
  const paths = {
    '/ipp/print': 'Print by IPP on the default printer',
    '/ipp/print/{printer}': 'Print by IPP',
    '/ipp/print/{printer}/{job}': 'Ask for a job by its own address',
  }
  const answers = [
    { status: 200, about: 'The answer in IPP.', type: 'application/ipp', schema: {} },
  ] as const
  return [
    ...Object.entries(paths).map(
      ([path, summary]): Operation => ({
        method: 'post',
        path,
        tag: PRINT,
        refusal: 'Refusal',
        summary,
        answers,
        body: { types: { 'application/ipp': ipp } },
      }),
    ),
    {
      method: 'get',
      path: '/ipp/{icon}',
      tag: PRINT,
      refusal: 'Refusal',
      summary: 'The icon of the printers in print dialogs',
      answers: [{ status: 200, about: 'A picture.', type: 'image/png', schema: {} }],
    },
  ]
}

const elsewhere = {
  printer: text('another printer'),
  box: text('the paired print server that it is at: `id` of `GET /peers`; with `move`'),
}
const anyway = flag('true: also when a paired print server may have it and does not answer')

function jobs(): readonly Operation[] {
  const attempts = whole('the `attempts` that the client saw: refused when they have changed')
  const move = (
    name: string,
    summary: string,
    properties: Readonly<Record<string, Schema>>,
    required: readonly string[] = [],
  ): Operation => ({
    method: 'post',
    path: `/jobs/{id}/${name}`,
    tag: JOBS,
    refusal: 'Refusal',
    summary,
    body: {
      ...json({ type: 'object', properties, ...(required.length > 0 && { required }) }),
      ...(required.length === 0 && { isOptional: true }),
    },
    answers: ok('The job after it.', moved),
  })
  return [
    {
      method: 'get',
      path: '/jobs',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'Labels, the newest first unless `order` says otherwise',
      query: [
        { name: 'state', about: 'states with commas; or `not-completed`, `ended`', schema: text() },
        { name: 'printer', about: 'labels for this printer', schema: text() },
        { name: 'title', about: 'labels whose title contains this', schema: text() },
        { name: 'order', about: '`newest` or `oldest` first', schema: text() },
        { name: 'limit', about: 'so many at most', schema: whole({ minimum: 1 }) },
        { name: 'before', about: 'the id of a job: those that came before it', schema: text() },
        { name: 'after', about: 'the id of a job: those that came after it', schema: text() },
      ],
      answers: ok('Labels.', list(ref('Job'))),
    },
    {
      method: 'get',
      path: '/jobs/{id}',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'One label',
      answers: ok('The job, and the states that it has been through.', ref('TracedJob')),
    },
    {
      method: 'get',
      path: '/jobs/counts',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'How many labels each printer has',
      answers: ok('Counts.', object({ not_completed: whole(), printers: list(countsOfPrinter) })),
    },
    {
      method: 'get',
      path: '/jobs/{id}/label',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'The first lines of a label',
      answers: ok('Text.', object({ format: text(), bytes: whole(), lines: list(text()) })),
    },
    {
      method: 'get',
      path: '/jobs/{id}/label.bin',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'A raw label as received, for a page that draws it',
      answers: [{ status: 200, about: 'Its bytes.', type: 'application/octet-stream', schema: {} }],
    },
    {
      method: 'get',
      path: '/jobs/{id}/preview.png',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'The picture of a label that was drawn here',
      answers: [{ status: 200, about: 'A picture.', type: 'image/png', schema: {} }],
    },
    {
      method: 'post',
      path: '/jobs/cancel',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'Cancel everything that waits for a printer',
      body: json(object({ printer: text(), last: text('the newest label to cancel') }, ['last'])),
      answers: ok('How many.', object({ ...told, canceled: whole(), remaining: whole() })),
    },
    {
      method: 'post',
      path: '/jobs/move',
      tag: JOBS,
      refusal: 'Refusal',
      summary: 'Move everything that waits for a printer to another one',
      body: json(
        object({ printer: text(), to: text(), box: text('of a paired print server') }, ['box']),
      ),
      answers: ok('How many.', object({ ...told, moved: whole(), remaining: whole() })),
    },
    move('cancel', 'Cancel a label', {}),
    move('release', 'Print a held label', { attempts, anyway }),
    move('reprint', 'Print a label again, or move it to another printer', {
      ...elsewhere,
      move: flag('true: only while it waits, so that it prints once'),
      after: text('the newest reprint that the client saw'),
    }),
    move('codes', 'Name a label without a name', { codes: list(text('of a bar code')) }),
    move('resolve', 'Say whether a label of unknown fate came out', { printed: flag(), attempts }, [
      'printed',
    ]),
  ]
}

function printers(): readonly Operation[] {
  const entry = json({ type: 'object', description: 'An entry of `printers` of the settings.' })
  const at = '/printers/{name}'
  return [
    {
      method: 'get',
      path: '/printers',
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'The printers and their status',
      answers: ok('Printers.', list(ref('Printer'))),
    },
    {
      method: 'post',
      path: '/printers',
      tag: PRINTERS,
      refusal: 'Refusal',
      security: 'admin',
      summary: 'Add a printer',
      body: entry,
      answers: [{ status: 201, about: 'It is added.', schema: added }],
    },
    {
      method: 'post',
      path: '/printers/check',
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Call the printer at an address, before it is added',
      security: 'admin',
      body: json(object({ uri: text() })),
      answers: ok(
        'Whether something answers; null where nothing was called.',
        object(
          {
            Status: text(),
            Message: text(),
            hint: text(),
            texts: ref('Texts'),
            answers: orNull(flag()),
          },
          ['texts'],
        ),
      ),
    },
    {
      method: 'put',
      path: at,
      tag: PRINTERS,
      refusal: 'Refusal',
      security: 'admin',
      summary: 'Change a printer',
      body: entry,
      answers: ok('The printer after it.', saved),
    },
    {
      method: 'delete',
      path: at,
      tag: PRINTERS,
      refusal: 'Refusal',
      security: 'admin',
      summary: 'Remove a printer',
      answers: done,
    },
    {
      method: 'get',
      path: '/printers/found',
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Printers that are visible but not added',
      answers: ok('What was seen.', found),
    },
    {
      method: 'post',
      path: '/printers/discover',
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Look for printers now',
      answers: ok('What was seen.', found),
    },
    {
      method: 'post',
      path: `${at}/pause`,
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Pause a printer: labels wait until it is resumed',
      answers: ok('The printer after it.', saved),
    },
    {
      method: 'post',
      path: `${at}/resume`,
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Resume a paused printer',
      answers: ok('The printer after it.', saved),
    },
    {
      method: 'post',
      path: `${at}/test`,
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Print a test label',
      headers: prefer.slice(0, 1),
      answers: accepted,
    },
    {
      method: 'post',
      path: `${at}/start-label`,
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Print the start label again (SD image)',
      answers: accepted,
    },
    {
      method: 'post',
      path: `${at}/calibrate`,
      tag: PRINTERS,
      refusal: 'Refusal',
      summary: 'Make the printer measure its labels',
      answers: done,
    },
  ]
}
