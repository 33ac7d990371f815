"""Client of the platen print server: buys shipping labels (POST /v1) and prints labels (POST /)."""

import base64
import http.client
import json
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

__version__ = "0.1.0"

# What spends money, or asks for it back: it gets an id.
_PAID = ("submitshipment", "voidshipment")
# A gateway that has no answer, and a print server that is busy and has done nothing.
_NO_ANSWER = (502, 503, 504)
_PAUSES = (0.5, 1, 2, 4)


class PlatenError(Exception):
    """A call that failed; code is meta.code, or 0 without any answer, response the whole answer or None.

    request_id is the id of a purchase, which may have been made: the same call with the same id never buys twice.
    """

    def __init__(self, message, code=0, response=None, request_id=None):
        super().__init__(message)
        self.code = code
        self.response = response
        self.request_id = request_id


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class _Lost(Exception):
    """No answer came; `lasting`: another try does not change that."""

    def __init__(self, why, lasting=False, answer=None):
        super().__init__(str(why))
        self.lasting = lasting
        self.answer = answer


class _Progress:
    """Says on a terminal what is waited for; nothing anywhere else."""

    def __init__(self, what):
        self.what = what
        self.words = "waiting"
        self.began = time.monotonic()
        self.shown = False
        self.ended = threading.Event()
        self.thread = None
        if sys.stderr is not None and sys.stderr.isatty():
            self.thread = threading.Thread(target=self._run, daemon=True)
            self.thread.start()

    def __enter__(self):
        return self

    def say(self, words):
        self.words = words
        if self.thread is not None:
            self._show()

    def _run(self):
        wait = 2
        while not self.ended.wait(wait):
            self._show()
            wait = 1

    def _show(self):
        self.shown = True
        seconds = round(time.monotonic() - self.began)
        print(f"\r\033[K{self.what}: {self.words}, {seconds} s", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_):
        self.ended.set()
        if self.thread is not None:
            self.thread.join()
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Client:
    """api_key may be None where only print is used; ca_file is the authority of the box's own certificate.

    timeout: seconds of one try, longer than the print server and a carrier take; tries: how often a call is sent while no
    answer comes.
    """

    def __init__(self, api_key, base_url="http://printserver.local:8080", timeout=150, ca_file=None, tries=5):
        self.api_key = api_key
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        self.tries = tries
        context = ssl.create_default_context(cafile=ca_file) if ca_file else None
        # Neither a proxy nor a redirect: the key and the labels are for this print server only.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), _NoRedirects(), urllib.request.HTTPSHandler(context=context)
        )

    def request(self, carrier, action, params=None, request_id=None):
        """One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors.

        A purchase gets an id when it has none, and is sent again with it when the answer is lost: it is never made twice.
        """
        if request_id is None and str(action).lower() in _PAID:
            request_id = str(uuid.uuid4())
        call = {"carrier": carrier, "action": action, "params": params or {}}
        if request_id is not None:
            call["request_id"] = request_id
        with _Progress(f"{carrier} {action}") as progress:
            answer = self._post_again("/v1", call, {"x-api-key": self.api_key or ""}, progress)
        meta = answer.get("meta") or {}
        if meta.get("error_message"):
            raise PlatenError(meta["error_message"], meta.get("code", 0), answer, request_id)
        return answer

    def print(self, label, printer=None):
        """Prints a label file (bytes) on a printer, or on the default one; gives the answer of POST /."""
        body = {"label": base64.b64encode(label).decode("ascii")}
        if printer is not None:
            body["printer"] = printer
        try:
            return self._post("/", body, {})
        except _Lost as lost:
            if lost.answer is not None:
                return lost.answer
            raise PlatenError(f"Unable to reach the print server at {self.base_url}: {lost}") from lost

    def _post_again(self, path, call, headers, progress):
        """The same call while no answer comes, each time after a longer pause."""
        for n in range(1, self.tries + 1):
            try:
                return self._post(path, call, headers)
            except _Lost as lost:
                if lost.lasting or n >= self.tries:
                    if lost.answer is not None:
                        return lost.answer
                    message = f"Unable to reach the shipping API at {self.base_url}: {lost}"
                    raise PlatenError(message, request_id=call.get("request_id")) from lost
                progress.say(f"no answer ({lost}); asking again, try {n + 1} of {self.tries}")
                time.sleep(_PAUSES[min(n, len(_PAUSES)) - 1])
        raise ValueError("tries must be 1 or more")

    def _post(self, path, body, headers):
        headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        data = json.dumps(body).encode("utf-8")
        request = urllib.request.Request(self.base_url + path, data=data, headers=headers)
        try:
            try:
                with self.opener.open(request, timeout=self.timeout) as reply:
                    status, text = reply.status, reply.read()
            except urllib.error.HTTPError as error:
                status, text = error.code, error.read()
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            lasting = isinstance(reason, (ssl.SSLCertVerificationError, http.client.BadStatusLine))
            is_silent = isinstance(reason, http.client.RemoteDisconnected)
            raise _Lost(error, lasting and not is_silent) from error
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise _Lost("no JSON object came", lasting=status not in _NO_ANSWER)
        if status in _NO_ANSWER:
            raise _Lost(f"status {status}", answer=answer)
        return answer
