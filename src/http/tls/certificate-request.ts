/** A private key (PKCS #8) and its certificate, both as PEM. */
export interface KeyPair {
  readonly key: string
  readonly cert: string
}

/** First and last moment of a certificate, in milliseconds since 1970. */
export interface Validity {
  readonly from: number
  readonly to: number
}

/** What the child that makes certificates is asked for. */
export interface CertificateRequest {
  /** The authority to sign with; undefined: make one. */
  readonly authority: KeyPair | undefined
  /** What people see when they trust it, e.g. `platen bench-3`. */
  readonly authorityName: string
  readonly authorityValidity: Validity
  readonly validity: Validity
  /** DNS names and addresses of the server. */
  readonly names: readonly string[]
}

/** What it answers; `names` of the request that the authority's constraints forbid are not in the certificate. */
export type CertificateReply =
  | { readonly authority: KeyPair; readonly server: KeyPair }
  | { readonly error: string }
