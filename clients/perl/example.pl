#!/usr/bin/env perl
# Prints the service_code of the first rate of the local carrier.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Platen::Client;

my $client = Platen::Client->new(
    api_key  => $ENV{API_KEY},
    base_url => $ENV{BASE_URL} || 'http://localhost:8080',
);
my $answer = eval {
    $client->request('local', 'GetAllRates', { ship_code => '89501', to_code => '50010', weight => 3 });
};
die "$@\n" unless $answer;
print $answer->{data}{rates}[0]{service_code}, "\n";
