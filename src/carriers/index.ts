// The whole interface of the library. The code of a carrier, and the engine that sends its calls, are loaded when it is opened.
export {
  type Action,
  type Answers,
  asKind,
  BLANKS,
  CARRIER_CODES,
  type CarrierCode,
  type CarrierPlace,
  type CarrierRemark,
  failure,
  NOWHERE,
  type Rate,
  type ShippingDocument,
  toActivity,
} from './answers.ts'
export {
  type Account,
  type Carrier,
  type CarrierFacts,
  type CarrierOrder,
  type CredentialField,
  EITHER_DPI,
  type HttpCall,
  type HttpReply,
  type LabelFormats,
  type LabelWish,
} from './carrier.ts'
export { CarrierFault } from './fault.ts'
export type { PaperBounds } from './fetch-labels.ts'
export {
  CUSTOMS_PARAMS,
  PACKAGE_PARAMS,
  type ParamField,
  type ParamTable,
  references,
  SHIPMENT_PARAMS,
  THIRD_LINES,
  useOf,
  words,
} from './fields.ts'
export { CARRIERS, type CarrierEntry, findCarrier } from './list.ts'
export { fieldsOf, fieldsOfBoth, missingFields } from './orders.ts'
export { readShipment } from './params.ts'
export type { ActionResult, ActionRun, CallTrace, PaidAction, Performer } from './performer.ts'
export {
  asNumber,
  at,
  factsOf,
  isBlank,
  jsonOf,
  listOf,
  textAt,
  toPlace,
  withOffset,
} from './reading.ts'
export { DebugTrace } from './redact.ts'
export type { CarrierSender, RawReply } from './sender.ts'
export {
  type PostalAddress,
  readCents,
  type Shipment,
  type SignatureService,
  toAmount,
  travelOf,
} from './shipment.ts'
export { type EngineParts, Tokens } from './wire.ts'
