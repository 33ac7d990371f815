import { readFileSync } from 'node:fs'
import { convert, LabelFault } from '#labels'

try {
  const labels = await convert(readFileSync('docs/label.png'), { language: 'zpl' })
  for (const { bytes, notes } of labels)
    console.log(bytes.length, `${Buffer.from(bytes)}`.slice(0, 51), notes)
} catch (error) {
  if (error instanceof LabelFault) console.log(error.code, error.message, error.detail)
}
