/** The carriers by their names in carriers/index.ts, a test sees to it. */
export const CARRIER_NAMES = [
  'local',
  'UPS-REST',
  'FedEx-REST',
  'USPS-REST',
  'DHL',
  'EasyPost',
  'Shippo',
  'ShipEngine',
  'ShipStation',
  'karrio',
] as const

export type CarrierName = (typeof CARRIER_NAMES)[number]

export type ParamType =
  | 'text'
  | 'number'
  | 'whole'
  | 'amount'
  | 'flag'
  | 'country'
  | 'list'
  | 'texts'
  | 'print'
  | 'papers'

/** What is known of a name in `params`: whoever reads `params` reads the same names, a test sees to it. */
export interface ParamField {
  readonly type: ParamType
  readonly about: string
  /** All that it may be. */
  readonly choices?: readonly string[]
  /** Other names of the same: those of the original API, and of earlier versions. */
  readonly aliases?: readonly string[]
  /** The carriers that it is sent to, or that print it; left out: all. */
  readonly takers?: readonly CarrierName[]
  /**
   * In a purchase from any other carrier. `refused`: without it something else would be bought than was asked for. `noted`: the
   * answer says that it was not used. `unused`: nobody needs to be told, as it changes nothing.
   */
  readonly otherwise?: 'refused' | 'noted' | 'unused'
  /** Values that ask for nothing, so that they are refused nowhere; in capitals. */
  readonly neutral?: readonly string[]
}

/** What one request may hold. */
export const PARAM_LIMITS = {
  parcels: 50,
  customsLines: 200,
  references: 10,
  /** Characters of a text. */
  text: 200,
} as const

export const SIGNATURES = ['DIRECT', 'NO_SIGNATURE_REQUIRED', 'ADULT'] as const

// 1 lb = 16 oz; NIST Special Publication 811, appendix B, has grams.
export const WEIGHT_UNITS: Readonly<
  Record<string, { readonly unit: 'LB' | 'KG'; readonly perUnit: number }>
> = {
  LB: { unit: 'LB', perUnit: 1 },
  LBS: { unit: 'LB', perUnit: 1 },
  OZ: { unit: 'LB', perUnit: 16 },
  KG: { unit: 'KG', perUnit: 1 },
  KGS: { unit: 'KG', perUnit: 1 },
  G: { unit: 'KG', perUnit: 1_000 },
}

/** What a declaration says that the goods are sent for. */
export const CONTENTS = ['MERCHANDISE', 'GIFT', 'SAMPLE', 'RETURN'] as const

/** Incoterms rules that the carriers' invoices have in common. */
const INCOTERMS = ['DAP', 'DDP', 'EXW', 'FCA', 'CPT', 'CIP', 'FAS', 'FOB', 'CFR', 'CIF'] as const

/** Numbers that customs know a party by; `EOR` is the original's word for EORI. */
export const TAX_ID_TYPES = ['EORI', 'EOR', 'VAT', 'IOSS', 'EIN', 'GST'] as const

/** Fields by their names. */
export type ParamTable = Readonly<Record<string, ParamField>>

/** Who sells the labels of many carriers. */
const SELLERS: readonly CarrierName[] = [
  'EasyPost',
  'Shippo',
  'ShipEngine',
  'ShipStation',
  'karrio',
]
/** Whose calls hold a customs declaration. */
const DECLARERS: readonly CarrierName[] = ['UPS-REST', 'FedEx-REST', 'DHL', ...SELLERS]
const INSURERS: readonly CarrierName[] = CARRIER_NAMES.filter((name) => name !== 'local')
/** Who has three lines of a street. */
const THREE_LINES: readonly CarrierName[] = [
  'local',
  'UPS-REST',
  'FedEx-REST',
  'DHL',
  'Shippo',
  'ShipEngine',
  'ShipStation',
]

/** A field that is a text. */
export const words = (about: string, more: Partial<ParamField> = {}): ParamField => ({
  type: 'text',
  about,
  ...more,
})

function addressFields(side: 'ship' | 'to', who: string): ParamTable {
  const taxed: readonly CarrierName[] = [
    'UPS-REST',
    'FedEx-REST',
    'DHL',
    'EasyPost',
    'ShipEngine',
    'ShipStation',
    'karrio',
    // Of the exporter alone.
    ...(side === 'ship' ? (['Shippo'] as const) : []),
  ]
  return {
    [`${side}_name`]: words(`name of ${who}`),
    [`${side}_addr1`]: words(`street of ${who}`),
    [`${side}_addr2`]: words('second line of the street'),
    [`${side}_addr3`]: words('third line of the street', { takers: THREE_LINES }),
    [`${side}_city`]: words(`city of ${who}`),
    [`${side}_state`]: words(`state or province of ${who}`),
    [`${side}_code`]: words(`postal code of ${who}`),
    [`${side}_country`]: {
      type: 'country',
      about: 'two letters; `US` when left out, but needed with `customs`',
    },
    [`${side}_phone`]: words(`phone of ${who}`, {
      takers: INSURERS,
      otherwise: 'unused',
    }),
    [`${side}_email`]: words(`e-mail address of ${who}`, {
      takers: ['FedEx-REST', 'USPS-REST', 'DHL', ...SELLERS],
      otherwise: 'unused',
    }),
    [`${side}_tax_id`]: words(`number that customs know ${who} by`, { takers: taxed }),
    [`${side}_tax_id_type`]: words('what that number is', {
      choices: TAX_ID_TYPES,
      takers: taxed,
    }),
    [`${side}_tax_id_country`]: {
      type: 'country',
      about: 'who gave it; left out: the country that it begins with, or that of the address',
      takers: ['DHL', 'EasyPost', 'ShipEngine', 'ShipStation'],
      otherwise: 'noted',
    },
  }
}

const SIZES: ParamTable = {
  weight: { type: 'number', about: 'weight of the parcel in `weight_unit`' },
  length: { type: 'number', about: 'in `length_unit`' },
  width: { type: 'number', about: 'in `length_unit`' },
  height: { type: 'number', about: 'in `length_unit`' },
}

const OF_PARCEL: ParamTable = {
  packaging_type: words("the carrier's own code", {
    takers: ['UPS-REST', 'FedEx-REST', 'karrio'],
    // A packaging of one's own, as the carriers call it.
    neutral: ['02', '00', 'YOUR_PACKAGING', 'PACKAGE', 'PARCEL', 'CUSTOM', 'CP'],
  }),
  insured_value: { type: 'amount', about: 'insured value, 0 = none', takers: INSURERS },
  insured_currency: words('three letters; left out: as `currency`', {
    takers: INSURERS,
    otherwise: 'unused',
  }),
  signature_type: words('who signs', { choices: SIGNATURES }),
  signature_required: { type: 'flag', about: 'the same as `signature_type` DIRECT' },
}

/** An entry of `packages`. */
export const PACKAGE_PARAMS: ParamTable = {
  ...SIZES,
  ...OF_PARCEL,
  reference_value: words('a reference on the label, after those of `params`', {
    takers: CARRIER_NAMES.filter((name) => name !== 'EasyPost'),
    otherwise: 'noted',
  }),
}

/** An entry of `customs`. */
export const CUSTOMS_PARAMS: ParamTable = {
  description: words('what it is', {
    aliases: ['customs_description'],
  }),
  quantity: {
    type: 'whole',
    about: 'pieces, a whole number',
    aliases: ['customs_quantity'],
  },
  value: {
    type: 'amount',
    about: 'value of one piece in `currency`, above 0',
    aliases: ['customs_value'],
  },
  weight: {
    type: 'number',
    about: 'weight of one piece in `weight_unit`, above 0',
    aliases: ['customs_weight'],
  },
  origin_country: {
    type: 'country',
    about: 'where it was made, two letters',
    aliases: ['customs_origin_country', 'country_of_manufacture'],
  },
  tariff_code: words('Harmonized System number', {
    aliases: ['hs_code', 'customs_hs_tariff', 'commodity_code'],
  }),
  quantity_units: words('what `quantity` counts: pieces', {
    aliases: ['customs_quantity_units'],
    choices: ['PCS', 'PC', 'PCE', 'PIECES', 'EA', 'EACH'],
  }),
  line_amount: {
    type: 'amount',
    about: '`quantity` times `value`; only compared',
    aliases: ['customs_line_amount'],
  },
  currency: words('as `currency` of `params`', { aliases: ['customs_currency'] }),
  invoice_line_description: words('as `description`; only compared'),
  commodity_name: words('nothing', { takers: [], otherwise: 'noted' }),
}

/** How many references a carrier's label has room for beside our own mark. */
const REFERENCES_OF: Readonly<Record<CarrierName, number>> = {
  local: 3,
  'UPS-REST': 1,
  'FedEx-REST': 2,
  'USPS-REST': 3,
  DHL: 4,
  EasyPost: 0,
  Shippo: 1,
  ShipEngine: 3,
  ShipStation: 3,
  karrio: 1,
}

function referenceField(n: number): ParamField {
  const takers = CARRIER_NAMES.filter((name) => REFERENCES_OF[name] >= n)
  return words('a reference on the label', { takers, otherwise: 'noted' })
}

const REFERENCES: ParamTable = Object.fromEntries(
  Array.from({ length: PARAM_LIMITS.references }, (_, n) => [
    `reference${n + 1}`,
    referenceField(n + 1),
  ]),
)

/** The fields of a shipment, as they lie flat in `params`. */
export const SHIPMENT_PARAMS: ParamTable = {
  shipper: words('the shop that sends'),
  ...addressFields('ship', 'the sender'),
  ...addressFields('to', 'the recipient'),
  to_company: words('company of the recipient'),
  residential: {
    type: 'flag',
    about: 'residential address',
    takers: ['UPS-REST', 'FedEx-REST', ...SELLERS],
    otherwise: 'noted',
  },
  packages: { type: 'list', about: 'the parcels; one parcel may lie flat in `params`' },
  ...SIZES,
  ...OF_PARCEL,
  weight_unit: words('`LB` when left out', { choices: Object.keys(WEIGHT_UNITS) }),
  length_unit: words('`IN` when left out', { choices: ['IN', 'CM'] }),
  service: words("the carrier's own code, `service_code` of a rate"),
  is_return: {
    type: 'flag',
    about: 'true: a return label, from the recipient back to the sender, who pays',
    takers: CARRIER_NAMES.filter((name) => name !== 'karrio'),
  },
  pickup_type: words("the carrier's own code", {
    takers: ['UPS-REST', 'FedEx-REST'],
    otherwise: 'noted',
  }),
  customer_classification: words("UPS's own code", { takers: ['UPS-REST'], otherwise: 'noted' }),
  negotiated_rates: {
    type: 'flag',
    about: 'nothing: both prices always come',
    takers: ['UPS-REST', 'FedEx-REST'],
    otherwise: 'noted',
  },
  currency: words('of `customs`; left out: `USD` from the United States, else it is needed', {
    aliases: ['customs_currency'],
  }),
  customs: {
    type: 'list',
    about: 'the lines of the customs declaration',
    takers: DECLARERS,
    otherwise: 'noted',
  },
  customs_value: {
    type: 'amount',
    about: 'what the lines of `customs` are worth together; only compared',
    takers: DECLARERS,
    otherwise: 'noted',
  },
  contents_type: words('what the goods are sent for; `MERCHANDISE` when left out', {
    choices: CONTENTS,
    takers: DECLARERS,
    neutral: ['MERCHANDISE'],
  }),
  incoterm: words('Incoterms rule on the invoice; with `DDP` the sender pays duties', {
    choices: INCOTERMS,
    takers: ['UPS-REST', 'FedEx-REST', 'DHL'],
    neutral: ['DAP'],
  }),
  invoice_number: words('number of the invoice', {
    aliases: ['invoice'],
    takers: ['UPS-REST', 'FedEx-REST', 'DHL', 'EasyPost', 'Shippo', 'karrio'],
    otherwise: 'noted',
  }),
  reference: referenceField(1),
  ...REFERENCES,
  tracking_number: words('the number of a parcel'),
  shipment_id: words('as SubmitShipment answered it'),
  rate_id: words("an aggregator's price to buy", { takers: SELLERS }),
  carrier_name: words("an aggregator's carrier", { takers: SELLERS, otherwise: 'noted' }),
  carrier_account: { type: 'texts', about: "an aggregator's accounts", takers: SELLERS },
}

/** What a carrier does with a field in a purchase. */
export function useOf(
  field: ParamField,
  carrier: CarrierName,
): 'used' | 'refused' | 'noted' | 'unused' {
  if (field.takers === undefined || field.takers.includes(carrier)) return 'used'
  return field.otherwise ?? 'refused'
}
