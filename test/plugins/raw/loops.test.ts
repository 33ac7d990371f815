import t from 'tap'
import { Printers } from '../../../src/core/printers/registry.ts'
import { doorPlugin } from '../../../src/plugins/door/index.ts'
import type { Whereabouts } from '../../../src/plugins/plugin.ts'
import { raw } from '../../../src/plugins/raw/index.ts'
import { Plugins } from '../../../src/plugins/registry.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'
import { readConfig } from '../../settings/all.ts'

const CABLE = 'usb://Zebra/LP2844?serial=1'
const CONFIG = readConfig({
  raw_port: 9100,
  printers: [
    { name: 'Bench 1', uri: 'file:a' },
    { name: 'Bench 2', uri: CABLE, raw_port: 9105 },
  ],
})

const plugins = new Plugins([doorPlugin([raw])], (error) => {
  throw error
})

/** A box with a port of its default printer and one of another printer. `first`: the device URI of the former. */
function locate(first: string): Whereabouts {
  const printers = new Printers({
    printers: [makePrinter('Bench 1', { uri: first }), makePrinter('Bench 2', { uri: CABLE })],
    defaultName: 'Bench 1',
    devices: [],
  })
  return {
    ownNames: () => ['10.0.0.7'],
    info: () => ({ hostName: 'box', names: ['box.local'], port: '8080', securePort: '' }),
    printers: () => printers.list(),
    config: () => CONFIG,
  }
}

t.test('device URIs of printers that are our own raw ports', (t) => {
  const at = locate('file:a')
  for (const uri of ['localhost', '127.0.0.1:9100', '10.0.0.7:9105', 'box.local', '[::1]:9105'])
    t.ok(plugins.leadsBack(`socket://${uri}`, at), uri)
  for (const uri of ['localhost:9101', '10.0.0.8', '10.0.0.7:8080'])
    t.notOk(plugins.leadsBack(`socket://${uri}`, at), uri)
  t.end()
})

t.test('a raw port of another printer is a second name of that printer', (t) => {
  const round = (uri: string, first: string) => plugins.mayLoop(uri, locate(first))
  t.ok(round('socket://localhost:9100', 'socket://localhost:9105'))
  t.notOk(round('socket://localhost:9105', 'socket://localhost:9105'), 'it leads to a cable')
  t.notOk(round('socket://localhost:9100', 'socket://10.0.0.8'))
  t.end()
})
