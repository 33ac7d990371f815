/** What the child that writes to `/dev/usb/lpN` is asked. */
export type LpRequest =
  | { readonly id: number; readonly ask: 'open'; readonly file: string }
  | { readonly id: number; readonly ask: 'write'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly ask: 'read'; readonly ms: number }

/** Its answer: the bytes read, nothing, or what went wrong. */
export type LpReply =
  | { readonly id: number; readonly bytes?: Uint8Array }
  | { readonly id: number; readonly error: string }
