/** A call as PrintNode's published examples write it: the key is the user name, the password is empty. */
export class PrintNodeClient {
  readonly #address: string
  readonly #key: string

  constructor(address: string, key: string) {
    this.#address = `${address}/printnode`
    this.#key = key
  }

  async call(path: string, init: RequestInit = {}): Promise<Response> {
    const { headers, ...rest } = init
    return await fetch(this.#address + path, {
      ...rest,
      headers: { Authorization: `Basic ${btoa(`${this.#key}:`)}`, ...headers },
    })
  }

  /** The JSON of an answer. */
  async get<T = readonly Record<string, unknown>[]>(path: string): Promise<T> {
    return (await (await this.call(path)).json()) as T
  }

  async post(job: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return await this.call('/printjobs', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(job),
    })
  }
}

/** The id of a printer by its name. */
export async function idOf(client: PrintNodeClient, name: string): Promise<number> {
  const printers = await client.get('/printers')
  return Number(printers.find((one) => one['name'] === name)?.['id'] ?? 1)
}
