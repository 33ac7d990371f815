// Prints the service_code of the first rate of the local carrier.
import { Client } from './index.js'

const { API_KEY, BASE_URL = 'http://localhost:8080' } = process.env
const client = new Client(API_KEY, { baseUrl: BASE_URL })
try {
  const params = { ship_code: '89501', to_code: '50010', weight: 3 }
  const { data } = await client.request('local', 'GetAllRates', params)
  process.stdout.write(`${data.rates[0].service_code}\n`)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
