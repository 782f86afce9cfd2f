"""A private PostgreSQL server, and how much CPU it uses."""

import os
import re
import subprocess

from machine import LOAD_CORE, SERVER_CORE, children, cpu_seconds, read

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tools", "postgres-cluster")


class Cluster:
    """A PostgreSQL server on the servers' core with its own folder; `stop` removes both."""

    def __init__(self):
        # The script's descriptor 3 is the end of this pipe. Databases fit into the buffers, as
        # files fit into the cache of the kernel.
        self.script = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE, "bash", "-c", 'exec "$0" "$@" 3<&0 </dev/null', SCRIPT,
             "-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready = re.fullmatch(r"ready (\S+)\n", self.script.stdout.readline())
        if not ready:
            raise SystemExit("bench: PostgreSQL did not start")
        self.folder = ready.group(1)
        with open(f"{self.folder}/data/postmaster.pid", encoding="ascii") as file:
            self.pid = int(file.readline())
        self.binaries = os.path.dirname(os.readlink(f"/proc/{self.pid}/exe"))

    def stop(self):
        self.script.stdin.close()
        self.script.wait(30)

    def url(self, database):
        return f"postgresql://broadsheet@/{database}?host={self.folder}"

    def create(self, database, template="template0"):
        self.run("postgres", f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)

    def run(self, database, sql):
        """Runs a statement; returns the first column of its rows as text."""
        command = [f"{self.binaries}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql,
                   self.url(database)]
        return subprocess.run(
            command, check=True, capture_output=True, text=True).stdout.rstrip("\n")

    def transactions(self, database, script, seconds, variables, clients=64):
        """Runs a pgbench script on the other core; returns the same results as `Server.load`,
        without percentiles."""
        command = ["taskset", "-c", LOAD_CORE, f"{self.binaries}/pgbench", "--no-vacuum",
                   "--protocol=prepared", f"--client={clients}", f"--time={seconds}",
                   f"--file={script}", *(f"--define={name}={value}"
                                         for name, value in variables.items()),
                   self.url(database)]
        before = self.cpu_seconds()
        run = subprocess.run(command, capture_output=True, text=True)
        cost = self.cpu_seconds() - before
        failed = re.search(r"number of failed transactions: (\d+)", run.stdout)
        if run.returncode != 0 or not failed or failed.group(1) != "0":
            raise SystemExit(f"bench: pgbench failed\n{run.stdout}{run.stderr}")
        count = int(re.search(r"actually processed: (\d+)", run.stdout).group(1))
        return {"perSecond": float(re.search(r"tps = ([\d.]+)", run.stdout).group(1)),
                "cpu": cost / count * 1e6, "requests": count}

    def cpu_seconds(self):
        """CPU time of all its processes, past ones included (`cutime` and `cstime` in proc(5))."""
        fields = read(f"/proc/{self.pid}/stat").rpartition(")")[2].split()
        past = sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
        return past + sum(map(cpu_seconds, [self.pid, *children(self.pid)]))
