import t from 'tap'
import { findModel } from '../../../src/printers/known/identity.ts'

t.test('the names of drivers for Windows tell the language', (t) => {
  const languages = {
    'ZDesigner ZP 450-200 dpi (ZPL)': 'zpl',
    'ZDesigner ZP 450-200 dpi (EPL)': 'epl',
    'ZDesigner GK420d': 'zpl',
    'TSC TE200': 'tspl',
    'Rollo Printer': 'tspl',
    'MUNBYN ITPP941': 'tspl',
    'iDPRT SP410': 'tspl',
    'Xprinter XP-420B': 'tspl',
    'HPRT N41': 'tspl',
    '4BARCODE 4B-2054A': 'tspl',
    'HP LaserJet 400': undefined,
  }
  for (const [makeAndModel, language] of Object.entries(languages))
    t.equal(findModel({ make: '', model: makeAndModel }).language, language, makeAndModel)
  t.end()
})
