import t from 'tap'
import { findNearest } from '../../src/printers/places.ts'

t.test('a slip of the finger finds the name that was meant', (t) => {
  const names = ['port', 'secure_port', 'printer', 'printers', 'password']
  t.equal(findNearest('prot', names), 'port')
  t.equal(findNearest('Printer', names), 'printer')
  t.equal(findNearest('pasword', names), 'password')
  t.equal(findNearest('securePort', names), 'secure_port')
  t.equal(findNearest('color', names), undefined)
  t.equal(findNearest('', names), undefined)
  t.equal(findNearest('x', []), undefined)
  t.equal(findNearest('p'.repeat(100_000), names), undefined)
  t.end()
})
