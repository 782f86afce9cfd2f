"""What the SDK remembers: merging and notices, the first screen and search from a file, a mirror of 100,000 articles."""

import json
import os
import subprocess

from machine import LOAD_CORE
from trials import row


class OfflineTrials:
    """Runs the SDK on the load generator's core, against a server on the other one."""

    def __init__(self, lab, trials, client_bench):
        self.lab, self.trials, self.client_bench = lab, trials, client_bench

    def run(self):
        server = self.lab.serve(self.trials.corpus(100_000), logs=True)
        folder = self.lab.path("stores")
        os.mkdir(folder)
        command = ["taskset", "-c", LOAD_CORE, self.client_bench, "offline",
                   f"http://127.0.0.1:{server.port}", "10000", str(self.trials.pairs), folder]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        server.stop()
        return self.merging(found["merging"]) + self.screen(found["screen"]) + self.mirror(found["mirror"])

    @staticmethod
    def merging(costs):
        found = [("unknown articles in memory", "new", 15, None),
                 ("articles with another title in memory", "changed", None, 3),
                 ("articles as they are known in memory", "known", 4, None),
                 ("unknown articles in a file", "file", 45, None)]
        return [row(f"merging {name}, with a notice for each page of 100", costs[key], "us/article", gate, aim,
                    decoding=costs["decoding"], ratio=costs[key] / costs["decoding"])
                for name, key, gate, aim in found]

    @staticmethod
    def screen(times):
        return [row("opening a store of 10,000 articles", times["opening"], "ms", 50),
                row("the first 20 articles of such a store, from a file", times["first"], "ms",
                    decoding=times["decoding"], ratio=times["first"] / times["decoding"]),
                row("the first search in such a store after a launch", times["searching"], "ms", 50,
                    indexing=times["indexing"])]

    @staticmethod
    def mirror(times):
        return [row(f"a mirror of {times['articles']:,} articles relative to fetching them",
                    times["ratio"], "times", 5, 3, seconds=times["mirroring"] / 1000,
                    fetching=times["fetching"] / 1000)]
