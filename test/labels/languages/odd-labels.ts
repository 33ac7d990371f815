import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { parseErrorReport, parseForm } from '../../../src/labels/languages/epl/index.ts'
import { languages, scanLabel } from '../../../src/labels/languages/index.ts'
import type { Language } from '../../../src/labels/languages/language.ts'
import { nameLabel } from '../../../src/labels/languages/names/index.ts'
import { parsePaperSize, parseStatusByte } from '../../../src/labels/languages/tspl/index.ts'
import {
  parseErrors,
  parseHostIdentity,
  parseHostStatus,
} from '../../../src/labels/languages/zpl/index.ts'
import { Splitter } from '../../../src/plugins/raw/split.ts'
import type { Piece } from '../../../src/plugins/raw/stream.ts'
import { cleanCarrierZpl } from '../../../src/plugins/shipping/print.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { eplLabel, fedexLikeZpl, tsplLabel, upsLikeZpl } from '../../label-makers/raw.ts'
import { detectFormat } from '../in-words.ts'
import { carrierLabels } from './names/carrier-labels.ts'

/** Most places of one label; of more bytes, every n-th is changed. */
const PLACES_MOST = 36
const SIGNS = ['^', '~', '\n', ',', '0', '"', 'A', '\x00']

const LABELS: readonly (Uint8Array | string)[] = [
  ...[upsLikeZpl, fedexLikeZpl, eplLabel, tsplLabel].map((one) => one.subarray(0, 1_200)),
  ...carrierLabels()
    .filter((_, nr) => nr % 7 === 0)
    .map(({ label }) => label),
  '^XA^MNY^LL1218^PW812^FO9,9^GFA,8,8,1,FF00FF00FF00FF00^FS^FO9,99^A0N,30^FDone^FS^PQ2^XZ',
  '^XA^DFR:X.ZPL^FN1^FS^XZ^XA^XFR:X.ZPL^FN1^FDtwo^FS^XZ~DGR:P.GRF,4,2,FFFFFFFF^XA^IDR:P.GRF^XZ',
  '^XA^CC+\n+FO1,1+A0N,20+FH\\+FDa\\5Eb+FS+CC^\n^FD^FS^JUS^XZ~JR^XA^MMT^FDx^FS^XZ',
  '~DYR:F.PNG,B,P,6,0,abcdef^XA^GB100,3,3^FS^BY2^BCN,90^FD>:1Z9^FS^SZ2^KPAB^XZ',
  '\nN\nq812\nQ1218,24\nA30,20,0,4,1,1,N,"SHIP TO"\nGW0,0,1,4,abcd\nB30,90,0,1,2,4,60,B,"123"\nP1\n',
  'FK"F"\nFS"F"\nV00,9,L,""\nA1,1,0,1,1,1,N,V00\nFE\nFR"F"\n?\nA\nP1,2\nUN\nEI\nJF\nZT\nOD\nGM"P"4\nabcd',
  'SIZE 4,6\r\nGAP 0.12,0\r\nCLS\r\nTEXT 9,9,"3",0,1,1,"Deliver to"\r\nBITMAP 0,0,1,4,0,abcd\r\nPRINT 1\r\n',
  'DOWNLOAD "A.BAS"\r\nPRINT 1\r\nEOP\r\nDOWNLOAD F,"P.PCX",4,abcdSELFTEST\r\n~!T\r\nSIZE 40 mm,30 mm\r\nPRINT 1,1\r\n',
  '\x1b%-12345X@PJL SET A=B\r\n@PJL ENTER LANGUAGE=ZPL\r\n^XA^FDx^FS^XZ',
  '<xpml><page quantity="0" pitch="50.8 mm"></xpml>SIZE 4,6\r\nCLS\r\nPRINT 1\r\n',
  '! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hello\r\nFORM\r\nPRINT\r\n',
  '%PDF-1.4\n1 0 obj',
  '<!DOCTYPE html><p>',
  'GET / HTTP/1.1\r\nHost: box\r\n\r\n',
  '~HS\r\n~HI^XA^HH^XZ',
]

const ANSWERS: readonly (readonly [parse: (answer: string) => unknown, ...answers: string[]])[] = [
  [
    parseHostStatus,
    '\x02030,1,1,1245,000,1,0,0,000,0,0,0\x03\r\n\x02001,1,1,1,1,2,6,1,00000001,1,000\x03\r\n\x021234,0\x03\r\n',
  ],
  [
    parseErrors,
    'PRINTER STATUS\r\n ERRORS: 1 00000000 00000005\r\n WARNINGS: 1 00000000 00000003\r\n',
  ],
  [parseHostIdentity, '\x02GX420d-200dpi,V56.17.5Z,8,2104KB\x03\r\n'],
  [parseForm, 'UKQ1935HMU FDX V4.42\r\nForm: q812 Q1218,24\r\nMedia: D\r\n'],
  [parseErrorReport, '\r\n00\r\n', '\r\n07P003\r\nL000\r\n'],
  [parsePaperSize, '812\r\n1218\r\n', '4.00,6.00\r\n'],
  [parseStatusByte, ...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))],
]

/** By number: a digest of what each label, and the same with a byte changed, is taken for; and answers of printers. */
export function digestOddLabels(): Readonly<Record<string, string>> {
  const labels = LABELS.map((label, nr) => {
    const hash = createHash('sha256')
    for (const one of changesOf(Buffer.from(label as string, 'latin1'))) hash.update(read(one))
    return [`label ${nr + 1}`, hash.digest('hex').slice(0, 16)] as const
  })
  const answers = ANSWERS.map(([parse, ...all]) => {
    const hash = createHash('sha256')
    for (const answer of all)
      for (const one of changesOf(Buffer.from(answer, 'latin1')))
        hash.update(JSON.stringify(parse(one.toString('latin1')) ?? null))
    return [parse.name, hash.digest('hex').slice(0, 16)] as const
  })
  return Object.fromEntries([...labels, ...answers])
}

function* changesOf(label: Buffer): Generator<Buffer> {
  yield label
  const every = Math.ceil(label.length / PLACES_MOST)
  for (let at = 0; at < label.length; at += every) {
    const before = label[at] as number
    for (const sign of SIGNS) {
      label[at] = sign.charCodeAt(0)
      yield label
    }
    label[at] = before
    yield label.subarray(0, at)
  }
}

function read(label: Buffer): string {
  const text = label.toString('latin1')
  const all: readonly Language[] = languages
  const looks = all.map((language) => [
    scanLabel(label, language.name),
    nameLabel(label, language.name),
    language.stock.readSize(text, 203),
    language.stock.readTracking(text),
    language.ending?.isMissing(label),
    language.drawsText?.(text),
  ])
  const cleaned = Buffer.from(cleanCarrierZpl(label)).toString('latin1')
  return JSON.stringify([detect(label), looks, cleaned === text ? '' : cleaned, split(label)])
}

function detect(label: Buffer): string {
  try {
    return detectFormat(label)
  } catch (error) {
    if (error instanceof PlatenError) return `${error.code} ${error.message} ${error.detail}`
    throw error
  }
}

/** Splits a label that comes as a stream in two pieces. */
function split(label: Buffer): readonly unknown[] {
  const splitter = new Splitter()
  const found: unknown[] = []
  const drain = (): void => {
    for (let piece = splitter.next(); piece !== undefined; piece = splitter.next())
      found.push(readPiece(piece))
  }
  splitter.push(Buffer.from(label.subarray(0, label.length >> 1)))
  drain()
  splitter.push(Buffer.from(label.subarray(label.length >> 1)))
  drain()
  splitter.end(true)
  drain()
  return found
}

function readPiece(piece: Piece): object {
  if ('bytes' in piece) return { ...piece, bytes: Buffer.from(piece.bytes).toString('latin1') }
  return piece.kind === 'question' ? { ...piece, question: piece.question.name } : piece
}
