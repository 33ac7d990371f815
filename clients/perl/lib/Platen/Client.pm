package Platen::Client;

use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use MIME::Base64 qw(encode_base64);

our $VERSION = '0.1.0';

# What spends money, or asks for it back: it gets an id.
my %PAID = map { $_ => 1 } qw(submitshipment voidshipment);

# A gateway that has no answer, and a print server that is busy and has done nothing.
my %NO_ANSWER = map { $_ => 1 } (502, 503, 504);

my @PAUSES = (0.5, 1, 2, 4);

# Buys shipping labels (POST /v1) and prints labels (POST /).
# api_key may be left out where only print is used; ca_file is the authority of the box's own certificate. timeout: seconds of one
# try, longer than the print server and a carrier take; tries: how often a call is sent while no answer comes.
sub new {
    my ($class, %options) = @_;
    my $self = {
        base_url => 'http://printserver.local:8080',
        timeout  => 150,
        tries    => 5,
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

# One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors. A purchase gets an id when it
# has none, and is sent again with it when the answer is lost: it is never made twice.
sub request {
    my ($self, $carrier, $action, $params, $request_id) = @_;
    $request_id = _make_id() if !defined $request_id && $PAID{ lc $action };
    my $call = { carrier => $carrier, action => $action, params => $params || {} };
    $call->{request_id} = $request_id if defined $request_id;
    my $key    = defined $self->{api_key} ? $self->{api_key} : '';
    my $answer = $self->_post_again($call, { 'x-api-key' => $key });
    my $meta   = $answer->{meta} || {};
    my $fault  = $meta->{error_message};
    die Platen::Error->new($fault, $meta->{code}, $answer, $request_id) if defined $fault && $fault ne '';
    return $answer;
}

# Prints a label file (bytes) on a printer, or on the default one; gives the answer of POST /.
sub print {
    my ($self, $label, $printer) = @_;
    my $body = { label => encode_base64($label, '') };
    $body->{printer} = $printer if defined $printer;
    my ($answer, $why) = $self->_post('/', $body, {});
    die Platen::Error->new("Unable to reach the print server at $self->{base_url}: $why") if !$answer;
    return $answer;
}

# The same call while no answer comes, each time after a longer pause.
sub _post_again {
    my ($self, $call, $headers) = @_;
    my $what  = "$call->{carrier} $call->{action}";
    my $tries = $self->{tries};
    _say("$what: waiting ...");
    for my $n (1 .. $tries) {
        my ($answer, $why, $is_lost) = $self->_post('/v1', $call, $headers);
        if (!$is_lost || $n == $tries) {
            _say('');
            return $answer if $answer;
            my $message = "Unable to reach the shipping API at $self->{base_url}: $why";
            die Platen::Error->new($message, 0, undef, $call->{request_id});
        }
        _say("$what: no answer ($why); asking again, try " . ($n + 1) . " of $tries ...");
        select undef, undef, undef, $PAUSES[$n > @PAUSES ? -1 : $n - 1];
    }
    die 'tries must be 1 or more';
}

# Says on a terminal what is waited for; nothing anywhere else.
sub _say {
    my ($words) = @_;
    print STDERR "\r\e[K$words" if -t STDERR;
    return;
}

# The answer, or undef and why there is none; whether it may come with another try.
sub _post {
    my ($self, $path, $body, $headers) = @_;
    my $reply = $self->{http}->post(
        $self->{base_url} . $path,
        {
            content => encode_json($body),
            headers => { 'Content-Type' => 'application/json', Accept => 'application/json', %$headers },
        }
    );
    my $answer = eval { decode_json($reply->{content}) };
    $answer = undef if ref $answer ne 'HASH';
    # 599 is HTTP::Tiny's own: no answer came.
    return ($answer, 'no JSON object came', $NO_ANSWER{ $reply->{status} }) if $reply->{status} != 599;
    my $why = $reply->{content};
    $why =~ s/\s+\z//;
    return (undef, $why, $why !~ /certificate|Malformed/i);
}

# A random UUID.
sub _make_id {
    my @bytes = map { int rand 256 } 1 .. 16;
    if (open my $random, '<:raw', '/dev/urandom') {
        @bytes = unpack 'C16', $_ if read($random, local $_, 16) == 16;
    }
    $bytes[6] = $bytes[6] & 0x0f | 0x40;
    $bytes[8] = $bytes[8] & 0x3f | 0x80;
    return sprintf '%02x' x 4 . '-' . join('-', ('%02x' x 2) x 3) . '-' . '%02x' x 6, @bytes;
}

package Platen::Error;

use overload '""' => sub { $_[0]{message} }, fallback => 1;

# A call that failed: code is meta.code, or 0 without any answer; response the whole answer or undef. request_id is the id of a
# purchase, which may have been made: the same call with the same id never buys twice.
sub new {
    my ($class, $message, $code, $response, $request_id) = @_;
    my %error = (message => $message, code => $code || 0, response => $response, request_id => $request_id);
    return bless \%error, $class;
}

sub code     { return $_[0]{code} }
sub message  { return $_[0]{message} }
sub response { return $_[0]{response} }
sub request_id { return $_[0]{request_id} }

1;
