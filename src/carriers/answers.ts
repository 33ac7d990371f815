/** Every failure that a carrier can tell, by the `code` of `errors[]`. */
export const CARRIER_CODES = {
  AUTHENTICATION: 1000,
  MISSING_FIELD: 1101,
  BAD_SIZE: 1102,
  UNKNOWN_SERVICE: 1103,
  NOT_SERVED: 1104,
  NO_FUNDS: 1402,
  UNKNOWN_NUMBER: 1404,
  ALREADY_VOID: 1409,
  RATE_LIMIT: 1429,
  CARRIER_FAULT: 1500,
  CARRIER_TIMEOUT: 1504,
} as const

/** The name of a failure. */
export type CarrierCode = keyof typeof CARRIER_CODES

type RemarkKind = 'ERROR' | 'WARNING' | 'NOTE' | 'UNKNOWN'

/** An entry of `data.errors`. */
export interface CarrierRemark {
  readonly code: number
  /** The carrier's own words. */
  readonly description: string
  /** A NOTE or WARNING comes with a good answer; UNKNOWN: it is not known yet whether it was done. */
  readonly type: RemarkKind
  /** The carrier's own code, verbatim; blank when it gave none. */
  readonly carrier_code: string
  /** Path of the field that it is about, e.g. `packages[0].weight`; blank when not known. */
  readonly field: string
  // Of a call that asks several carriers only: whose it is.
  readonly carrier?: string
  readonly account?: string
}

export interface Rate {
  readonly desc: string
  /** Dollars or whatever `currency` says, at most two decimals (shipment.ts). */
  readonly rate: number
  /** The account's own price; the same as `rate` where there is none. */
  readonly negotiated_rate: number
  readonly currency: string
  readonly service_code: string
  /** RFC 3339 with an offset, `-00:00` when the zone is unknown; blank when not known. */
  readonly est_delivery_time: string
  /** 0 when not known. */
  readonly delivery_days: number
  readonly package_type: string
  readonly rate_detail: readonly RateDetail[]
  // Of aggregators only.
  readonly rate_id?: string
  readonly shipment_id?: string
  readonly carrier_name?: string
  readonly carrier_account?: string
  readonly test?: boolean
  // Of a call that asks several carriers only: who sells it, and the account of the box that was asked with.
  readonly carrier?: string
  readonly account?: string
}

/** A part of a price, e.g. a fuel surcharge. */
export interface RateDetail {
  readonly desc: string
  readonly amount: number
}

export interface LabeledPackage {
  readonly tracking_number: string
  /** base64 of what the carrier sent, never changed. */
  readonly label: string
  /** Format of those bytes: `ZPL`, `EPL`, `PNG`, `GIF`, `PDF`. */
  readonly label_format: string
}

/** A paper that goes with the parcels, such as a commercial invoice: pages of office paper, never a label. */
export interface ShippingDocument {
  /** Kind of document, e.g. `commercial_invoice`; else the carrier's own word. */
  readonly name: string
  /** Format of the content: `PDF`, `PNG` …; blank where there is none. */
  readonly format: string
  /** base64 of what the carrier sent; blank where it could not be fetched. */
  readonly content: string
  /** Address where the carrier keeps what could not be fetched. */
  readonly url?: string
}

/** Location in the words of the original API; blank where the carrier does not say. */
export interface CarrierPlace {
  /** All of it: `Reno, NV, US`. */
  readonly description: string
  readonly city: string
  readonly state: string
  readonly zip_code: string
  readonly country: string
}

export const NOWHERE: CarrierPlace = {
  description: '',
  city: '',
  state: '',
  zip_code: '',
  country: '',
}

export interface Activity {
  /** RFC 3339 with an offset, `-00:00` when the zone is unknown. */
  readonly time: string
  /** Copy of `status_description`. */
  readonly status: string
  readonly status_code: string
  readonly status_description: string
  /** The carrier's own word for events of this kind; the code where it has none. */
  readonly status_type: string
  readonly location: CarrierPlace
}

/** Turns a carrier's event into an entry of `activity[]`. */
export function toActivity({
  time,
  status,
  code,
  type = code,
  location,
}: {
  readonly time: string
  readonly status: string
  readonly code: string
  readonly type?: string
  readonly location: CarrierPlace
}): Activity {
  return {
    time,
    status,
    status_code: code,
    status_description: status,
    status_type: type,
    location,
  }
}

/** The fields of each action's `data` beside `errors`; the blank ones are BLANKS. */
export interface Answers {
  readonly Authenticate: {
    readonly access_token: string
    readonly token_type: string
    /** Seconds. */
    readonly expires_in: number
    /** Unix time, ms. */
    readonly issued_at: number
    readonly expires_at: number
    readonly scope: string
  }
  readonly GetAllRates: { readonly rates: readonly Rate[] | null; readonly test?: boolean }
  readonly SubmitShipment: {
    readonly charges: number
    readonly currency: string
    readonly tracking_number: string
    readonly shipment_id: string
    readonly packages: readonly LabeledPackage[] | null
    readonly documents: readonly ShippingDocument[] | null
    readonly test?: boolean
  }
  readonly Track: {
    readonly status: string
    readonly status_code: string
    readonly shipment_id: string
    readonly origin: CarrierPlace
    readonly destination: CarrierPlace
    readonly service: { readonly code: string; readonly description: string }
    readonly pickup_date: string
    readonly estimated_delivery: string
    readonly delivered_time: string
    readonly weight: { readonly amount: number; readonly unit: string }
    readonly dimensions: {
      readonly length: number
      readonly width: number
      readonly height: number
      readonly unit: string
    }
    readonly reference_numbers: readonly string[]
    readonly alternative_tracking_ids: readonly { readonly value: string }[]
    readonly packages:
      | readonly { readonly tracking_number: string; readonly activity: readonly Activity[] }[]
      | null
    readonly test?: boolean
  }
  readonly VoidShipment: {
    readonly status: string
    readonly status_code: string
    readonly test?: boolean
  }
  readonly AddressValidate: {
    readonly name: string
    readonly addr1: string
    readonly addr2: string
    readonly addr3: string
    readonly city: string
    readonly state: string
    readonly zip_code: string
    readonly zip_code_addon: string
    /** null: not checked against a list of addresses. */
    readonly match: boolean | null
    readonly city_state_zip_match: boolean | null
    readonly residential: boolean | null
    readonly po_box: boolean | null
    readonly country: string
    readonly suggestions:
      | readonly {
          readonly addr1: string
          readonly addr2: string
          readonly city: string
          readonly state: string
          readonly zip_code: string
          readonly country: string
        }[]
      | null
    readonly test?: boolean
  }
  readonly TimeInTransit: {
    readonly services:
      | readonly {
          readonly service_code: string
          readonly desc: string
          readonly delivery_days: number
          readonly est_delivery_time: string
        }[]
      | null
  }
}

export type Action = keyof Answers

/** `data` of an action that a carrier refused: every field present, nothing in it. */
export const BLANKS: Answers = {
  Authenticate: {
    access_token: '',
    token_type: '',
    expires_in: 0,
    issued_at: 0,
    expires_at: 0,
    scope: '',
  },
  GetAllRates: { rates: null },
  SubmitShipment: {
    charges: 0,
    currency: '',
    tracking_number: '',
    shipment_id: '',
    packages: null,
    documents: null,
  },
  Track: {
    status: '',
    status_code: '',
    shipment_id: '',
    origin: NOWHERE,
    destination: NOWHERE,
    service: { code: '', description: '' },
    pickup_date: '',
    estimated_delivery: '',
    delivered_time: '',
    weight: { amount: 0, unit: '' },
    dimensions: { length: 0, width: 0, height: 0, unit: '' },
    reference_numbers: [],
    alternative_tracking_ids: [],
    packages: null,
  },
  VoidShipment: { status: '', status_code: '' },
  AddressValidate: {
    name: '',
    addr1: '',
    addr2: '',
    addr3: '',
    city: '',
    state: '',
    zip_code: '',
    zip_code_addon: '',
    match: null,
    city_state_zip_match: null,
    residential: null,
    po_box: null,
    country: '',
    suggestions: null,
  },
  TimeInTransit: { services: null },
}

/** A remark; unless it says otherwise it means that it was not done. */
export function failure(
  code: CarrierCode,
  description: string,
  more: { readonly carrierCode?: string; readonly field?: string; readonly type?: RemarkKind } = {},
): CarrierRemark {
  const { carrierCode = '', field = '', type = 'ERROR' } = more
  return { code: CARRIER_CODES[code], description, type, carrier_code: carrierCode, field }
}

/** Changes the kind of remarks. */
export function asKind(
  type: RemarkKind,
  remarks: readonly CarrierRemark[],
): readonly CarrierRemark[] {
  return remarks.map((one) => ({ ...one, type }))
}
