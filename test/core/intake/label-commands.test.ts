import t, { type Test } from 'tap'
import { scanLabel } from '#labels'
import { Intake } from '../../../src/core/intake/intake.ts'
import { type CommandPolicy, checkCommands } from '../../../src/core/intake/requests.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { quoteEnglish } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { PIXEL, zplLabel } from '../labels.ts'
import { NO_PDFS } from '../pdf-files.ts'

function open(t: Test, policy?: CommandPolicy): Bench {
  const bench = new Bench(t, {
    printers: [printer('A', 'file:a', 'epl'), printer('B', 'file:b', 'zpl')],
    defaultName: 'A',
  })
  const { spool, printers, scheduler } = bench
  const intake = new Intake({
    pdfs: NO_PDFS,
    spool,
    printers,
    scheduler,
    ...(policy && { commands: () => policy }),
  })
  return Object.assign(bench, { intake })
}

const saves = Buffer.from('^XA^JUS^XZ')
const locks = Buffer.from('^XA^KP1234^JUS^XZ')
const request = { labels: [saves], options: {}, source: 'http' }

t.test('prints a label that changes the printer, and says so from the beginning', (t) => {
  const [job] = open(t).intake.takeAlone({ ...request, labels: [locks] }).jobs
  t.match(spoken(job), {
    state: 'pending',
    message: /speaks EPL.* The label holds commands that change the printer itself\.$/,
    note: /^\^KP sets the password.* \^JUS saves settings into the printer's memory for good\.$/,
    reasons: ['platen-language-mismatch', 'platen-printer-command'],
  })
  t.end()
})

t.test('the sentence stays with the label that was printed, and with its reprint', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const [job] = bench.intake.takeAlone({ ...request, labels: [locks] }).jobs
  const ended = await bench.until(job?.id, 'completed')
  t.match(spoken(ended), {
    message: /holds commands/,
    note: /\^KP sets the password of the printer\./,
  })
  t.ok(ended.reasons.includes('job-completed-with-warnings'))
  t.ok(ended.reasons.includes('platen-printer-command'))
  t.match(spoken(bench.intake.reprint(ended.id)), { warning: /holds commands/, note: /\^KP/ })
})

t.test('what its sender had to leave out stays with a label, and is no command of it', (t) => {
  const warning =
    'Some letters of this label are not in Cp1252: a question mark is printed for each.'
  const { intake } = open(t)
  const [plain] = intake.takeAlone({
    ...request,
    labels: [zplLabel(1)],
    warning: quoteEnglish(warning),
  }).jobs
  t.match(spoken(plain), { warning, reasons: ['platen-language-mismatch'] })
  const [both] = intake.takeAlone({
    ...request,
    labels: [locks],
    warning: quoteEnglish(warning),
  }).jobs
  t.match(spoken(both), {
    warning: `${warning} The label holds commands that change the printer itself.`,
  })
  t.ok(both?.reasons.includes('platen-printer-command'))
  t.end()
})

t.test('refuses it before anything is taken, with number, command and place', (t) => {
  const { intake, spool } = open(t, 'refuse')
  const fine = zplLabel(1)
  t.throws(() => intake.takeAlone({ ...request, labels: [fine, locks] }), {
    code: 'LABEL_COMMAND',
    message: /^Label 2 of 2 cannot be taken\. The label would change the settings/,
    detail: 'It holds ^KP at byte 3, which sets the password of the printer.',
  })
  t.equal(spool.history.list({ limit: 9 }).length, 0)
  t.match(
    spoken(intake.takeAlone(request).jobs),
    [{ warning: '', note: /\^JUS/ }],
    'carriers send it too',
  )
  t.equal(spoken(intake.takeAlone({ ...request, labels: [PIXEL] }).jobs[0]?.warning), '')
  t.end()
})

t.test('tells what drivers send with every label once a printer and day', (t) => {
  const bench = new Bench(t, {
    printers: [printer('A', 'file:a', 'zpl'), printer('B', 'file:b', 'zpl')],
    defaultName: 'A',
  })
  const { spool, printers, scheduler } = bench
  let day = Date.UTC(2026, 0, 1, 12)
  const intake = new Intake({ pdfs: NO_PDFS, spool, printers, scheduler, now: () => day })
  const note = (name: string) =>
    intake.takeAlone({ ...request, options: { printer: name } }).jobs[0]?.note
  t.match(note('A'), /\^JUS/)
  t.equal(note('A'), '')
  t.match(note('B'), /\^JUS/)
  day += 24 * 3600 * 1000
  t.match(note('A'), /\^JUS/)
  t.end()
})

t.test('takes every command of real carrier labels under every policy', (t) => {
  // Counted in labels of UPS, FedEx, DHL, Amazon and others (the test labels of zebrash).
  const carriers = `~TA000~JSN^XA^LT0^MMT^MNW^MTT^PON^PMN^LH10,12^JMA^PR4,4^MD0~SD15^JUS^LRN^CI27^MFN,N^MCY^PW812^LL1218^LS0
    ^XB^CVN^XZ^XA~DGR:LOGO.GRF,2,1,FFFF^XZ^XA^FO1,1^XGR:LOGO.GRF,1,1^FS^FO1,1^A0N,30,30^FWN^FH^FDx_5Ey^FS^FT1,1^FVx^FS^FB400,2^FDx^FS
    ^FO1,1^GFA,2,2,1,FFFF^FS^GB10,10,2^FS^GD10,10,2^FS^BY2^BCN,90^FR^FDx^FS^BXN,5,200^FDx^FS^BD2^FDx^FS^B7N,5^FDx^FS^B3N^FDx^FS
    ^DNR:X.FNT,1,1,1,1,1,1,1,00^PQ1,0,1,Y^XZ`
  for (const policy of ['allow', 'warn', 'refuse'] as const) {
    const { intake } = open(t, policy)
    const label = Buffer.from(carriers.replaceAll(/\s+/g, ''))
    t.equal(intake.takeAlone({ ...request, labels: [label] }).jobs.length, 1, policy)
  }
  t.end()
})

t.test('asks nothing where everything is allowed', (t) => {
  const { intake } = open(t, 'allow')
  t.match(spoken(intake.takeAlone({ ...request, labels: [locks] }).jobs), [{ warning: '' }])
  t.end()
})

t.test('a source may have a policy of its own', async (t) => {
  const { intake } = open(t, 'allow')
  const message = { labels: [locks], options: {} }
  await t.rejects(intake.forSource('sqs', 'A', 'refuse').accept(message), { code: 'LABEL_COMMAND' })
  t.equal((await intake.forSource('sqs', 'A').accept(message)).jobs.length, 1)
  t.match(intake.takeAlone({ ...request, labels: [locks], commands: 'warn' }).jobs[0]?.note, /\^KP/)
})

t.test('a label that found no printer is looked at, too: a person prints it later', async (t) => {
  const { intake } = open(t, 'refuse')
  const nobody = new PlatenError('PRINTER_UNKNOWN', 'There is no printer C.')
  const message = { labels: [locks], options: { printer: 'C' } }
  const strict = intake.forSource('heartbeat')
  await t.rejects(strict.park(message, nobody), { code: 'LABEL_COMMAND' })
  const [held] = (await intake.forSource('heartbeat', undefined, 'warn').park(message, nobody)).jobs
  t.match(spoken(held), { state: 'pending-held', warning: /holds commands/, note: /\^KP/ })
  t.throws(() => intake.reprint(held?.id ?? '', 'A'), { code: 'PRINTER_LANGUAGE' }, 'not there')
  t.match(spoken(intake.reprint(held?.id ?? '', 'B')), {
    warning: /holds commands/,
    reasons: ['platen-printer-command'],
  })
})

t.test('what the commands do is told in words, of three of them', (t) => {
  const label = Buffer.from('^XA^FO1,1^JUS^XZ~JC^XA^KP1^ZZ^MPE^XZ')
  const findings = scanLabel(label, 'zpl').commands.map((one) => ({ ...one, isCommon: false }))
  t.equal(
    checkCommands(findings, 'warn').detail,
    "^JUS saves settings into the printer's memory for good. ~JC makes the printer calibrate and feeds labels. " +
      '^KP sets the password of the printer. 2 more commands of this kind stand in the label.',
  )
  t.equal(checkCommands([], 'warn').detail, '')
  t.end()
})
