require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'

module Platen
  # A call that failed: code is meta.code, or 0 without any answer; response the whole answer or nil. request_id is the id of a
  # purchase, which may have been made: the same call with the same id never buys twice.
  class Error < StandardError
    attr_reader :code, :response, :request_id

    def initialize(message, code = 0, response = nil, request_id = nil)
      super(message)
      @code = code
      @response = response
      @request_id = request_id
    end
  end

  # No answer came; lasting: another try does not change that.
  class Lost < StandardError
    attr_reader :lasting, :answer

    def initialize(message, lasting: false, answer: nil)
      super(message)
      @lasting = lasting
      @answer = answer
    end
  end
  private_constant :Lost

  # Says on a terminal what is waited for; nothing anywhere else.
  class Progress
    def initialize(what)
      @what = what
      @words = 'waiting'
      @began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      @thread = Thread.new { run } if $stderr.tty?
    end

    def say(words)
      @words = words
      show if @thread
    end

    def finish
      @thread&.kill
      $stderr.print("\r\e[K") if @shown
    end

    private

    def run
      sleep 2
      loop do
        show
        sleep 1
      end
    end

    def show
      @shown = true
      seconds = (Process.clock_gettime(Process::CLOCK_MONOTONIC) - @began).round
      $stderr.print("\r\e[K#{@what}: #{@words}, #{seconds} s")
    end
  end
  private_constant :Progress

  # Buys shipping labels (POST /v1) and prints labels (POST /).
  class Client
    # What spends money, or asks for it back: it gets an id.
    PAID = %w[submitshipment voidshipment].freeze
    # A gateway that has no answer, and a print server that is busy and has done nothing.
    NO_ANSWER = %w[502 503 504].freeze
    PAUSES = [0.5, 1, 2, 4].freeze
    FAULTS = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
              Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError].freeze
    private_constant :PAID, :NO_ANSWER, :PAUSES, :FAULTS

    # api_key may be nil where only print is used; ca_file is the authority of the box's own certificate. timeout: seconds of one
    # try, longer than the print server and a carrier take; tries: how often a call is sent while no answer comes.
    def initialize(api_key, base_url = 'http://printserver.local:8080', timeout: 150, ca_file: nil, tries: 5)
      @api_key = api_key
      @base_url = base_url.sub(%r{/+\z}, '')
      @timeout = timeout
      @ca_file = ca_file
      @tries = tries
    end

    # One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors. A purchase gets an id
    # when it has none, and is sent again with it when the answer is lost: it is never made twice.
    def request(carrier, action, params = {}, request_id = nil)
      request_id ||= SecureRandom.uuid if PAID.include?(action.to_s.downcase)
      call = { carrier: carrier, action: action, params: params }
      call[:request_id] = request_id unless request_id.nil?
      answer = post_again(call, Progress.new("#{carrier} #{action}"))
      meta = answer['meta'] || {}
      message = meta['error_message'].to_s
      raise Error.new(message, meta['code'] || 0, answer, request_id) unless message.empty?

      answer
    end

    # Prints a label file (bytes) on a printer, or on the default one; gives the answer of POST /.
    def print(label, printer = nil)
      body = { label: [label].pack('m0') }
      body[:printer] = printer unless printer.nil?
      post('/', body, {})
    rescue Lost => e
      return e.answer if e.answer

      raise Error, "Unable to reach the print server at #{@base_url}: #{e.message}"
    end

    private

    # The same call while no answer comes, each time after a longer pause.
    def post_again(call, progress)
      n = 0
      begin
        n += 1
        post('/v1', call, { 'x-api-key' => @api_key.to_s })
      rescue Lost => e
        if !e.lasting && n < @tries
          progress.say("no answer (#{e.message}); asking again, try #{n + 1} of #{@tries}")
          sleep PAUSES[[n, PAUSES.length].min - 1]
          retry
        end
        return e.answer if e.answer

        message = "Unable to reach the shipping API at #{@base_url}: #{e.message}"
        raise Error.new(message, 0, nil, call[:request_id])
      end
    ensure
      progress.finish
    end

    def post(path, body, headers)
      reply = send_json(URI(@base_url + path), JSON.generate(body), headers)
      # Net::HTTP does not tell when an answer is cut off.
      is_lost = NO_ANSWER.include?(reply.code) || reply.body.to_s.bytesize < reply.content_length.to_i
      answer = parse(reply.body.to_s)
      raise Lost.new('no JSON object came', lasting: !is_lost) if answer.nil?
      raise Lost.new("status #{reply.code}", answer: answer) if is_lost

      answer
    rescue *FAULTS => e
      lasting = e.is_a?(Net::HTTPBadResponse) || e.message.include?('certificate')
      raise Lost.new(e.message, lasting: lasting)
    end

    def parse(text)
      answer = JSON.parse(text)
      answer.is_a?(Hash) ? answer : nil
    rescue JSON::ParserError
      nil
    end

    def send_json(uri, body, headers)
      http = Net::HTTP.new(uri.hostname, uri.port, nil)
      http.use_ssl = uri.scheme == 'https'
      http.ca_file = @ca_file if @ca_file
      http.open_timeout = http.read_timeout = @timeout
      # Not by Net::HTTP: it does not know what may be sent twice.
      http.max_retries = 0
      all = {
        'Content-Type' => 'application/json',
        'Accept' => 'application/json',
        'Accept-Encoding' => 'identity'
      }.merge(headers)
      http.post(uri.request_uri, body, all)
    end
  end
end
