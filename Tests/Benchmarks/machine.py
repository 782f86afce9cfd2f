"""Starts processes on separate cores, measures their resource usage, and generates load."""

import glob
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

SERVER_CORE, LOAD_CORE = "0", "1"

# The low bits of the kernel's identifier of a process's CPU clock (CPUCLOCK_SCHED).
CPU_CLOCK = 2


class Lab:
    """A temporary folder and the processes started in it; both are removed at the end."""

    def __init__(self, broadsheet, store_bench):
        self.broadsheet, self.store_bench = broadsheet, store_bench
        self.folder = tempfile.mkdtemp(prefix="broadsheet-bench-")
        self.servers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def serve(self, database, *options, scheme="http", logs=False, cores=SERVER_CORE):
        """Starts a broadsheet server with one loop on each of the cores; with `logs`, it logs
        every request to a file, which is the default."""
        port = free_port()
        loops = str(cores.count(",") + 1)
        command = [self.broadsheet, "serve", "--loops", loops, "--listen", f"127.0.0.1:{port}",
                   "--database", database, *([] if logs else ["--log", "off"]), *options]
        environment = dict(os.environ, BROADSHEET_ADMIN_KEY="k" * 40)
        log = self.path(f"broadsheet-{port}.log")
        return self.keep(Server(command, port, log, environment, scheme, cores=cores))

    def nginx(self, responses, certificate=None, logs=False, http2=False):
        """Starts an nginx that responds to `/0`, `/1`, … with these fields and bodies (`return
        200`); over TLS if there is a certificate (`.pem` and `.key`); with `logs`, it logs every
        request to a file."""
        port = free_port()
        folder = self.path(f"nginx-{port}")
        os.mkdir(folder)
        configuration = os.path.join(folder, "nginx.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(nginx_configuration(folder, port, responses, certificate, logs, http2))
        command = ["nginx", "-p", folder, "-c", configuration]
        scheme = "https" if certificate else "http"
        log = os.path.join(folder, "access.log" if logs else "log")
        return self.keep(Server(command, port, log, None, scheme))

    def run(self, *arguments):
        """Runs a command of broadsheet in the folder; returns its output."""
        command = [self.broadsheet, *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=self.folder).stdout

    def store(self, *arguments):
        """Runs the store's benchmark on the servers' core."""
        import json
        command = ["taskset", "-c", SERVER_CORE, self.store_bench, *map(str, arguments)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def keep(self, server):
        self.servers.append(server)
        return server


class Server:
    """A process on the servers' core or on several, in the folder of its log."""

    def __init__(self, command, port, log, environment, scheme="http", patience=20,
                 cores=SERVER_CORE):
        self.port, self.scheme, self.log = port, scheme, log
        start = time.monotonic()
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                ["taskset", "-c", cores, *command], stdout=file, stderr=file,
                env=environment, cwd=os.path.dirname(log))
        while not accepts(port):
            if self.process.poll() is not None or time.monotonic() - start > patience:
                raise SystemExit(f"bench: {command[0]} did not start; see {log}")
            time.sleep(0.005)
        self.start_seconds = time.monotonic() - start

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def cpu_seconds(self):
        """CPU time of all its threads, past ones included, in user space and in the kernel."""
        return cpu_seconds(self.process.pid)

    def children_cpu_seconds(self):
        """CPU time of its running child processes."""
        return sum(cpu_seconds(pid) for pid in children(self.process.pid))

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))

    def get(self, target, fields=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{target}", headers=fields or {})
        return urllib.request.urlopen(request, timeout=20)

    def rested(self, target, count, pause=0.1):
        """Sends requests on one connection from the other core, with pauses in which the server
        comes to rest; returns the same results as `load`, with the time until the first byte."""
        request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        times = []
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {int(LOAD_CORE)})
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            before = self.cpu_seconds()
            for _ in range(count):
                time.sleep(pause)
                start = time.perf_counter()
                connection.sendall(request)
                response = connection.recv(1 << 20)
                times.append(1000 * (time.perf_counter() - start))
                if not response.startswith(b"HTTP/1.1 200"):
                    raise SystemExit(f"bench: a response was an error or in pieces\n{response}")
            cost = self.cpu_seconds() - before
        os.sched_setaffinity(0, cores)
        return {"perSecond": 1000 * count / sum(times), "p50": percentile(times, 50),
                "p99": percentile(times, 99), "cpu": cost / count * 1e6, "requests": count}

    def load(self, target, seconds, connections=64, script=None, fields=None):
        """Runs `wrk` on the other core; returns its results and the server's CPU time."""
        command = ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s",
                   "--latency", *(["-s", script] if script else []),
                   *(f"-H{name}: {value}" for name, value in (fields or {}).items()),
                   f"{self.scheme}://127.0.0.1:{self.port}{target}"]
        before = self.cpu_seconds()
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        cost = self.cpu_seconds() - before
        # Truncated to save disk space, which is possible as both servers append.
        os.truncate(self.log, 0)
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        if "Non-2xx" in text or requests == 0:
            raise SystemExit(f"bench: some responses were errors\n{text}")
        return {
            "perSecond": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)),
            "p50": milliseconds(re.search(r"\n\s+50%\s+(\S+)", text).group(1)),
            "p99": milliseconds(re.search(r"\n\s+99%\s+(\S+)", text).group(1)),
            "cpu": cost / requests * 1e6,
            "requests": requests,
        }


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def cpu_seconds(pid):
    """The process's CPU clock (clock_getcpuclockid(3)), which includes threads that have ended; 0 if
    the process has ended."""
    try:
        return time.clock_gettime(~pid << 3 | CPU_CLOCK)
    except OSError:
        return 0


def children(pid):
    """The running child processes of a process."""
    files = glob.glob(f"/proc/{pid}/task/*/children")
    return [int(child) for file in files for child in read(file).split()]


def read(path):
    """The text of a file; empty if its process has ended."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}[unit]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# The fields of a log line of broadsheet, with a constant `route`.
NGINX_LINE = ('{"time":$msec,"id":"$request_id","peer":"$remote_addr:$remote_port",'
              '"method":"$request_method","target":"$request_uri",'
              '"route":"/v1/articles/{idOrSlug}","status":$status,"bytes":$bytes_sent,'
              '"microseconds":$request_time}')


def nginx_configuration(folder, port, responses, certificate=None, logs=False, http2=False):
    locations = ""
    for number, (fields, body) in enumerate(responses):
        lines = "".join(f"add_header {name} {quoted(value)}; " for name, value in fields.items())
        locations += f"location = /{number} {{ {lines}return 200 {quoted(body)}; }}\n"
    log = f"{folder}/access.log lines" if logs else "off"
    secure, tls = "", ""
    if certificate:
        secure = "ssl http2" if http2 else "ssl"
        tls = (f"ssl_certificate {certificate}.pem; ssl_certificate_key {certificate}.key; "
               "ssl_protocols TLSv1.2 TLSv1.3; ssl_ecdh_curve X25519:prime256v1:secp384r1;")
    # nginx cannot escape a dollar sign, so a variable contains it.
    return f"""
worker_processes 1; daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 12000; }}
http {{
    geo $dollar {{ default "$"; }}
    log_format lines escape=json '{NGINX_LINE}';
    access_log {log}; server_tokens off; keepalive_requests 1000000000; keepalive_timeout 75s;
    default_type application/json;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{ listen 127.0.0.1:{port} {secure} backlog=1024; {tls} {locations} }}
}}
"""


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "${dollar}")
    return f"'{escaped}'"
