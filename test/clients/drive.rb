# Makes the calls of standard input with the Ruby client; a line of JSON each.
require_relative '../../clients/ruby/lib/platen_client'

client = Platen::Client.new(ENV['API_KEY'], ENV['BASE_URL'], ca_file: ENV['CA_FILE'], tries: (ENV['TRIES'] || 5).to_i)
shipment = ''
JSON.parse($stdin.read).each do |call|
  if call['print']
    answer = client.print(call['print'].unpack1('m'), call['printer'])
  else
    params = call['params'].transform_values { |value| value == '$shipment' ? shipment : value }
    answer = client.request(call['carrier'], call['action'], params, call['request_id'])
    found = (answer['data'] || {})['shipment_id'].to_s
    shipment = found unless found.empty?
  end
  puts JSON.generate(answer)
rescue Platen::Error => e
  puts JSON.generate({ raised: { code: e.code, message: e.message } })
end
