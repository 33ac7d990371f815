import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

/** Answers "wait", "go on" (RFC 9110, 15.2) before the one that counts; nobody whom we ask needs any. */
const INTERIM_MOST = 10

/** Why a request ended: the other side never came to its answer. */
export class EndlessAnswer extends Error {
  readonly code = 'ERR_ENDLESS_ANSWER'

  constructor() {
    super(`more than ${INTERIM_MOST} interim answers`)
  }
}

/**
 * Ends every HTTP request of this program whose other side sends one interim answer after the other: they count as no
 * answer and have neither bound nor end (Node 24). Those of libraries too, which is why it is done by Node's own channel.
 */
export function boundInterimAnswers(): void {
  // Heard twice, a request would only be counted twice; so that it does no harm to call this again.
  unsubscribe('http.client.request.start', bound)
  subscribe('http.client.request.start', bound)
}

function bound(message: unknown): void {
  const { request } = message as { readonly request: ClientRequest }
  let count = 0
  request.on('information', () => {
    count += 1
    if (count > INTERIM_MOST) request.destroy(new EndlessAnswer())
  })
}
