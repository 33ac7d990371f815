import { hostname } from 'node:os'
import t from 'tap'
import { listOwnNames } from '../../../src/http/access/addresses.ts'
import { leadsToUs } from '../../../src/plugins/ipp/own-queues.ts'
import { findRound, leadsToPort } from '../../../src/plugins/raw/settings.ts'
import { startRig } from '../../http/rig.ts'

t.test('device URIs of CUPS that lead to our own printers', (t) => {
  const printers = startRig(t).bench.printers.list()
  const station = {
    ownNames: () => listOwnNames(),
    printers: () => printers,
    info: () => ({
      hostName: hostname(),
      names: ['printserver-1a2b.local'],
      port: '8080',
      securePort: '8443',
    }),
  }
  const first = hostname().split('.')[0]
  const leads = (uri: string) => leadsToUs(uri, station)
  for (const uri of [
    'ipp://localhost:8080/ipp/print/bench-1',
    'ipps://127.0.0.1:8443/ipp/print',
    'ipp://printserver-1a2b.local/ipp/print/bench-1',
    'http://[::1]:8080/IPP/Print/Bench-1',
    `ipp://${first}.local:8080/ipp/print/bench-2`,
    `dnssd://Bench%201%20(${first})._ipps._tcp.local/?uuid=1`,
    `dnssd://Bench%202%20%28${first}%29._ipp._tcp.local/`,
    `implicitclass://Bench_1_${first}/`.replaceAll('-', '_'),
  ]) {
    t.ok(leads(uri), uri)
  }
  for (const uri of [
    'usb://Zebra/LP2844?serial=42J1234',
    'socket://localhost:9100',
    'ipp://localhost:60000/ipp/print', // ipp-usb
    'ipp://192.0.2.9:8080/ipp/print/bench-1',
    'ipp://localhost:8080/printers/Zebra',
    'dnssd://Bench%201%20(other)._ipps._tcp.local/',
    'implicitclass://Office/',
    'dnssd://%zz._ipp._tcp.local/',
    'not a URI',
  ]) {
    t.notOk(leads(uri), uri)
  }
  t.end()
})

t.test('device URIs of printers that are our own raw ports', (t) => {
  const station = {
    ownNames: () => ['10.0.0.7'],
    info: () => ({ hostName: 'box', names: ['box.local'], port: '8080', securePort: '' }),
  }
  const leads = (uri: string) => leadsToPort(uri, [{ port: 9100 }, { port: 9105 }], station)
  for (const uri of ['localhost', '127.0.0.1:9100', '10.0.0.7:9105', 'box.local', '[::1]:9105'])
    t.ok(leads(`socket://${uri}`), uri)
  for (const uri of ['localhost:9101', '10.0.0.8', '10.0.0.7:8080'])
    t.notOk(leads(`socket://${uri}`), uri)
  t.end()
})

t.test('a raw port of another printer is a second name of that printer', (t) => {
  const ports = [
    { port: 9100, printer: undefined },
    { port: 9101, printer: 'Bench 2' },
  ]
  const leads = (uri: string) => uri.startsWith('socket://localhost')
  const round = (first: string) => {
    const printers = [
      { name: 'Bench 1', uri: first, isDefault: true },
      { name: 'Bench 2', uri: 'usb://Zebra/LP2844', isDefault: false },
    ]
    return findRound({ ports }, printers, leads).map(({ port }) => port)
  }
  t.same(round('socket://localhost:9101'), [9100])
  t.same(round('socket://10.0.0.8'), [])
  t.end()
})
