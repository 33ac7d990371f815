<?php

namespace Platen;

/**
 * A call that failed: the code is meta.code, or 0 without any answer; $response is the whole answer or null. $requestId is the id of a
 * purchase, which may have been made: the same call with the same id never buys twice.
 */
class PlatenException extends \RuntimeException
{
    public $response;
    public $requestId;

    public function __construct(string $message, int $code = 0, ?array $response = null, ?string $requestId = null)
    {
        parent::__construct($message, $code);
        $this->response = $response;
        $this->requestId = $requestId;
    }
}

/** Buys shipping labels (POST /v1) and prints labels (POST /). */
class Client
{
    /** What spends money, or asks for it back: it gets an id. */
    private const PAID = ['submitshipment', 'voidshipment'];
    /** A gateway that has no answer, and a print server that is busy and has done nothing. */
    private const NO_ANSWER = [502, 503, 504];
    private const PAUSES_MS = [500, 1000, 2000, 4000];

    private $apiKey;
    private $baseUrl;
    private $timeout;
    private $caFile;
    private $tries;

    /**
     * $apiKey may be null where only print is used; $caFile is the authority of the box's own certificate. $timeout: seconds of one
     * try, longer than the print server and a carrier take; $tries: how often a call is sent while no answer comes.
     */
    public function __construct(
        ?string $apiKey,
        string $baseUrl = 'http://printserver.local:8080',
        float $timeout = 150,
        ?string $caFile = null,
        int $tries = 5
    ) {
        $this->apiKey = $apiKey;
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->timeout = $timeout;
        $this->caFile = $caFile;
        $this->tries = $tries;
    }

    /**
     * One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors. A purchase gets an id when
     * it has none, and is sent again with it when the answer is lost: it is never made twice.
     */
    public function request(string $carrier, string $action, array $params = [], ?string $requestId = null): array
    {
        if ($requestId === null && in_array(strtolower($action), self::PAID, true)) {
            $requestId = bin2hex(random_bytes(16));
        }
        $call = ['carrier' => $carrier, 'action' => $action, 'params' => (object) $params];
        if ($requestId !== null) {
            $call['request_id'] = $requestId;
        }
        $answer = $this->postAgain($call);
        $meta = $answer['meta'] ?? [];
        if (($meta['error_message'] ?? '') !== '') {
            throw new PlatenException($meta['error_message'], $meta['code'] ?? 0, $answer, $requestId);
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
        [$answer, $why] = $this->post('/', $body, []);
        if ($answer === null) {
            throw new PlatenException("Unable to reach the print server at $this->baseUrl: $why");
        }
        return $answer;
    }

    /** The same call while no answer comes, each time after a longer pause. */
    private function postAgain(array $call): array
    {
        $what = "$call[carrier] $call[action]";
        $this->say("$what: waiting ...");
        for ($n = 1;; $n++) {
            [$answer, $why, $isLost] = $this->post('/v1', $call, ['x-api-key: ' . $this->apiKey]);
            if (!$isLost || $n >= $this->tries) {
                $this->say('');
                if ($answer !== null) {
                    return $answer;
                }
                $message = "Unable to reach the shipping API at $this->baseUrl: $why";
                throw new PlatenException($message, 0, null, $call['request_id'] ?? null);
            }
            $this->say("$what: no answer ($why); asking again, try " . ($n + 1) . " of $this->tries ...");
            usleep(1000 * self::PAUSES_MS[min($n, count(self::PAUSES_MS)) - 1]);
        }
    }

    /** Says on a terminal what is waited for; nothing anywhere else. */
    private function say(string $words): void
    {
        if (defined('STDERR') && stream_isatty(STDERR)) {
            fwrite(STDERR, "\r\033[K$words");
        }
    }

    /** The answer, or null and why there is none; whether it may come with another try. */
    private function post(string $path, array $body, array $headers): array
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
        $warnings = [];
        set_error_handler(function (int $_, string $message) use (&$warnings): bool {
            $warnings[] = $message;
            return true;
        });
        try {
            $stream = fopen($this->baseUrl . $path, 'r', false, $context);
            $text = $stream === false ? false : stream_get_contents($stream);
            $about = $stream === false ? [] : stream_get_meta_data($stream);
        } finally {
            restore_error_handler();
        }
        if ($text === false) {
            $all = implode(' ', $warnings);
            return [null, $all === '' ? 'no answer' : $all, stripos($all, 'certificate') === false];
        }
        $lines = $about['wrapper_data'] ?? [];
        $status = preg_match('~^HTTP/\S+ (\d+)~', $lines[0] ?? '', $found) === 1 ? (int) $found[1] : 0;
        $answer = json_decode($text, true);
        $isWhole = $this->isWhole($text, $lines) && !$about['timed_out'];
        $isLost = in_array($status, self::NO_ANSWER, true) || !$isWhole || $status === 0;
        return is_array($answer) ? [$answer, "status $status", $isLost] : [null, 'no JSON object came', $isLost];
    }

    /** PHP does not tell when an answer is cut off. */
    private function isWhole(string $text, array $lines): bool
    {
        foreach ($lines as $line) {
            if (preg_match('~^content-length:\s*(\d+)~i', $line, $found) === 1) {
                return strlen($text) >= (int) $found[1];
            }
            if (preg_match('~^transfer-encoding:\s*chunked~i', $line) === 1) {
                return json_decode($text) !== null;
            }
        }
        return true;
    }
}
