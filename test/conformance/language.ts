import fc from 'fast-check'
import type { Test } from 'tap'
import { detectFormat } from '../../src/labels/detect/detect.ts'
import { answerQuestion, scanLabel } from '../../src/labels/languages/index.ts'
import { type Encoding, Findings, type Language } from '../../src/labels/languages/language.ts'
import type { Raster } from '../../src/labels/languages/raster.ts'
import { anyCharacter } from '../characters.ts'
import type { Interpret } from '../interpreters/languages.ts'
import { carrierLabel } from '../label-makers/carrier.ts'
import { toRaster } from '../label-makers/gray.ts'
import { rasters } from '../label-makers/random.ts'

/** An encoding for stock of the raster's own size, with nothing configured. */
export function plain(raster: Raster, more: Partial<Encoding> = {}): Encoding {
  return {
    widthDots: raster.width,
    heightDots: raster.height,
    dpi: 203,
    darkness: undefined,
    speed: undefined,
    z64: false,
    ...more,
  }
}

/** Every language of the list runs this with its pretended printer. */
export function conforms(t: Test, language: Language, interpret: Interpret): void {
  const print = (raster: Raster, more: Partial<Encoding> = {}) => {
    const encoding = plain(raster, more)
    const { widthDots: width, heightDots: height, dpi } = encoding
    return interpret(language.encode(raster, encoding), { width, height, dpi })
  }

  t.test('any raster comes back dot for dot, once', (t) => {
    fc.assert(
      fc.property(rasters({ width: 830, height: 60 }), fc.boolean(), (raster, z64) => {
        const [label, ...more] = print(raster, { z64 })
        return more.length === 0 && label?.copies === 1 && isSame(label.raster, raster)
      }),
      { numRuns: 150 },
    )
    t.end()
  })

  t.test('a whole carrier label comes back dot for dot at 203 and 300 dpi', (t) => {
    const size = { width: 1200, height: 1800 }
    for (const [dpi, gray] of [
      [203, carrierLabel()],
      [300, carrierLabel(size)],
    ] as const) {
      for (const z64 of [false, true]) {
        const raster = toRaster(gray)
        const [label] = print(raster, { dpi, z64 })
        t.ok(label && isSame(label.raster, raster), `${dpi} dpi, z64 ${z64}`)
      }
    }
    t.end()
  })

  t.test('a picture smaller than the stock lies at its top left', (t) => {
    const raster = { width: 9, height: 2, bits: Uint8Array.of(0xff, 0x80, 0x80, 0x00) }
    const [label] = print(raster, { widthDots: 80, heightDots: 40 })
    const wanted = new Uint8Array(400)
    wanted.set([0xff, 0x80], 0)
    wanted.set([0x80], 10)
    t.same([label?.raster.width, label?.raster.height], [80, 40])
    t.equal(Buffer.compare(label?.raster.bits ?? wanted.subarray(1), wanted), 0)
    t.end()
  })

  t.test('a blank picture prints one blank label', (t) => {
    const raster = { width: 100, height: 50, bits: new Uint8Array(13 * 50) }
    const [label, ...more] = print(raster)
    t.ok(label && isSame(label.raster, raster))
    t.same(more, [])
    t.end()
  })

  t.test('a black picture has no black beside it', (t) => {
    for (const width of [1, 7, 8, 9, 801]) {
      const stride = Math.ceil(width / 8)
      const bits = new Uint8Array(stride * 3).fill(255)
      for (let y = 0; y < 3; y++) bits[y * stride + stride - 1] = (0xff00 >> (width % 8 || 8)) & 255
      const [label] = print({ width, height: 3, bits })
      t.ok(label && isSame(label.raster, { width, height: 3, bits }), `${width} dots`)
    }
    t.end()
  })

  t.test('two jobs one after the other are two labels, each whole', (t) => {
    const raster = toRaster(carrierLabel({ width: 400, height: 600 }))
    const job = language.encode(raster, plain(raster))
    const printed = interpret(Buffer.concat([job, job]), { width: 400, height: 600, dpi: 203 })
    t.equal(printed.length, 2)
    t.ok(printed.every((label) => isSame(label.raster, raster)))
    t.end()
  })

  t.test('darkness and speed are left alone unless they are configured', (t) => {
    const raster = { width: 8, height: 1, bits: Uint8Array.of(0x55) }
    const untouched = Object.keys(print(raster)[0]?.settings ?? {})
    const set = (more: Partial<Encoding>) =>
      Object.keys(print(raster, more)[0]?.settings ?? {}).filter((key) => !untouched.includes(key))
    t.equal(set({ darkness: 50 }).length, 1)
    t.equal(set({ speed: 4 }).length, 1)
    t.end()
  })

  t.test('any darkness and speed stays within what the language allows', (t) => {
    const raster = { width: 8, height: 1, bits: Uint8Array.of(0x55) }
    for (const darkness of [0, 0.4, 1, 33, 50, 99, 100])
      t.equal(print(raster, { darkness }).length, 1)
    for (const speed of [0.5, 1, 2.5, 4, 6, 14]) t.equal(print(raster, { speed }).length, 1)
    t.end()
  })

  t.test('the job is a copy of its own, and the same each time', (t) => {
    const raster = toRaster(carrierLabel({ width: 400, height: 600 }))
    const before = raster.bits.slice()
    const first = language.encode(raster, plain(raster))
    const second = language.encode(raster, plain(raster))
    t.equal(Buffer.compare(first, second), 0)
    t.equal(Buffer.compare(raster.bits, before), 0)
    t.equal(first.byteLength, first.buffer.byteLength, 'nothing else hangs on its memory')
    t.end()
  })

  t.test('what it draws is known as its own, whole and harmless', (t) => {
    fc.assert(
      fc.property(rasters({ width: 830, height: 60 }), fc.boolean(), (raster, z64) => {
        const job = language.encode(raster, plain(raster, { z64, darkness: 50, speed: 4 }))
        const { commands, cut } = scanLabel(job, language.name)
        // Darkness and speed were asked for.
        const isHarmless = commands.every(({ isCommon }) => isCommon)
        const isWhole = cut === undefined && language.ending?.isMissing(job) !== true
        return detectFormat(job) === language.name && isHarmless && isWhole
      }),
    )
    t.end()
  })

  t.test('a label that ends inside its picture is seen to be cut', (t) => {
    const raster = toRaster(carrierLabel({ width: 400, height: 600 }))
    const job = language.encode(raster, plain(raster))
    const half = job.subarray(0, job.length / 2)
    const isOpen = language.ending?.isMissing(half) === true
    t.ok(isOpen || scanLabel(half, language.name).cut !== undefined)
    t.end()
  })

  t.test('the stock that a label says is that for which it was drawn', (t) => {
    const raster = toRaster(carrierLabel())
    const job = language.encode(raster, plain(raster))
    const text = Buffer.from(job).toString('latin1').split(language.stock.dots, 1)[0] ?? ''
    const { width, height } = language.stock.readSize(text, 203)
    t.ok(Math.abs((width ?? 4) - 4) < 0.05 && Math.abs((height ?? 6) - 6) < 0.05)
    t.equal(language.stock.readTracking(text), undefined, 'the printer knows its stock')
    t.end()
  })

  t.test('nothing that a label or an answer may hold makes it fail', async (t) => {
    const { scan, stock, status, signs, drawsText, ending, readTexts, lines, commands } = language
    const texts = fc.string({ unit: anyCharacter, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(texts, texts, async (text, answer) => {
        const bytes = Buffer.from(text, 'latin1')
        Array.from(scan(bytes, 0, new Findings()))
        Array.from(readTexts?.(bytes) ?? [])
        lines?.endOfData(bytes, 0)
        commands?.read().step(bytes, 0, { isOpen: false, isEnded: true })
        stock.readSize(text, 203)
        stock.readTracking(text)
        drawsText?.(text)
        ending?.isMissing(bytes)
        for (const sign of signs) sign.matches({ bytes, start: 0, head: text })
        const talk = () => Promise.resolve(answer)
        for (const ask of [status.ask, status.identify, status.measure, status.count]) {
          await ask?.(talk)
        }
      }),
    )
    t.equal(await status.ask(() => Promise.resolve('')), undefined, 'silence says nothing')
  })

  t.test('what programs ask its printers is known and answered in bytes', (t) => {
    const reasons = ['media-empty', 'cover-open', 'paused', 'other'] as const
    const facts = { makeAndModel: 'Ж "ZD420", 4×6', dpi: 203, reasons, waiting: 12_345 }
    for (const question of language.questions ?? []) {
      t.match(question.answer(facts), /^[\0-\xff]+$/, question.name)
      t.equal(answerQuestion(question, { ...facts, reasons: ['offline'] }), '', 'an absent one')
    }
    t.end()
  })

  t.test('it says of itself what people and printers call it', (t) => {
    t.match(language.name, /^[a-z0-9]+$/)
    t.equal(language.title, language.name.toUpperCase(), 'as the page writes it')
    t.match(language.mediaType, /^application\/\S+$/)
    const { beginnings } = language
    t.same(
      beginnings,
      beginnings.map((text) => text.trimStart().toUpperCase()),
    )
    for (const ending of language.fileEndings) t.match(ending, /^[a-z0-9]+$/)
    t.ok(language.makers.length > 0)
    t.ok(language.status.calibrate.length > 2)
    t.ok(language.commandSets.every((word) => word === word.toUpperCase()))
    t.end()
  })
}

function isSame(a: Raster, b: Raster): boolean {
  return a.width === b.width && a.height === b.height && Buffer.compare(a.bits, b.bits) === 0
}
