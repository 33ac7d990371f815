import type { AnnouncedService } from '../../system/mdns.ts'
import type { ServiceAddress } from '../plugin.ts'
import type { SharedPrinter } from './printer.ts'
import { listFormats, listUrf, modelOf } from './printer-attributes.ts'

/** The subtypes of the service: AirPrint looks for `_universal`, IPP Everywhere for `_print`. */
const SUBTYPES = ['universal', 'print']

/** Describes the services that announce a printer on the network (PWG 5100.14, 4.2; Bonjour Printing; keys of Mopria). */
export function describeServices(
  shared: SharedPrinter,
  { port, securePort, host }: ServiceAddress,
): readonly AnnouncedService[] {
  const said = sayTxt(shared, `http://${host}:${port}/`)
  const plain = { name: shared.dnsSdName, type: 'ipp', subtypes: SUBTYPES, port, txt: said }
  if (securePort === undefined) return [plain]
  // TLS promises a second service and an upgrade on the first.
  const txt = { ...said, TLS: '1.2' }
  return [
    { ...plain, txt },
    { ...plain, type: 'ipps', port: securePort, txt },
  ]
}

function sayTxt(shared: SharedPrinter, adminurl: string): Readonly<Record<string, string>> {
  const model = modelOf(shared)
  const formats = listFormats(shared).filter((format) => format !== 'application/octet-stream')
  return {
    txtvers: '1',
    qtotal: '1',
    // Without a slash before it.
    rp: shared.path.slice(1),
    ty: model,
    note: '',
    adminurl,
    priority: '50',
    product: `(${model})`,
    pdl: formats.join(','),
    URF: listUrf(shared.dpi).join(','),
    UUID: shared.uuid,
    kind: 'label,document,photo',
    PaperMax: '<legal-A4',
    Color: 'F',
    Duplex: 'F',
    Copies: 'T',
    Scan: 'F',
    Fax: 'F',
    'mopria-certified': '1.3',
    air: 'none',
  }
}
