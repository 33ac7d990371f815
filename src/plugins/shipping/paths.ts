import type { KeyedPaths } from '../../http/access/access.ts'

/** Paths of calls: old clients end the path with a slash, or begin it with `/api`. */
export const SHIP_PATHS = ['/v1', '/v1/', '/api/v1', '/api/v1/'] as const

/** Paths that take an API key. */
export const keyedPaths: KeyedPaths = {
  use: 'ship',
  owns: (path) => SHIP_PATHS.some((one) => one === path) || /^\/v1\/shipments(\/|$)/.test(path),
}

/** Tells whether errors of a path are envelopes. */
export function isShippingPath(path: string): boolean {
  return /^(\/api)?\/v1(\/|$)/.test(path)
}
