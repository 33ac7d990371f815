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

/** A field of `params`: whoever reads `params` reads the same names, a test sees to it. Decision `names`. */
export interface ParamField {
  readonly type: ParamType
  readonly about: string
  /** All that it may be. */
  readonly choices?: readonly string[]
  /** Other names of the same: those of the original API, and of earlier versions. */
  readonly aliases?: readonly string[]
  /**
   * Fate of a field that only some carriers send or print (`Carrier.takes`) in a purchase from another one. `refused`:
   * without it something else would be bought than was asked for. `noted`: the answer says that it was not used. `unused`: nobody
   * needs to be told, as it changes nothing.
   */
  readonly otherwise?: 'refused' | 'noted' | 'unused'
  /** Values that ask for nothing, so that they are refused nowhere; in capitals. */
  readonly neutral?: readonly string[]
}

/** Limits of one request. */
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

/** Reasons in a declaration for sending the goods. */
export const CONTENTS = ['MERCHANDISE', 'GIFT', 'SAMPLE', 'RETURN'] as const

/** Incoterms rules that the carriers' invoices have in common. */
const INCOTERMS = ['DAP', 'DDP', 'EXW', 'FCA', 'CPT', 'CIP', 'FAS', 'FOB', 'CFR', 'CIF'] as const

/** Numbers that customs know a party by; `EOR` is the original's word for EORI. */
export const TAX_ID_TYPES = ['EORI', 'EOR', 'VAT', 'IOSS', 'EIN', 'GST'] as const

/** Fields by their names. */
export type ParamTable = Readonly<Record<string, ParamField>>

/** A field that is a text. */
export const words = (about: string, more: Partial<ParamField> = {}): ParamField => ({
  type: 'text',
  about,
  ...more,
})

function addressFields(side: 'ship' | 'to', who: string): ParamTable {
  return {
    [`${side}_name`]: words(`name of ${who}`),
    [`${side}_addr1`]: words(`street of ${who}`),
    [`${side}_addr2`]: words('second line of the street'),
    [`${side}_addr3`]: words('third line of the street', { otherwise: 'refused' }),
    [`${side}_city`]: words(`city of ${who}`),
    [`${side}_state`]: words(`state or province of ${who}`),
    [`${side}_code`]: words(`postal code of ${who}`),
    [`${side}_country`]: {
      type: 'country',
      about: 'two letters; `US` when left out, but needed with `customs`',
    },
    [`${side}_phone`]: words(`phone of ${who}`, {
      otherwise: 'unused',
    }),
    [`${side}_email`]: words(`e-mail address of ${who}`, {
      otherwise: 'unused',
    }),
    [`${side}_tax_id`]: words(`number that customs know ${who} by`, { otherwise: 'refused' }),
    [`${side}_tax_id_type`]: words('what that number is', {
      choices: TAX_ID_TYPES,
      otherwise: 'refused',
    }),
    [`${side}_tax_id_country`]: {
      type: 'country',
      about: 'who gave it; left out: the country that it begins with, or that of the address',
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
    otherwise: 'refused',
    // A packaging of one's own, as the carriers call it.
    neutral: ['02', '00', 'YOUR_PACKAGING', 'PACKAGE', 'PARCEL', 'CUSTOM', 'CP'],
  }),
  insured_value: { type: 'amount', about: 'insured value, 0 = none', otherwise: 'refused' },
  insured_currency: words('three letters; left out: as `currency`', {
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
  commodity_name: words('nothing', { otherwise: 'noted' }),
}

const REFERENCE = words('a reference on the label', { otherwise: 'noted' })

const REFERENCES: ParamTable = Object.fromEntries(
  Array.from({ length: PARAM_LIMITS.references }, (_, n) => [`reference${n + 1}`, REFERENCE]),
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
    otherwise: 'refused',
  },
  pickup_type: words("the carrier's own code", {
    otherwise: 'noted',
  }),
  customer_classification: words("UPS's own code", { otherwise: 'noted' }),
  negotiated_rates: {
    type: 'flag',
    about: 'nothing: both prices always come',
    otherwise: 'noted',
  },
  currency: words('of `customs`; left out: `USD` from the United States, else it is needed', {
    aliases: ['customs_currency'],
  }),
  customs: {
    type: 'list',
    about: 'the lines of the customs declaration',
    otherwise: 'noted',
  },
  customs_value: {
    type: 'amount',
    about: 'what the lines of `customs` are worth together; only compared',
    otherwise: 'noted',
  },
  contents_type: words('what the goods are sent for; `MERCHANDISE` when left out', {
    choices: CONTENTS,
    otherwise: 'refused',
    neutral: ['MERCHANDISE'],
  }),
  incoterm: words('Incoterms rule on the invoice; with `DDP` the sender pays duties', {
    choices: INCOTERMS,
    otherwise: 'refused',
    neutral: ['DAP'],
  }),
  invoice_number: words('number of the invoice', {
    aliases: ['invoice'],
    otherwise: 'noted',
  }),
  reference: REFERENCE,
  ...REFERENCES,
  tracking_number: words('the number of a parcel'),
  shipment_id: words('as SubmitShipment answered it'),
  rate_id: words("an aggregator's price to buy", { otherwise: 'refused' }),
  carrier_name: words("an aggregator's carrier", { otherwise: 'noted' }),
  carrier_account: { type: 'texts', about: "an aggregator's accounts", otherwise: 'refused' },
}

/** Tells what a carrier does with a field in a purchase. */
export function useOf(
  name: string,
  { otherwise }: ParamField,
  takes: ReadonlySet<string>,
): 'used' | 'refused' | 'noted' | 'unused' {
  return otherwise === undefined || takes.has(name) ? 'used' : otherwise
}

// Fields that carriers take together, or not at all: for `Carrier.takes`.

export const INSURANCE = ['insured_value', 'insured_currency'] as const
export const PHONES = ['ship_phone', 'to_phone'] as const
export const EMAILS = ['ship_email', 'to_email'] as const
export const THIRD_LINES = ['ship_addr3', 'to_addr3'] as const
export const TAX_IDS = ['ship_tax_id', 'ship_tax_id_type', 'to_tax_id', 'to_tax_id_type'] as const
export const TAX_ID_COUNTRIES = ['ship_tax_id_country', 'to_tax_id_country'] as const
/** Fields of a carrier whose calls hold a customs declaration. */
export const DECLARATION = ['customs', 'customs_value', 'contents_type'] as const
/** Fields of sellers of many carriers' labels. */
export const OF_SELLERS = ['rate_id', 'carrier_name', 'carrier_account'] as const

/** So many references: those that a carrier's label has room for beside our own mark. */
export function references(count: number): readonly string[] {
  return ['reference', ...Array.from({ length: count }, (_, n) => `reference${n + 1}`)]
}
