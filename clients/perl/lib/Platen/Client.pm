package Platen::Client;

use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use MIME::Base64 qw(encode_base64);

our $VERSION = '0.1.0';

# Buys shipping labels (POST /v1) and prints labels (POST /).
# api_key may be left out where only print is used; ca_file is the authority of the box's own certificate.
sub new {
    my ($class, %options) = @_;
    my $self = {
        base_url => 'http://printserver.local:8080',
        timeout  => 30,
        %options,
    };
    $self->{base_url} =~ s{/+\z}{};
    my %ssl = defined $self->{ca_file} ? (SSL_options => { SSL_ca_file => $self->{ca_file} }) : ();
    $self->{http} = HTTP::Tiny->new(
        timeout      => $self->{timeout},
        max_redirect => 0,
        verify_SSL   => 1,
        # Not those of the environment: the key and the labels are for this print server only.
        proxy        => undef,
        http_proxy   => undef,
        https_proxy  => undef,
        %ssl,
    );
    return bless $self, $class;
}

# One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors.
sub request {
    my ($self, $carrier, $action, $params, $request_id) = @_;
    my $call = { carrier => $carrier, action => $action, params => $params || {} };
    $call->{request_id} = $request_id if defined $request_id;
    my $key    = defined $self->{api_key} ? $self->{api_key} : '';
    my $answer = $self->_post('/v1', $call, { 'x-api-key' => $key }, 'shipping API');
    my $meta   = $answer->{meta} || {};
    my $fault  = $meta->{error_message};
    die Platen::Error->new($fault, $meta->{code}, $answer) if defined $fault && $fault ne '';
    return $answer;
}

# Prints a label file (bytes) on a printer, or on the default one; gives the answer of POST /.
sub print {
    my ($self, $label, $printer) = @_;
    my $body = { label => encode_base64($label, '') };
    $body->{printer} = $printer if defined $printer;
    return $self->_post('/', $body, {}, 'print server');
}

sub _post {
    my ($self, $path, $body, $headers, $what) = @_;
    my $reply = $self->{http}->post(
        $self->{base_url} . $path,
        {
            content => encode_json($body),
            headers => { 'Content-Type' => 'application/json', Accept => 'application/json', %$headers },
        }
    );
    # 599 is HTTP::Tiny's own: no answer came.
    my $answer = $reply->{status} == 599 ? undef : eval { decode_json($reply->{content}) };
    return $answer if ref $answer eq 'HASH';
    my $why = $reply->{status} == 599 ? $reply->{content} : 'no JSON object came';
    $why =~ s/\s+\z//;
    die Platen::Error->new("Unable to reach the $what at $self->{base_url}: $why", 0, undef);
}

package Platen::Error;

use overload '""' => sub { $_[0]{message} }, fallback => 1;

# A call that failed: code is meta.code, or 0 without any answer; response the whole answer or undef.
sub new {
    my ($class, $message, $code, $response) = @_;
    return bless { message => $message, code => $code || 0, response => $response }, $class;
}

sub code     { return $_[0]{code} }
sub message  { return $_[0]{message} }
sub response { return $_[0]{response} }

1;
