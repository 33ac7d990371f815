/** Host and path of a queue's address, without what may be secret in it. */
export function nameQueue({ url }: { readonly url: string }): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
