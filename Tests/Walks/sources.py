"""The functions and files of executed addresses, by debug information, and the rungs of the targets."""

import functools
import glob
import json
import os
import re
import subprocess

# Tasks and threads that a commit, a response or the time wakes, and for which the request does not wait.
CONSUMERS = ("SearchIndexer.run", "SearchIndexer.followAlways", "SearchIndexer.follow",
             "ChangeStreams.run", "ChangeStreams.feed", "Publisher.run", "LogWriter.drain",
             "ChangeSubscriber.next", "StateMonitor.checkStore", "Backend.indexer")

# What a demangled name says before the function that it belongs to.
ROLE = re.compile(
    r"^(?:\(\d+\) (?:suspend|await) resume partial function for |(?:implicit )?closure #\d+ in "
    r"|partial apply (?:forwarder )?for |specialized |merged |static |outlined .*? of "
    r"|(?:generic|function signature) specialization <.*?> of "
    r"|one-time initialization function for |implicit closure #\d+ in )")
CLOSURE = re.compile(r"(?:\w+ )*(?:implicit )?closure #|partial apply |(?:\w+ )*specialized closure #")
# Functions of Swift's modules, but not those of the standard library.
ADDED = re.compile(r"\$s[^Ss]")
# What releases an object, and frees it.
DEINITIALIZER = re.compile(r"f[dD]$")
# The rest of an asynchronous function after a call has returned.
RESUMED = re.compile(r"T[QY]\d+_$")


class Sources:
    """The source code of a program, as far as profiles of it go."""

    def __init__(self, root, binary, profiles):
        self.prefix = os.path.join(root, "Sources", "")
        addresses = set()
        for kind in profiles:
            for profile in kind:
                addresses |= profile.addresses
                for call in profile.calls:
                    addresses.update(call)
        self.frames = self.symbolize(binary, addresses)
        names = {frame[0] for frames in self.frames.values() for frame in frames}
        self.plain = self.demangle(names)
        self.rungs = rungs(root)
        for name in CONSUMERS:
            kind, function = name.split(".")
            files = glob.glob(f"{self.prefix}**/{kind}.swift", recursive=True)
            if not any(f"func {function}(" in read(path) for path in files):
                raise SystemExit(f"walks: {name} does not exist any more (CONSUMERS)")

    def symbolize(self, binary, addresses):
        """By address: the linkage names and paths of the functions at it, the innermost first."""
        lines = "".join(f"{address:#x}\n" for address in sorted(addresses))
        command = ["llvm-symbolizer", f"--obj={binary}", "--inlines", "--functions=linkage",
                   "--no-demangle", "--output-style=JSON"]
        output = subprocess.run(
            command, input=lines, check=True, capture_output=True, text=True).stdout
        found = {}
        for line in output.splitlines():
            entry = json.loads(line)
            frames = [(symbol["FunctionName"], self.path(symbol)) for symbol in entry.get("Symbol", [])]
            found[int(entry["Address"], 16)] = frames
        return found

    def path(self, symbol):
        """The path below `Sources` of the file that declares the function; `None` for code of others.
        The file of the instruction may be another one, when the compiler has merged instructions."""
        path = symbol.get("StartFileName") or (symbol["FileName"] if symbol["Line"] else "")
        return path[len(self.prefix):] if path.startswith(self.prefix) else None

    @staticmethod
    def demangle(names):
        ordered = sorted(names)
        output = subprocess.run(
            ["swift-demangle", "--compact", "--simplified"], input="".join(f"{name}\n" for name in ordered),
            check=True, capture_output=True, text=True).stdout
        return dict(zip(ordered, output.splitlines()))

    @functools.cache
    def function(self, name):
        """The declared function that a part of it, such as a closure, belongs to."""
        plain = self.plain[name]
        while (rest := ROLE.sub("", plain)) != plain:
            plain = rest
        return plain

    def files(self, addresses):
        """The files of the functions, without deinitializers: the runtime calls these, for anybody."""
        return {path for address in addresses for name, path in self.frames[address]
                if path and not DEINITIALIZER.search(name)}

    def functions(self, addresses, path):
        """The functions of the file."""
        return sorted({self.function(name) for address in addresses for name, found in self.frames[address]
                       if found == path})

    def rung(self, path):
        # Modules of C libraries are on the lowest one.
        return self.rungs.get(path.split("/")[0], 0)

    def is_service(self, path):
        """Whether the file belongs to a target above the store's engine."""
        return self.rung(path) > self.rungs["ArticleDatabase"]

    def calls(self, profile):
        """The calls between functions of the sources, as pairs of (linkage name, path); inlined ones,
        too. Through what the compiler puts in between, but not through the runtime and the standard
        library, whose functions have many callers."""
        direct, through = set(), {}
        for address in profile.addresses:
            frames = self.frames[address]
            ours = [frame for frame in frames if frame[1]]
            for inner, outer in zip(ours, ours[1:]):
                direct.add((outer, inner))
            if ours and frames[-1] != ours[-1] and ADDED.match(frames[-1][0]):
                # The compiler has added a function around ours, such as that of a protocol.
                through.setdefault(frames[-1], set()).add(ours[-1])
        for address, target in profile.calls:
            callers = self.frames.get(address) or [("", None)]
            callees = self.frames.get(target) or [("", None)]
            caller = next((frame for frame in callers if frame[1]), callers[-1])
            callee = callees[-1]
            if RESUMED.search(callee[0]):
                continue
            if caller[1] and callee[1]:
                direct.add((caller, callee))
            elif (caller[1] or ADDED.match(caller[0])) and (callee[1] or ADDED.match(callee[0])):
                through.setdefault(caller, set()).add(callee)
        for caller in [caller for caller in through if caller[1]]:
            direct |= {(caller, callee) for callee in self.reached(caller, through)}
        return direct

    @staticmethod
    def reached(caller, through):
        found, waiting, seen = set(), list(through[caller]), set()
        while waiting:
            callee = waiting.pop()
            if callee[1]:
                found.add(callee)
            elif callee not in seen:
                seen.add(callee)
                waiting += through.get(callee, ())
        return found

    def consumed(self, profile):
        """The functions that only consumers execute."""
        edges = {}
        for caller, callee in self.calls(profile):
            # A closure belongs to the function that it is in, whoever calls it.
            if not CLOSURE.match(self.plain[callee[0]]):
                edges.setdefault(self.function(caller[0]), set()).add(self.function(callee[0]))
        functions = {self.function(name) for address in profile.addresses
                     for name, path in self.frames[address] if path}
        roots = [name for name in functions if name.startswith(tuple(f"{root}(" for root in CONSUMERS))]
        below = closure(roots, edges)
        return below - closure(functions - below, edges)

    def is_consumed(self, address, consumed):
        return any(self.function(name) in consumed for name, path in self.frames[address] if path)


def closure(roots, edges):
    """What can be reached, the roots included."""
    found, waiting = set(roots), list(roots)
    while waiting:
        for name in edges.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rungs(root):
    """The rung of each folder of `Sources`, by the comments of Package.swift."""
    found, rung = {}, None
    for match in re.finditer(
            r'// Rung (\d+)|(?:layer\(|[tT]arget\(|systemLibrary\()\s*(?:name:\s*)?"([\w-]+)"',
            read(os.path.join(root, "Package.swift"))):
        if match.group(1):
            rung = int(match.group(1))
        elif rung is not None:
            # The first one is the declaration; others are dependencies.
            found.setdefault(match.group(2), rung)
    return found
