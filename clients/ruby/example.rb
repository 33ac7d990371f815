# Prints the service_code of the first rate of the local carrier.
require_relative 'lib/platen_client'

client = Platen::Client.new(ENV['API_KEY'], ENV.fetch('BASE_URL', 'http://localhost:8080'))
begin
  answer = client.request('local', 'GetAllRates', { ship_code: '89501', to_code: '50010', weight: 3 })
  puts answer['data']['rates'][0]['service_code']
rescue Platen::Error => e
  abort e.message
end
