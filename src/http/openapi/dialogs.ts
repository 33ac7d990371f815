import type { Calls } from '../call.ts'
import { type AnswerDescription, object, ok, type Schema, text, whole } from '../json-schema.ts'

/** What they say is IPP, which OpenAPI has no words for. */
const IPP = {
  method: 'post',
  tag: 'Print',
  content: (): Readonly<Record<string, Schema>> => ({
    'application/ipp': { description: 'IPP (RFC 8010), with the document after the attributes' },
  }),
  answers: (): readonly AnswerDescription[] => [
    { status: 200, about: 'The answer in IPP.', type: 'application/ipp', schema: {} },
  ],
} as const

/** Print dialogs. */
export const dialogCalls = {
  printByIpp: { ...IPP, path: '/ipp/print', summary: 'Print by IPP on the default printer' },
  printByIppOn: { ...IPP, path: '/ipp/print/:printer', summary: 'Print by IPP' },
  askForIppJob: {
    ...IPP,
    path: '/ipp/print/:printer/:job',
    summary: 'Ask for a job by its own address',
  },
  countWaitingDialogJobs: {
    method: 'get',
    path: '/dialogs',
    tag: 'The print server',
    summary: 'How many jobs of print dialogs wait for their document',
    answers: () => ok('Their number.', object({ waiting: whole() })),
  },
  cancelWaitingDialogJobs: {
    method: 'post',
    path: '/dialogs/cancel',
    tag: 'The print server',
    summary: 'Cancel the jobs of print dialogs that wait for their document',
    answers: () =>
      ok(
        'How many were canceled, and how many wait since.',
        object({ Status: text(), canceled: whole(), waiting: whole() }),
      ),
  },
  getPrinterIcon: {
    method: 'get',
    path: '/ipp/:icon',
    tag: 'Print',
    summary: 'The icon of the printers in print dialogs',
    answers: () => [{ status: 200, about: 'A picture.', type: 'image/png', schema: {} }],
  },
} as const satisfies Calls
