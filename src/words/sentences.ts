import { REFUSED_SENTENCES } from './refused-sentences.ts'
import { SETUP_SENTENCES } from './setup-sentences.ts'

/** One text, or one for each English plural of the value `n`. */
export type Template = string | { readonly one: string; readonly other: string }

const PRINTING_SENTENCES = {
  // Printers, and the labels that wait for them
  busyWait: '{printer} is in use by somebody else; its labels are kept and print automatically.',
  silentWait: '{printer} does not answer; its labels are kept and print automatically.',
  cannotWait: '{printer} cannot print now; its labels are kept and print automatically.',
  busy: '{printer} is in use by somebody else.',
  silent: '{printer} does not answer.',
  cannot: '{printer} cannot print now.',
  labelKept: 'The label is kept and prints automatically.',
  kept: 'The label is kept.',
  noPrinter: 'The label has no printer.',
  printerGone: '{printer} is no longer in the settings.',
  isOpen: '{printer} is open.',
  isJammed: '{printer} has a jam.',
  isOutOfLabels: '{printer} is out of labels.',
  isOutOfRibbon: '{printer} is out of ribbon.',
  isPaused: '{printer} is paused.',
  isOffline: '{printer} cannot be reached.',
  takesNoData: '{printer} takes no data.',
  isNotReady: '{printer} reports that it is not ready.',
  keptAfterwards: 'Its labels are kept and print automatically afterwards.',
  keptUntilThen: 'Its labels are kept and print automatically when it does.',
  keptAlone: 'Its labels are kept and print automatically.',
  labelsKept: 'Its labels are kept.',
  labelsWait: 'Its labels wait.',
  goesOnAfterwards: 'The label continues automatically afterwards.',
  goesOnUntilThen: 'The label continues automatically when it does.',
  lostMidway: '{printer} lost its connection in the middle of a label.',
  othersGoOn: 'The other labels continue automatically.',
  cutMidway: '{printer} was cut off in the middle of a label.',
  waitForWord: 'Its labels wait until you say what became of that one.',
  diskWait: '{printer} waits because the print server cannot write to its disk.',
  diskGoesOn: 'Printing continues automatically when it can.',
  notConnected: '{printer} is not connected or switched off.',
  elsewhere: '{printer} is not at its address in the settings; one of its kind is now {place}.',
  whatLanguage: 'What language does {printer} speak?',
  untilSaid:
    'Until somebody says so, {languages} labels print as they are, and pictures are refused.',
  notAskedYet: 'It is not known yet whether {printer} is switched on and ready.',
  firstShows: 'Its labels are taken, and the first one shows it.',
  otherLength: '{printer} has labels of {has} inches, and the settings say {wanted} inches.',
  otherWidth: '{printer} prints {has} inches wide, and the settings say labels of {wanted} inches.',
  removedPrinter: 'This printer is no longer in the settings; its labels wait.',

  // What to do about a printer
  switchOn: 'Switch the printer on and check its cable.',
  waitOrMove: 'Wait, or choose another printer.',
  chooseOne: 'Press "Choose a printer…".',
  addOrMove: 'Add the printer again, or press "Print on another printer…".',
  addOrCancel: 'Add the printer again, or cancel its labels or print them on another printer.',
  closeCover: 'Close the cover until it clicks.',
  clearJam: 'Open the cover, take out the labels that are stuck, and close it.',
  loadRoll: 'Load a roll, then press the feed button.',
  newRibbon: 'Put in a new ribbon, then press the feed button.',
  pressPause: 'Press the pause button of the printer.',
  pressResume: 'Press "Resume" to print them.',
  checkPrinter: 'Check labels, ribbon, cover and the pause button.',
  lookAtCut:
    'Look at the printer, then press "It came out" or "Print again" at the label that was cut off.',
  restartCut:
    'Switch the printer off and on, then press "It came out" or "Print again" at the label that was cut off.',
  plugBack: 'Plug the cable back in where it was, or change the address in the settings.',
  chooseLanguage:
    'Choose its language: it is in the manual, or on the label that the printer makes when it is switched on with the feed button held.',
  rightRoll:
    'Put in the right roll, press "Calibrate" after another roll was put in, or correct the label size in the settings.',

  // What became of a label
  cutOff: 'The label was cut off while it printed.',
  mayBeOut: 'It may or may not have come out.',
  printedOnceMore: 'It is printed once more.',
  throwOneAway: 'If two labels come out, throw one away.',
  cutAndAgain:
    'It was cut off while it printed and was printed once more: two labels may have come out.',
  lookAtPrinter: 'Look at the printer, then press "It came out" or "Print again".',
  beforeMissing: {
    one: 'The label sent just before it may be missing too.',
    other: 'The {n} labels sent just before it may be missing too.',
  },
  notShown: 'The printer did not show that it took this label: look whether it came out.',
  stoppedMidway: 'The label was stopped while it printed.',
  partMayBeOut: 'A part of it may have come out.',
  restartStopped:
    'Switch the printer off and on, then cancel the label again, or press "It came out" or "Print again".',
  heldAtWish: 'The label was asked to wait until somebody releases it.',
  releaseIt: 'Press "Release and print" when it is wanted.',
  canceledMidway: 'Canceled while it printed.',
  lookForPart: 'Look at the printer: a part of the label may have come out.',
  labelVoid: 'The shipment of this label was voided, so the label is not valid.',
  buyAnother: 'Throw the label away if it came out. To send the parcel, buy a new one.',
  tooLate: 'The label could not print in time and was canceled.',
  sendAgain: 'Send it again if it is still wanted.',
  movedTo: 'Moved to {printer}.',
  backupTook: {
    one: '{printer} could not print for {n} minute, so this label went to {to}.',
    other: '{printer} could not print for {n} minutes, so this label went to {to}.',
  },
  backupNobody: 'No printer is named {printer}, so no labels can go there.',
  backupSame: '{printer} and its backup {to} are one printer.',
  stationHadIt:
    'Another print server received this label before and may have printed it: look there first.',
  restored: 'The label was restored from a backup.',
  perhapsPrinted: 'The print server that made it may have printed it already.',
  lookWhetherThere: 'Look whether the label is there, then press "It came out" or "Print again".',
  labelLost: 'The label was lost when the disk of the print server was damaged.',
  unreadable: 'The label can no longer be read from the disk of the print server.',
  sendAndCheck: 'Send the label again, and check the disk.',
  sendOnce: 'Send the label again.',
  waitsFor: 'The label waits for {printer}.',
  waitsForWord: 'The label waits for somebody to say whether it came out.',
  isHeld: 'The label is held until somebody decides about it.',
  printsNow: 'The label is being printed on {printer}.',
  saidOut: 'Somebody said that the label came out on {printer}.',
  isPrinted: 'The label has been printed on {printer}.',
  isCanceled: 'The label was canceled.',
  notPrinted: 'The label could not be printed on {printer}.',
  pressReprint: 'Press "Reprint" if you want another copy.',
  reprintIfWanted: 'Press "Reprint" if it is still wanted.',
  decide: 'Look at the label again, then decide.',
  nothingToDo: 'There is nothing to do.',
  reprintedOn: 'The label was printed again on {printer} just before.',
  pressOnceMore: 'Press the button once more if you want one more copy.',
  firstSay: 'First say whether it came out, or cancel it.',
  labelGone: 'This label is no longer kept.',
  noSuchLabel: 'There is no such label here, or it is no longer in the list.',
  alreadyPrinted: 'Already printed at {time} on {printer}.',
  wasPrinted: '"{name}" was already printed at {time} on {printer}.',
  sameWaits: 'The same label was taken at {time} and still waits for {printer}.',
  takenWaits: '"{name}" was taken at {time} and still waits for {printer}.',

  // A label that cannot print, or not well
  languageUnknown: 'The language of {printer} is not known, so the label could not be drawn.',
  chooseAndRelease:
    'Choose the language of {printer} among the printers, then press "Release and print".',
  pictureDamaged: 'The picture of this label is damaged and could not be drawn.',
  pictureKind: 'The picture of this label is of a kind that cannot be drawn.',
  pictureTooLarge: 'The picture of this label is too large.',
  pictureTooSlow: 'The picture of this label took too long to draw.',
  drawingFault: 'The label could not be drawn: a fault of the print server.',
  crashedTwice:
    'The print server failed twice while it drew this label ({format}), so it was set aside.',
  askZplOrRetry: 'Ask for the label as ZPL, or press "Release and print" to try once more.',
  sentNoLabel:
    'Somebody sent something through {source} that is not a label, so it cannot be printed.',
  sentCrash:
    'The print server stopped twice while it looked at a label from {source}, so this one is set aside.',
  manyPdfs: 'Many PDFs are being read at this moment.',
  manyPacked: 'Many packed labels are being unpacked at this moment.',
  faultHere: 'The print server could not read this label: a fault of the print server.',
  sentUnread:
    'The print server could not read a label from {source}: a fault of the print server. The label is set aside.',
  sentCut: 'The end of a label from {source} is missing, so it was not printed.',
  sentKind: 'Somebody sent a kind of file through {source} that cannot be printed.',
  sentFault: 'Somebody sent a label with a fault through {source}, so it cannot be printed.',
  tellSender: 'Nothing is lost: tell whoever sends labels through {source}.',
  thenCancel: 'Then cancel this one.',
  namesNone: 'A label from {source} found no printer: it names none.',
  namesUnknown: 'A label from {source} found no printer: none here is named "{name}".',
  chooseOrAdd: 'Press "Choose a printer…"; if there is none yet, add one first.',
  pressOther: 'Press "Print on another printer…".',
  orAddNamed: 'Or add a printer named "{name}", then press "Release and print".',
  notALabel: 'This message is not a label and cannot be printed.',
  nothingToPrint: 'This message is not a label; there is nothing to print.',
  cancelAndTell: 'Cancel it, and tell whoever sent it.',
  endMissing: 'The end of the label is missing; it cannot print.',
  endCut: 'The end of this label is missing: it stops in the middle of a picture or a file.',
  endCutWhy:
    'It was not printed, because the printer would take the next labels for the missing part.',
  looksLikePaper:
    'Page {page} of this PDF looks like a document, not a label: it is larger than the label and has no bar code.',
  printOnPaper: 'Print it on paper, or press "Release and print" to print it small on a label.',
  barFont:
    'Page {page} of this PDF uses the bar code font {font} without bringing it: letters would print in place of the bar code.',
  symbolFont:
    'Page {page} of this PDF uses the symbol font {font} without bringing it: other signs would print in place of its symbols.',
  pdfDoubtful: 'Page {page} of this PDF may be damaged: a part of it may be missing or wrong.',
  pdfMayBeCut: 'Page {page} of this PDF may be incomplete: look whether all of it came out.',
  orRelease: 'Or press "Release and print" to print it as it is.',
  pageLeftOut: 'Page {page} is blank and was left out.',
  pagesLeftOut: 'Pages {pages} and {last} are blank and were left out.',
  looksLikeSheet:
    'Page {page} of this PDF is a sheet of {count} labels of {size} inches, but the labels of this printer are {label} inches.',
  sheetToOther:
    'Print it on a printer with labels of that size, or ask for a PDF with one label on each page.',
  tooSmall:
    'Page {page} of this PDF is much larger than the label of {label} inches: it would print at {percent} %, too small to read.',
  printSmall:
    'Ask for the label at the size of the printer, or press "Release and print" to print it small.',
  pageReduced:
    'Page {page} of the PDF is larger than the label and was printed at {percent} %: bar codes may not scan.',
  askForSize: 'Ask for the label at {label} inches, or print one half of the page (field "area").',
  pageCut:
    'Page {page} of the PDF is {size} inches at its own size, larger than the label of {label} inches: what extends beyond it was cut off.',
  pictureCut:
    'The picture is {size} inches at its own size, larger than the label of {label} inches: what extends beyond it was cut off.',
  pageUnits:
    'Page {page} of the PDF says that it is {size} inches large; it was printed as a label of {label} inches, which has its shape.',
  pageTiny:
    'Page {page} of the PDF is only {size} inches large and was printed at that size on a label of {label} inches.',
  pictureTiny:
    'The picture was printed only {size} inches large on a label of {label} inches, as its resolution says.',
  pictureReduced:
    'The picture was reduced to {percent} % of its size to fit the label: small print may not be readable.',
  blankPicture: 'Nothing of the picture is dark enough to print: the label is blank.',
  palePart:
    'Something on the label is too pale to print and was left out. If it matters, ask for the label in darker colors.',
  lengthMeasured:
    'The label is {is} in long, but {printer} says that its labels are {has} in long: look whether it came out whole.',
  lengthSet:
    'The label is {is} in long, but the settings of {printer} say that its labels are {has} in long: look whether it came out whole.',
  otherRoll: 'After another roll was put in, press "Calibrate".',
  ifOut: 'If it did, correct the size in the settings.',
  widthMeasured:
    'The label is {is} in wide, but {printer} prints only {has} in: its right edge may be missing.',
  widthSet:
    'The label is {is} in wide, but the settings of {printer} say that its labels are {has} in wide: its right edge may be missing.',
  madeForFewerDots:
    'This label was made for {is} dpi, but {printer} has {has} dpi: it comes out too small.',
  madeForMoreDots:
    'This label was made for {is} dpi, but {printer} has {has} dpi: it comes out too large, and a part of it is missing.',
  askForDots: 'Ask the sender for a label for {has} dpi.',
  picturesOnly:
    '{printer} prints pictures only: the text and bar codes of this label may be missing.',
  sendPng: 'Send it as PNG.',
  openEnd:
    'The label has no {command} at its end: the printer waits for the rest, and may print it together with the next label.',
  pictureNeedsLanguage: 'A picture cannot be printed on {printer} while its language is not known.',

  // Requests of the page
  pressLogin: 'Log in to do this.',
  wrongLogin: 'The user name or the password is wrong.',
  manyGuesses: 'Many wrong passwords come from several addresses, so new logins must wait.',
  noneKnown: 'No printer is known to this print server yet.',
  serverFault: 'The print server made a mistake.',
  serverStops: 'The print server is stopping.',
  noneWaiting: 'No label was waiting.',
  canceledCount: { one: '{n} label is canceled.', other: '{n} labels are canceled.' },
  stillThere: {
    one: '{n} is being printed or came in meanwhile.',
    other: '{n} are being printed or came in meanwhile.',
  },
  noneMoved: 'No label was moved.',
  movedCount: {
    one: '{n} label is moved to {printer}.',
    other: '{n} labels are moved to {printer}.',
  },
  otherLanguage: {
    one: '{n} label is in a language that {printer} does not print.',
    other: '{n} labels are in a language that {printer} does not print.',
  },
  notMoved: {
    one: '{n} is being printed, held, or came in meanwhile.',
    other: '{n} are being printed, held, or came in meanwhile.',
  },
  calibrating: 'Calibrating {printer}: it feeds a few labels.',
} as const satisfies Record<string, Template>

/**
 * What the print server says to people of labels and printers, in English: the one place where each sentence is. `say` writes
 * one; `readSentences` finds key and values again, so that a page says it in another language (`web/texts/*-server.js`). One
 * row is one sentence, ends with a full stop and is followed by others after a blank. A text with forms is chosen by `n`.
 */
export const SENTENCES = merge(PRINTING_SENTENCES, REFUSED_SENTENCES, SETUP_SENTENCES)

/** Without a prototype: V8 takes hundreds of keys into such an object at once, and into others one shape after the other. */
function merge<A extends object, B extends object, C extends object>(a: A, b: B, c: C): A & B & C {
  return Object.assign(Object.create(null), a, b, c)
}

/** Names a sentence for programs and for the other languages of the page. */
export type SentenceKey = keyof typeof SENTENCES

type Places<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never
type Texts<T> = T extends { readonly other: infer Other } ? Other : T
type Values<K extends SentenceKey> = Readonly<
  Record<Places<Texts<(typeof SENTENCES)[K]>>, string | number>
>

/** A sentence as data, for English and for other languages. */
export type Sentence = {
  readonly [K in SentenceKey]: { readonly key: K; readonly values: Values<K> }
}[SentenceKey]

/** Sentences in English, as one text. */
export function sayAll(sentences: readonly Sentence[]): string {
  return sentences.map(({ key, values }) => fill(SENTENCES[key], values)).join(' ')
}

/** One sentence in English. */
export function say<K extends SentenceKey>(
  key: K,
  ...[values]: Places<Texts<(typeof SENTENCES)[K]>> extends never ? [] : [Values<K>]
): string {
  return fill(SENTENCES[key], values ?? {})
}

function fill(found: Template, given: Readonly<Record<string, string | number>>): string {
  const text = typeof found === 'string' ? found : given['n'] === 1 ? found.one : found.other
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name] ?? ''))
}
