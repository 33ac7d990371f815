"""Prints the service_code of the first rate of the local carrier."""

import os
import sys

from platen_client import Client, PlatenError

client = Client(os.environ.get("API_KEY"), os.environ.get("BASE_URL", "http://localhost:8080"))
try:
    answer = client.request(
        "local", "GetAllRates", {"ship_code": "89501", "to_code": "50010", "weight": 3}
    )
except PlatenError as error:
    sys.exit(str(error))
print(answer["data"]["rates"][0]["service_code"])
