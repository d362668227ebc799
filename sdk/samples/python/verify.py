"""Verifies webhooks. Copy `verify`; the rest runs it against the golden vectors: python3 verify.py webhooks.json"""

import base64
import hashlib
import hmac
import json
import re
import sys
import time


def verify(headers, body, secrets, scheme="v1", tolerance=300, now=None):
    """Returns None for a genuine webhook, else the reason. `headers` have lower-case names, `body` is the raw bytes."""
    if not isinstance(body, bytes):
        return "body_parsed"
    secrets = [secret for secret in secrets if secret]
    if not secrets:
        return "secret_missing"
    signed = body
    if scheme == "v1":
        timestamp = headers.get("x-service-timestamp")
        if timestamp is None:
            return "timestamp_missing"
        if not re.fullmatch(r"[0-9]{1,12}", timestamp):
            return "timestamp_malformed"
        age = (time.time() if now is None else now) - int(timestamp)
        if age > tolerance:
            return "timestamp_too_old"
        if age < -tolerance:
            return "timestamp_too_new"
        signed = timestamp.encode() + b"." + body
    names = ("x-service-signature", "x-service-signature-next")
    given = [headers[name] for name in names if name in headers]
    if not given:
        return "signature_missing"
    given = [text for text in given if re.fullmatch(scheme + "=[0-9a-f]{64}", text)]
    if not given:
        return "signature_malformed"
    for secret in secrets:
        digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        for text in given:
            if hmac.compare_digest(f"{scheme}={digest}", text):
                return None if is_json(body) else "body_not_json"
    return "signature_mismatch"


def is_json(body):
    try:
        json.loads(body)
        return True
    except ValueError:
        return False


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        vectors = json.load(file)["vectors"]
    print(json.dumps([
        verify(
            vector["headers"],
            base64.b64decode(vector["bodyBase64"]),
            vector["secrets"],
            vector["scheme"],
            vector["toleranceSeconds"],
            vector["now"],
        )
        for vector in vectors
    ]))
