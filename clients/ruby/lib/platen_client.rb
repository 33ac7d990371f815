require 'json'
require 'net/http'
require 'openssl'

module Platen
  # A call that failed: code is meta.code, or 0 without any answer; response the whole answer or nil.
  class Error < StandardError
    attr_reader :code, :response

    def initialize(message, code = 0, response = nil)
      super(message)
      @code = code
      @response = response
    end
  end

  # Buys shipping labels (POST /v1) and prints labels (POST /).
  class Client
    # api_key may be nil where only print is used; ca_file is the authority of the box's own certificate.
    def initialize(api_key, base_url = 'http://printserver.local:8080', timeout: 30, ca_file: nil)
      @api_key = api_key
      @base_url = base_url.sub(%r{/+\z}, '')
      @timeout = timeout
      @ca_file = ca_file
    end

    # One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors.
    def request(carrier, action, params = {}, request_id = nil)
      call = { carrier: carrier, action: action, params: params }
      call[:request_id] = request_id unless request_id.nil?
      answer = post('/v1', call, { 'x-api-key' => @api_key.to_s }, 'shipping API')
      meta = answer['meta'] || {}
      message = meta['error_message'].to_s
      raise Error.new(message, meta['code'] || 0, answer) unless message.empty?

      answer
    end

    # Prints a label file (bytes) on a printer, or on the default one; gives the answer of POST /.
    def print(label, printer = nil)
      body = { label: [label].pack('m0') }
      body[:printer] = printer unless printer.nil?
      post('/', body, {}, 'print server')
    end

    private

    def post(path, body, headers, what)
      answer = JSON.parse(send_json(URI(@base_url + path), JSON.generate(body), headers))
      return answer if answer.is_a?(Hash)

      raise Error, "Unable to reach the #{what} at #{@base_url}: no JSON object came"
    rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, JSON::ParserError,
           Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError => e
      raise Error, "Unable to reach the #{what} at #{@base_url}: #{e.message}"
    end

    def send_json(uri, body, headers)
      http = Net::HTTP.new(uri.hostname, uri.port, nil)
      http.use_ssl = uri.scheme == 'https'
      http.ca_file = @ca_file if @ca_file
      http.open_timeout = http.read_timeout = @timeout
      # Never twice: a purchase may have been made.
      http.max_retries = 0
      all = { 'Content-Type' => 'application/json', 'Accept' => 'application/json' }.merge(headers)
      http.post(uri.request_uri, body, all).body.to_s
    end
  end
end
