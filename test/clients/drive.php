<?php

// Makes the calls of standard input with the PHP client; a line of JSON each.
require __DIR__ . '/../../clients/php/src/Client.php';

$client = new Platen\Client(getenv('API_KEY'), getenv('BASE_URL'), 150, getenv('CA_FILE') ?: null, (int) (getenv('TRIES') ?: 5));
$shipment = '';
foreach (json_decode(file_get_contents('php://stdin'), true) as $call) {
    try {
        if (isset($call['print'])) {
            $answer = $client->print(base64_decode($call['print']), $call['printer'] ?? null);
        } else {
            $params = array_map(fn ($value) => $value === '$shipment' ? $shipment : $value, $call['params']);
            $answer = $client->request($call['carrier'], $call['action'], $params, $call['request_id'] ?? null);
            $shipment = ($answer['data']['shipment_id'] ?? '') ?: $shipment;
        }
        echo json_encode($answer), "\n";
    } catch (Platen\PlatenException $error) {
        echo json_encode(['raised' => ['code' => $error->getCode(), 'message' => $error->getMessage()]]), "\n";
    }
}
