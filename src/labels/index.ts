// The whole interface of the library. What costs memory is loaded by the functions that need it; the entries of the thread
// and the process are in README.md.
import type { PackList } from './documents/pack-list/check.ts'

export {
  checkHeader,
  checkPicture,
  decoders,
  findDecoder,
  isPicture,
  type PictureFormat,
  pictureFormats,
  png,
} from './codecs/index.ts'
export type { PdfDoubt } from './codecs/pdf/whole.ts'
export { type ConvertWish, convert } from './convert.ts'
export { holdsLabel } from './detect/answers.ts'
export {
  detectFormat,
  formatTitles,
  type LabelFormat,
  splitDocuments,
  type UnpackedLabel,
  unpackInSteps,
  unpackLabel,
} from './detect/detect.ts'
export type { Mark, TextStyle } from './documents/drawing/canvas.ts'
export type { MarkColumn } from './documents/drawing/column.ts'
export type { Font } from './documents/font/font.ts'
export type { StartLabel } from './documents/start-label.ts'
export {
  type FaultData,
  LabelFault,
  type LabelFaultCode,
  type Reason,
  type Remark,
} from './fault.ts'
export { isBlank, isLineEnd, latin1, SCANNED_A_TURN } from './languages/bytes.ts'
export { findOtherDpi, type RawExtent, type StockInches } from './languages/dots.ts'
export {
  answerQuestion,
  beginsLabel,
  findLanguage,
  findQuestion,
  isLanguage,
  isLanguageType,
  type LabelScan,
  type LanguageName,
  languageNames,
  languages,
  listWords,
  portQuestions,
  scanInSteps,
  scanLabel,
  titledLanguages,
} from './languages/index.ts'
export {
  type Finding,
  type LabelInches,
  realDpi,
  type TruncatedCommand,
} from './languages/language.ts'
export { nameCodes, nameLabel } from './languages/names/index.ts'
export type { AnswerFacts, FoundQuestion, PortQuestion } from './languages/questions.ts'
export { joinParts, type Raster, rowBytes } from './languages/raster.ts'
export type {
  Media,
  PrinterDetails,
  PrinterReading,
  PrinterReason,
  StatusLanguage,
  Talk,
  Tracking,
} from './languages/status.ts'
export type { CommandReader, StreamCommands, StreamLines } from './languages/stream.ts'
export { keyOf, walkZpl, type ZplPart } from './languages/zpl/data.ts'
export { ZPL_COMMANDS } from './languages/zpl/scan.ts'
export type {
  DrawnPage,
  Misfit,
  Paper,
  PdfAnswer,
  PdfLabel,
  PdfQuestion,
} from './pages/look.ts'
export {
  type Area,
  encodePng,
  listPages,
  measureStock,
  type RenderedLabel,
  type Rotate,
  readCell,
  type Target,
} from './target.ts'
export type { FormatToRender, RenderReply, RenderRequest } from './worker.ts'

/**
 * The order data of a pack list, checked.
 * Decision `loaded-late-entries`.
 * @throws LabelFault PACKLIST_INVALID, which names every wrong field
 */
export async function checkPackList(data: unknown): Promise<PackList> {
  const { checkPackList } = await import('./documents/pack-list/check.ts')
  return checkPackList(data)
}

/** Module that draws a program's own documents: fonts, text, lines, bar codes, as dots or as ZPL. */
export type DrawingModule = typeof import('./documents/drawing/index.ts')

/** Loads it: its fonts are large. */
export async function loadDrawing(): Promise<DrawingModule> {
  return await import('./documents/drawing/index.ts')
}
