#!/usr/bin/env python3
"""Has sslyze judge the server's TLS by Mozilla's guideline: `make tls-check`.

Certificates are made for the occasion: an authority, and of it an ECDSA and an RSA certificate.
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time

EXTENSIONS = """subjectAltName=DNS:localhost
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
authorityKeyIdentifier=keyid
subjectKeyIdentifier=hash
"""
P256 = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
# The modern profile wants ECDSA alone.
KEYS = {"intermediate": ["ecdsa", "rsa"], "modern": ["ecdsa"]}


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_authority(folder):
    openssl("req", "-x509", "-newkey", *P256, "-nodes", "-keyout", f"{folder}/ca.key", "-out",
            f"{folder}/ca.pem", "-days", "90", "-subj", "/CN=Authority of a check", "-addext",
            "basicConstraints=critical,CA:TRUE", "-addext",
            "keyUsage=critical,keyCertSign,cRLSign")


def make_certificate(folder, name, key):
    path = f"{folder}/{name}"
    with open(f"{path}.ext", "w", encoding="ascii") as file:
        file.write(EXTENSIONS)
    openssl("req", "-newkey", *key, "-nodes", "-keyout", f"{path}.key", "-out", f"{path}.csr",
            "-subj", "/CN=localhost")
    openssl("x509", "-req", "-in", f"{path}.csr", "-CA", f"{folder}/ca.pem", "-CAkey",
            f"{folder}/ca.key", "-CAcreateserial", "-days", "80", "-sha256", "-extfile",
            f"{path}.ext", "-out", f"{path}.pem")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def serve(binary, folder, profile, port):
    command = [binary, "serve", "--database", f"{folder}/{profile}.db", "--listen",
               f"127.0.0.1:{port}", "--log", "off", "--tls-profile", profile]
    for key in KEYS[profile]:
        command += ["--tls-certificate", f"{folder}/{key}.pem", "--tls-key", f"{folder}/{key}.key"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while not accepts(port):
        if server.poll() is not None or time.monotonic() > end:
            raise SystemExit("tls-check: the server did not start")
        time.sleep(0.01)
    return server


def judge(sslyze, folder, profile, port):
    result = subprocess.run(
        [sslyze, f"--mozilla_config={profile}", "--certinfo_ca_file", f"{folder}/ca.pem",
         f"localhost:{port}"], capture_output=True, text=True)
    verdict = result.stdout[result.stdout.rfind("Checking results against"):].strip()
    print(f"{profile}: {verdict or result.stdout + result.stderr}\n", flush=True)
    return "OK - Compliant" in verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--broadsheet", default=".build/broadsheet")
    parser.add_argument("--sslyze", default="sslyze", help="the program (PyPI: sslyze)")
    wanted = parser.parse_args()
    isGood = True
    with tempfile.TemporaryDirectory(prefix="broadsheet-tls-") as folder:
        make_authority(folder)
        make_certificate(folder, "ecdsa", P256)
        make_certificate(folder, "rsa", ["rsa:2048"])
        for profile in KEYS:
            port = free_port()
            server = serve(os.path.abspath(wanted.broadsheet), folder, profile, port)
            try:
                isGood = judge(wanted.sslyze, folder, profile, port) and isGood
            finally:
                server.terminate()
                server.wait(15)
    sys.exit(0 if isGood else 1)


if __name__ == "__main__":
    main()
