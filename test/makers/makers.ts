import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsPDF } from 'jspdf'
import sharp from 'sharp'
import { openChromium } from '../web/chromium.ts'
import type { Document } from './documents.ts'

/** Debian's own, whose packages the makers are. */
export const PYTHON = '/usr/bin/python3'

/** Writes documents with a program that people's labels come from. */
type Maker = (documents: readonly Document[]) => Promise<void> | void

/** By name; real programs of Debian and npm, not their formats written by us. */
export const MAKERS: Readonly<Record<string, Maker>> = {
  cairo: (documents) => run(PYTHON, [join(import.meta.dirname, 'with_cairo.py')], documents),
  ReportLab: (documents) =>
    run(PYTHON, [join(import.meta.dirname, 'with_reportlab.py')], documents),
  FPDF: (documents) => run('php', [join(import.meta.dirname, 'with_fpdf.php')], documents),
  Ghostscript: async (documents) => {
    for (const document of documents) await distill(document)
  },
  jsPDF: (documents) => {
    for (const document of documents) writeWithJsPdf(document)
  },
  Chromium: printWithChromium,
}

function run(program: string, args: readonly string[], documents: readonly Document[]): void {
  execFileSync(program, args, { input: JSON.stringify(documents), stdio: ['pipe', 'pipe', 'pipe'] })
}

async function distill({ file, page, boxes, texts, pictures }: Document): Promise<void> {
  const [width, height] = page
  const images = await Promise.all(pictures.map(writeImage))
  const program = [
    '%!PS-Adobe-3.0',
    `<< /PageSize [${width} ${height}] >> setpagedevice`,
    `0 ${height} translate 1 -1 scale`,
    ...boxes.map((box) => `${box.join(' ')} rectfill`),
    ...texts.map(
      ([x, y, size, text]) =>
        `/Helvetica findfont [${size} 0 0 -${size} 0 0] makefont setfont ${x} ${y} moveto (${text}) show`,
    ),
    ...images,
    'showpage',
  ]
  const args = ['-q', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite', '-dAutoRotatePages=/None']
  execFileSync('gs', [...args, `-sOutputFile=${file}`, '-'], { input: program.join('\n') })
}

/** A picture of black and white as PostScript. */
async function writeImage([x, y, w, h, file]: Document['pictures'][number]): Promise<string> {
  const { data, info } = await sharp(file).grayscale().raw().toBuffer({ resolveWithObject: true })
  const rows = Array.from({ length: info.height }, (_, row) => {
    const line = data.subarray(row * info.width, (row + 1) * info.width)
    const bits = Array.from(line, (luma) => (luma < 128 ? '0' : '1')).join('')
    return (bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [])
      .map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0'))
      .join('')
  })
  return [
    `gsave ${x} ${y} translate ${w} ${h} scale /row ${Math.ceil(info.width / 8)} string def`,
    `${info.width} ${info.height} 1 [${info.width} 0 0 ${info.height} 0 0]`,
    '{ currentfile row readhexstring pop } image',
    ...rows,
    'grestore',
  ].join('\n')
}

function writeWithJsPdf({ file, page, boxes, texts, pictures }: Document): void {
  const [width, height] = page
  const pdf = new jsPDF({
    unit: 'pt',
    format: [width, height],
    orientation: width > height ? 'landscape' : 'portrait',
    putOnlyUsedFonts: true,
  })
  for (const [x, y, w, h] of boxes) pdf.rect(x, y, w, h, 'F')
  for (const [x, y, size, text] of texts) pdf.setFontSize(size).text(text, x, y)
  for (const [x, y, w, h, picture] of pictures)
    pdf.addImage(readFileSync(picture), 'PNG', x, y, w, h)
  writeFileSync(file, Buffer.from(pdf.output('arraybuffer')))
}

async function printWithChromium(documents: readonly Document[]): Promise<void> {
  const browser = await openChromium()
  try {
    const tab = await browser.newPage()
    for (const document of documents) {
      const [width, height] = document.page
      await tab.setContent(asHtml(document))
      await tab.pdf({ path: document.file, width: `${width / 72}in`, height: `${height / 72}in` })
    }
  } finally {
    await browser.close()
  }
}

function asHtml({ page: [width, height], boxes, texts, pictures }: Document): string {
  const shapes = [
    ...boxes.map(([x, y, w, h]) => `<rect x="${x}" y="${y}" width="${w}" height="${h}"/>`),
    ...texts.map(
      ([x, y, size, text]) =>
        `<text x="${x}" y="${y}" font-size="${size}" font-family="sans-serif">${text}</text>`,
    ),
    ...pictures.map(([x, y, w, h, file]) => {
      const data = readFileSync(file).toString('base64')
      return `<image x="${x}" y="${y}" width="${w}" height="${h}" preserveAspectRatio="none" style="image-rendering: pixelated" href="data:image/png;base64,${data}"/>`
    }),
  ]
  return `<style>@page { margin: 0 } body { margin: 0 } svg { display: block }</style><svg xmlns="http://www.w3.org/2000/svg" style="width: ${width}pt; height: ${height}pt" viewBox="0 0 ${width} ${height}">${shapes.join('')}</svg>`
}
