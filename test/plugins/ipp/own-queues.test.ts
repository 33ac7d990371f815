import { hostname } from 'node:os'
import t from 'tap'
import { listOwnNames } from '../../../src/http/access/addresses.ts'
import { leadsToUs } from '../../../src/plugins/ipp/own-queues.ts'
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
