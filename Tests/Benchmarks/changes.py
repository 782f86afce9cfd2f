"""Changes since a token: their cost relative to lists, and how it grows with the database."""

import json
import random
import statistics
import urllib.parse

from trials import ARTICLES, row, summary

CHANGES = "/v1/changes?types=article&limit=100"


class ChangeTrials:
    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials

    def run(self):
        """Pages of 100 changes, uncached, and lists of the same articles."""
        rows, costs = [], {}
        sizes = (1_000, 100_000)
        for size in sizes:
            server = self.lab.serve(self.trials.corpus(size), "--cache-bytes", "0", logs=True)
            changes, lists = self.targets(server, size)
            scripts = [self.trials.script(f"changes-{size}", changes),
                       self.trials.script(f"lists-{size}", lists)]
            pairs = [[server.load("/", self.trials.seconds, script=script) for script in scripts]
                     for _ in range(self.trials.pairs)]
            ours, theirs = [summary(side) for side in zip(*pairs)]
            costs[size] = ours
            if size == sizes[-1]:
                ratio = statistics.median(our["cpu"] / their["cpu"] for our, their in pairs)
                rows.append(row(f"100 changes among {size}, relative to the list of the same articles",
                                ratio, "times", 1.3, 1.0, ours=ours, list=theirs))
            server.stop()
        growth = costs[sizes[-1]]["cpu"] / costs[sizes[0]]["cpu"]
        rows.append(row(f"growth of 100 changes from {sizes[0]} to {sizes[-1]} articles", growth,
                        "times", 1.5, 1.2, ours=costs[sizes[-1]]))
        return rows

    def targets(self, server, size):
        """Pages of changes from all over the snapshot, and the lists of the same articles."""
        chosen = set(random.Random(self.trials.seed).sample(range(size // 100), min(40, size // 100)))
        changes, lists = [], []
        token = None
        for number in range(size // 100):
            target = CHANGES + (f"&since={token}" if token else "")
            page = json.load(server.get(f"{target}&fields=id,publishedAt"))
            if number in chosen:
                articles = [change["article"] for change in page["changes"]]
                times = sorted(article["publishedAt"] for article in articles)
                after, before = [urllib.parse.quote(time) for time in (times[0], times[-1])]
                listed = f"{ARTICLES}?limit=100&publishedAfter={after}&publishedBefore={before}"
                found = json.load(server.get(f"{listed}&fields=id"))["items"]
                # Both bounds are exclusive.
                if not {item["id"] for item in found} < {article["id"] for article in articles}:
                    raise SystemExit("bench: a page of changes is not a contiguous range of the list")
                if len(found) != len(articles) - 2:
                    raise SystemExit("bench: a page of changes has gaps in the list")
                changes.append(target)
                lists.append(listed)
            token = page["next"]
        return changes, lists
