"""Client of the platen print server: buys shipping labels (POST /v1) and prints labels (POST /)."""

import base64
import http.client
import json
import ssl
import urllib.error
import urllib.request

__version__ = "0.1.0"


class PlatenError(Exception):
    """A call that failed; code is meta.code, or 0 without any answer, response the whole answer or None."""

    def __init__(self, message, code=0, response=None):
        super().__init__(message)
        self.code = code
        self.response = response


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Client:
    """api_key may be None where only print is used; ca_file is the authority of the box's own certificate."""

    def __init__(self, api_key, base_url="http://printserver.local:8080", timeout=30, ca_file=None):
        self.api_key = api_key
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        context = ssl.create_default_context(cafile=ca_file) if ca_file else None
        # Neither a proxy nor a redirect: the key and the labels are for this print server only.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), _NoRedirects(), urllib.request.HTTPSHandler(context=context)
        )

    def request(self, carrier, action, params=None, request_id=None):
        """One call of the shipping API; gives the whole envelope. What a carrier refuses stands in data.errors."""
        call = {"carrier": carrier, "action": action, "params": params or {}}
        if request_id is not None:
            call["request_id"] = request_id
        answer = self._post("/v1", call, {"x-api-key": self.api_key or ""}, "shipping API")
        meta = answer.get("meta") or {}
        if meta.get("error_message"):
            raise PlatenError(meta["error_message"], meta.get("code", 0), answer)
        return answer

    def print(self, label, printer=None):
        """Prints a label file (bytes) on a printer, or on the default one; gives the answer of POST /."""
        body = {"label": base64.b64encode(label).decode("ascii")}
        if printer is not None:
            body["printer"] = printer
        return self._post("/", body, {}, "print server")

    def _post(self, path, body, headers, what):
        headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        data = json.dumps(body).encode("utf-8")
        request = urllib.request.Request(self.base_url + path, data=data, headers=headers)
        try:
            try:
                with self.opener.open(request, timeout=self.timeout) as reply:
                    text = reply.read()
            except urllib.error.HTTPError as error:
                text = error.read()
            answer = json.loads(text)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise PlatenError(f"Unable to reach the {what} at {self.base_url}: {error}") from error
        if not isinstance(answer, dict):
            raise PlatenError(f"Unable to reach the {what} at {self.base_url}: no JSON object came")
        return answer
