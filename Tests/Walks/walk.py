"""What the walks show: files, changes of file, and calls that go up a rung."""

from collections import Counter


class Walk:
    """One kind of request, from several windows; what happens in most of them counts."""

    def __init__(self, title, code, profiles, idle, gate=None):
        self.title, self.gate = title, gate
        quiet = set().union(*(profile.addresses for profile in idle))
        own, others, changes, upward = (Counter() for _ in range(4))
        for profile in profiles:
            profile.addresses -= quiet
            consumed = code.consumed(profile)
            mine = {address for address in profile.addresses if not code.is_consumed(address, consumed)}
            files = code.files(mine)
            own.update(files)
            others.update(code.files(profile.addresses) - files)
            calls = {(caller, callee) for caller, callee in code.calls(profile)
                     if code.function(caller[0]) not in consumed}
            changes.update({(caller[1], callee[1]) for caller, callee in calls
                            if caller[1] != callee[1]})
            upward.update({tuple((path, code.function(name)) for name, path in call) for call in calls
                           if code.rung(call[0][1]) < code.rung(call[1][1])})
        most = len(profiles) // 2 + 1
        self.files, self.consumers, self.changes, self.upward = (
            {item for item, count in counter.items() if count >= most}
            for counter in (own, others, changes, upward))

    @property
    def both_ways(self):
        return sum((b, a) in self.changes for a, b in self.changes) // 2

    @property
    def is_kept(self):
        return self.gate is None or len(self.files) <= self.gate

    def beyond(self, other):
        """The files of this walk that the other one does not have."""
        return sorted((self.files | self.consumers) - other.files - other.consumers)


def show(walks, subscriber, with_files):
    """Prints the walks; returns whether a gate is missed."""
    print(f"{'walk':<34} files  gate  consumers  changes of file  both ways  calls up a rung")
    for walk in walks:
        mark = "" if walk.is_kept else "  MISSED"
        print(f"{walk.title:<34} {len(walk.files):>5}  {walk.gate or '–':>4}  {len(walk.consumers):>9}  "
              f"{len(walk.changes):>15}  {walk.both_ways:>9}  {len(walk.upward):>15}{mark}")
    print(f"{'from that commit to a subscriber':<34} {len(subscriber):>5}  more")
    for walk in walks:
        print(f"\n{walk.title}: calls up a rung")
        for caller, callee in sorted(walk.upward):
            print(f"  {caller[0]}: {caller[1]} → {callee[0]}: {callee[1]}")
        if with_files:
            print(f"{walk.title}: files")
            for path in sorted(walk.files):
                print(f"  {path}")
            print(f"{walk.title}: of consumers")
            for path in sorted(walk.consumers):
                print(f"  {path}")
    if with_files:
        print("\nto a subscriber")
        for path in subscriber:
            print(f"  {path}")
    return 0 if all(walk.is_kept for walk in walks) else 1
