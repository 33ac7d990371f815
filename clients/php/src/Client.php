<?php

namespace Platen;

/** A call that failed: the code is meta.code, or 0 without any answer; $response is the whole answer or null. */
class PlatenException extends \RuntimeException
{
    public $response;

    public function __construct(string $message, int $code = 0, ?array $response = null)
    {
        parent::__construct($message, $code);
        $this->response = $response;
    }
}

/** Buys shipping labels (POST /v1) and prints labels (POST /). */
class Client
{
    private $apiKey;
    private $baseUrl;
    private $timeout;
    private $caFile;

    /** $apiKey may be null where only print is used; $caFile is the authority of the box's own certificate. */
    public function __construct(
        ?string $apiKey,
        string $baseUrl = 'http://printserver.local:8080',
        float $timeout = 30,
        ?string $caFile = null
    ) {
        $this->apiKey = $apiKey;
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->timeout = $timeout;
        $this->caFile = $caFile;
    }

    /** One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors. */
    public function request(string $carrier, string $action, array $params = [], ?string $requestId = null): array
    {
        $call = ['carrier' => $carrier, 'action' => $action, 'params' => (object) $params];
        if ($requestId !== null) {
            $call['request_id'] = $requestId;
        }
        $answer = $this->post('/v1', $call, ['x-api-key: ' . $this->apiKey], 'shipping API');
        $meta = $answer['meta'] ?? [];
        if (($meta['error_message'] ?? '') !== '') {
            throw new PlatenException($meta['error_message'], $meta['code'] ?? 0, $answer);
        }
        return $answer;
    }

    /** Prints a label file on a printer, or on the default one; gives the answer of POST /. */
    public function print(string $label, ?string $printer = null): array
    {
        $body = ['label' => base64_encode($label)];
        if ($printer !== null) {
            $body['printer'] = $printer;
        }
        return $this->post('/', $body, [], 'print server');
    }

    private function post(string $path, array $body, array $headers, string $what): array
    {
        $headers[] = 'Content-Type: application/json';
        $headers[] = 'Accept: application/json';
        $context = stream_context_create([
            'http' => [
                'method' => 'POST',
                'header' => $headers,
                'content' => json_encode($body),
                'timeout' => $this->timeout,
                'ignore_errors' => true,
                'follow_location' => 0,
            ],
            'ssl' => $this->caFile === null ? [] : ['cafile' => $this->caFile],
        ]);
        error_clear_last();
        $text = @file_get_contents($this->baseUrl . $path, false, $context);
        $answer = $text === false ? null : json_decode($text, true);
        if (!is_array($answer)) {
            $why = $text === false ? (error_get_last()['message'] ?? 'no answer') : 'no JSON object came';
            throw new PlatenException("Unable to reach the $what at $this->baseUrl: $why");
        }
        return $answer;
    }
}
