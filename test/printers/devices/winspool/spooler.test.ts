import koffi from 'koffi'
import t from 'tap'
import { SIGNATURES, STRUCTS } from '../../../../src/printers/devices/winspool/spooler.ts'

t.test('every function of winspool.drv is declared in words that the FFI library reads', (t) => {
  for (const [name, members] of Object.entries(STRUCTS)) koffi.struct(name, members)
  t.equal(koffi.sizeof('DOC_INFO_1W'), 24)
  for (const [name, signature] of Object.entries(SIGNATURES)) {
    const type = koffi.proto(signature)
    t.equal(type.primitive, 'Prototype', name)
    t.match(signature, new RegExp(`^(?:int|uint32_t) ${name}\\(`))
  }
  t.end()
})
