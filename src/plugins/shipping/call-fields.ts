import { type LabelWish, type ParamTable, SHIPMENT_PARAMS, words } from '#carriers'

/**
 * The values of `image_type`, with their meaning: formats that carriers write, as their APIs name them too (FedEx `ZPLII`,
 * EasyPost `EPL2`, USPS `ZPL203DPI`). A language that no carrier writes is not among them: its printers get pictures.
 */
export const IMAGE_TYPES: ReadonlyMap<string, LabelWish['format']> = new Map(
  Object.entries({
    ZPL: 'ZPL',
    ZPLII: 'ZPL',
    ZPL2: 'ZPL',
    ZPL203DPI: 'ZPL',
    ZPL300DPI: 'ZPL',
    EPL: 'EPL',
    EPL2: 'EPL',
    PNG: 'PNG',
    GIF: 'GIF',
    PDF: 'PDF',
  }),
)

/** Members of `print` if it is an object. */
export const PRINT_PARAMS: ParamTable = {
  printer: words('name of a printer; left out: the default one'),
  copies: { type: 'whole', about: 'of each label' },
  cleanup: { type: 'flag', about: "false: the carrier's ZPL goes to the printer as it is" },
  documents: {
    type: 'papers',
    about: 'the printer for papers: its name, or an object with `printer` and `copies`',
  },
}

/** Members of `print.documents` if it is an object. */
export const PAPER_PARAMS: ParamTable = {
  printer: words('name of the printer for papers'),
  copies: { type: 'whole', about: 'of each page' },
}

/** Every field of `params` but the credentials, which the carriers' own files name. */
export const PARAMS: ParamTable = {
  account: words('the name of an account of the print server, in the place of credentials'),
  test: { type: 'flag', about: "true: the carrier's test host, or only its test keys" },
  debug: {
    type: 'flag',
    about: 'true: the calls to the carrier stand in `meta.debug_information`',
  },
  timeout: { type: 'number', about: 'milliseconds to wait for the carrier' },
  request_id: words('the same as `request_id` beside `params`', { aliases: ['requestId'] }),
  print: { type: 'print', about: 'where the labels print; of SubmitShipment' },
  image_type: words('the form of the label', { choices: [...IMAGE_TYPES.keys()] }),
  dpi: { type: 'number', about: '203 or 300: the label to ask for when it is not printed here' },
  ...SHIPMENT_PARAMS,
}

/** Names of credentials, including those of the original API's older carriers: known, and never quoted. */
export const CREDENTIALS: ReadonlySet<string> = new Set([
  'key',
  'client_id',
  'client_secret',
  'child_key',
  'child_secret',
  'account_number',
  'username',
  'password',
  'meter_number',
  'contract_id',
  'license',
  'license_number',
  'crid',
  'mid',
  'manifest_mid',
  'paperless',
  'url',
])
