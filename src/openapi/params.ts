import { PARAM_LIMITS, SIGNATURES, WEIGHT_UNITS } from '../shipping/params.ts'
import { IMAGE_TYPES } from '../shipping/print.ts'

/** What `params` of a call may hold: the readers (params.ts, calls.ts, accounts.ts) and this table name the same fields, a test sees to it. */
export type ParamType =
  | 'text'
  | 'number'
  | 'amount'
  | 'flag'
  | 'country'
  | 'list'
  | 'texts'
  | 'print'

export interface ParamAbout {
  readonly type: ParamType
  readonly about: string
  /** All that it may be. */
  readonly choices?: readonly string[]
}

const text = (about: string): ParamAbout => ({ type: 'text', about })

function addressFields(side: 'ship' | 'to', who: string): Readonly<Record<string, ParamAbout>> {
  return {
    [`${side}_name`]: text(`name of ${who}`),
    [`${side}_addr1`]: text(`street of ${who}`),
    [`${side}_addr2`]: text('second line of the street'),
    [`${side}_city`]: text(`city of ${who}`),
    [`${side}_state`]: text(`state or province of ${who}`),
    [`${side}_code`]: text(`postal code of ${who}`),
    [`${side}_country`]: { type: 'country', about: 'two letters; `US` when left out' },
    [`${side}_phone`]: text(`phone of ${who}`),
    [`${side}_email`]: text(`e-mail address of ${who}`),
  }
}

const SIZES: Readonly<Record<string, ParamAbout>> = {
  weight: { type: 'number', about: 'weight of the parcel in `weight_unit`' },
  length: { type: 'number', about: 'in `length_unit`' },
  width: { type: 'number', about: 'in `length_unit`' },
  height: { type: 'number', about: 'in `length_unit`' },
}

const OF_PARCEL: Readonly<Record<string, ParamAbout>> = {
  packaging_type: text("the carrier's own code"),
  insured_value: { type: 'amount', about: 'value to insure, 0 = none' },
  insured_currency: text('three letters; `USD` when left out'),
  signature_type: {
    ...{ type: 'text', about: 'who signs', choices: [...SIGNATURES] },
  },
}

/** An entry of `packages`. */
export const PACKAGE_PARAMS: Readonly<Record<string, ParamAbout>> = { ...SIZES, ...OF_PARCEL }

/** An entry of `customs`. */
export const CUSTOMS_PARAMS: Readonly<Record<string, ParamAbout>> = {
  description: text('what it is'),
  quantity: { type: 'number', about: 'pieces; 1 when left out' },
  value: { type: 'amount', about: 'value of one piece in `currency`' },
  weight: { type: 'number', about: 'weight of one piece in `weight_unit`' },
  tariff_code: text('Harmonized System number'),
  hs_code: text('another name of `tariff_code`'),
  origin_country: { type: 'country', about: 'where it was made, two letters' },
}

const REFERENCES = Array.from({ length: PARAM_LIMITS.references }, (_, n) => `reference${n + 1}`)

/** Every field of `params` but the credentials, which the carriers' own files name. */
export const PARAMS: Readonly<Record<string, ParamAbout>> = {
  account: text('the name of an account of the box, in the place of credentials'),
  test: { type: 'flag', about: "true: the carrier's test host, or only its test keys" },
  debug: {
    type: 'flag',
    about: 'true: the calls to the carrier stand in `meta.debug_information`',
  },
  timeout: { type: 'number', about: 'milliseconds to wait for the carrier' },
  print: { type: 'print', about: 'where the labels print; of SubmitShipment' },
  image_type: {
    ...{ type: 'text', about: 'the form of the label', choices: Object.keys(IMAGE_TYPES) },
  },
  dpi: { type: 'number', about: '203 or 300: the label to ask for when it is not printed here' },
  shipper: text('the shop that sends'),
  ...addressFields('ship', 'the sender'),
  ...addressFields('to', 'the recipient'),
  to_company: text('company of the recipient'),
  residential: { type: 'flag', about: 'the recipient lives there' },
  packages: { type: 'list', about: 'the parcels; one parcel may lie flat in `params`' },
  ...SIZES,
  ...OF_PARCEL,
  weight_unit: { type: 'text', about: '`LB` when left out', choices: Object.keys(WEIGHT_UNITS) },
  length_unit: { type: 'text', about: '`IN` when left out', choices: ['IN', 'CM'] },
  signature_required: { type: 'flag', about: 'the same as `signature_type` DIRECT' },
  service: text("the carrier's own code, `service_code` of a rate"),
  pickup_type: text("the carrier's own code"),
  customer_classification: text("UPS's own code"),
  currency: text('of `customs`; `USD` when left out'),
  customs: { type: 'list', about: 'the lines of the customs declaration' },
  reference: text('a reference on the label'),
  ...Object.fromEntries(REFERENCES.map((name) => [name, text('a reference on the label')])),
  tracking_number: text('the number of a parcel'),
  shipment_id: text('as SubmitShipment answered it'),
  rate_id: text("an aggregator's price to buy"),
  carrier_name: text("an aggregator's carrier"),
  carrier_account: { type: 'texts', about: "an aggregator's accounts" },
}
