<?php

// Prints the service_code of the first rate of the local carrier.
require __DIR__ . '/src/Client.php';

$client = new Platen\Client(getenv('API_KEY') ?: null, getenv('BASE_URL') ?: 'http://localhost:8080');
try {
    $answer = $client->request('local', 'GetAllRates', ['ship_code' => '89501', 'to_code' => '50010', 'weight' => 3]);
    echo $answer['data']['rates'][0]['service_code'], "\n";
} catch (Platen\PlatenException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
