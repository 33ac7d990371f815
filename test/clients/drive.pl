# Makes the calls of standard input with the Perl client; a line of JSON each.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../clients/perl/lib";
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use Platen::Client;

my %ca = $ENV{CA_FILE} ? (ca_file => $ENV{CA_FILE}) : ();
my $client = Platen::Client->new(api_key => $ENV{API_KEY}, base_url => $ENV{BASE_URL}, %ca, tries => $ENV{TRIES} || 5);
my $shipment = '';
for my $call (@{ decode_json(join '', <STDIN>) }) {
    my $answer = eval { make($call) };
    $answer ||= { raised => { code => $@->code, message => $@->message } };
    print encode_json($answer), "\n";
}

sub make {
    my ($call) = @_;
    return $client->print(decode_base64($call->{print}), $call->{printer}) if $call->{print};
    my %params = %{ $call->{params} };
    for my $name (keys %params) {
        $params{$name} = $shipment if !ref $params{$name} && $params{$name} eq '$shipment';
    }
    my $answer = $client->request($call->{carrier}, $call->{action}, \%params, $call->{request_id});
    $shipment = $answer->{data}{shipment_id} if $answer->{data} && $answer->{data}{shipment_id};
    return $answer;
}
