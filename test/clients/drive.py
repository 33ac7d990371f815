# Makes the calls of standard input with the Python client; a line of JSON each.
import base64
import json
import os
import sys

from platen_client import Client, PlatenError

client = Client(os.environ["API_KEY"], os.environ["BASE_URL"], ca_file=os.environ.get("CA_FILE"), tries=int(os.environ.get("TRIES", "5")))
shipment = ""
for call in json.load(sys.stdin):
    try:
        if "print" in call:
            answer = client.print(base64.b64decode(call["print"]), call.get("printer"))
        else:
            params = {k: shipment if v == "$shipment" else v for k, v in call["params"].items()}
            answer = client.request(call["carrier"], call["action"], params, call.get("request_id"))
            shipment = (answer["data"] or {}).get("shipment_id") or shipment
        print(json.dumps(answer))
    except PlatenError as error:
        print(json.dumps({"raised": {"code": error.code, "message": str(error)}}))
