"""Divides what callgrind has counted among the stages of a request."""

import collections
import os
import re
import subprocess

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "benchmarks.md")
# The stages from the socket to the row and back, with what belongs to them: patterns of `Module function`, with the
# function as `swift demangle --simplified` prints it, or of `library function`. The first that matches decides. A
# function without a stage counts for those that call it, as do allocations, copies of bytes and values, counting of
# references, and generic code.
STAGES = {
    "validators": r"\bValidator\.|\bEpoch\.version|\bCursorSealer\.|\bSeal\.",
    "statement": r"^libsqlite3|^libpq|^BroadsheetSQLite |\b(SQLiteDatabase|Statement\w*|Connection|Postgres\w+)\.",
    "commit": r"^ArticleDatabase .*\b(WriteStep|WriteJob|Commit\w+|SQLiteCommits|ChangeAnnouncer|Facet\w+)\b",
    "hop": r"\b(WorkerPool|WorkSlot|FairQueue|FIFO|RequestScheduler|ReaderPool|Reader|BlockingPool|BackgroundPool)\.",
    "row to value": r"^ArticleDatabase |^ArticleStore ",
    "search": r"^ArticleSearch |^ArticleResources .*\bSearch",
    "value to bytes": r"\bJSONWriter\.|\b(ObjectCodec|JSONCodec|AttributeWriter)\b.*\bwrite|\bwriteAttributes|"
                      r"\b(Identifier|Timestamp)\.write|\bField\.|\bJSONRepresentable\.|\btextBytes\b",
    "response": r"\b(Response(Sink|Serializer|Cache|Encoding)|PublicResponseCache|CachedResponse|Representation|Gzip|"
                r"SecurityHeaders|SentResponse|Exchange(Metrics|Scope)|ExchangeRecord|AccessL\w+|LineBuffer|LogWriter|"
                r"WebLink|RequestPrinter|CommitTokens)\b",
    "admission": r"\b(Exchange|Router|PathSegments|PathTemplate|RequestContext|RateMeter|Authenticator|KeyRing|"
                 r"BearerCredentials|HashedKey|Principal)\.|\bRoutes\.(admit|check\w+)",
    "typed request": r"^ArticleAPI .*\b(Parameters|RequestReader|RequestSource|RequestPart|TextCodec|FieldSelection|"
                     r"BackendAPIRequest|JSONParser|JSONReader|ObjectCodec|JSONCodec|Change)\b|\bQueryItems\.|"
                     r"\bRequestWork\.parse",
    "service": r"^Article(Resources|Services|ServiceCore|Accounts) ",
    "socket to head": r"^Broadsheet(Sockets|HTTPServer) |\b(RequestParser|HeadScanner|RequestTarget|RequestLine)\b",
}
ALLOCATING = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}
PASSES = 25


class CallGraph:
    """The functions of a dump of callgrind with their own costs, and the calls between them."""

    def __init__(self, text):
        self.own, self.inclusive, self.calls = (collections.Counter() for _ in range(3))
        names = {"ob": {}, "fn": {}}
        library, function, callee_library, callee, count = "", None, None, None, None
        for line in text.splitlines():
            if match := re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", line):
                called, kind, number, name = match.groups()
                if name is not None:
                    names[kind][number] = name
                name = names[kind][number]
                if kind == "ob":
                    library, callee_library = (library, name) if called else (name, name)
                elif called:
                    callee = (callee_library, name)
                else:
                    function, callee_library = (library, name), library
            elif line.startswith("calls="):
                count = int(line[6:].split()[0])
            elif function and line[:1] in set("0123456789+-*"):
                cost = int((line.split() + ["0"])[1])
                if count is None:
                    self.own[function] += cost
                    continue
                if callee != function:
                    self.inclusive[function, callee] += cost
                self.calls[function, callee] += count
                count, callee_library = None, library


def stages(text, requests):
    """The instructions and allocations of each request in each stage, in their order."""
    graph = CallGraph(text)
    functions = set(graph.own) | {callee for _, callee in graph.calls}
    shares = {function: {stage: 1.0} if stage else {} for function, stage in classified(functions)}
    callers = collections.defaultdict(list)
    for (caller, callee), cost in graph.inclusive.items():
        callers[callee].append((caller, max(cost, 1)))
    free = [function for function in functions if not shares[function]]
    # What has no stage of its own gets those of its callers; cycles converge.
    for _ in range(PASSES):
        for function in free:
            found, total = collections.Counter(), sum(cost for _, cost in callers[function])
            for caller, cost in callers[function]:
                for stage, share in shares.get(caller, {}).items():
                    found[stage] += share * cost / total
            shares[function] = found
    instructions, allocations = collections.Counter(), collections.Counter()
    for function, cost in graph.own.items():
        divide(cost / requests, shares[function], instructions)
    for (caller, callee), count in graph.calls.items():
        if callee[1] in ALLOCATING:
            divide(count / requests, shares.get(caller, {}), allocations)
    return {stage: (instructions[stage], allocations[stage]) for stage in [*STAGES, "runtime"]}


def divide(amount, shares, into):
    for stage, share in shares.items():
        into[stage] += amount * share
    into["runtime"] += amount * (1 - sum(shares.values()))


def classified(functions):
    """Each function with its stage; `None` if it has none."""
    functions = list(functions)
    symbols = "\n".join(re.sub(r"'\d+$", "", name) for _, name in functions)
    texts = subprocess.run(["swift", "demangle", "--compact", "--simplified"], input=symbols, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for function, text in zip(functions, texts):
        library, name = function
        module = re.match(r"\$s\d+((?:Article|Broadsheet|broadsheet)[A-Za-z]*?)(?=\d|[A-Z]\d|[A-Z]$)", name)
        if name.startswith("$s") and (not module or re.match(r"(destroy|initializeWith|assignWith|outlined)", text)):
            yield function, None
            continue
        text = f"{module.group(1) if module else library.rsplit('/', 1)[-1]} {text}"
        yield function, next((stage for stage, pattern in STAGES.items() if re.search(pattern, text)), None)


def keep(found):
    """Writes the tables of the engines into the documentation: thousands of instructions, and allocations."""
    tables = "\n\n".join(table(engine, requests) for engine, requests in found.items())
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(re.sub(r"(<!-- stages -->\n).*(?=<!-- /stages -->)",
                          lambda begin: f"{begin.group(1)}\n{tables}\n\n", text, flags=re.S))


def table(engine, requests):
    rows = [[engine, *requests], ["---", *("---:" for _ in requests)]]
    for stage in [*STAGES, "runtime"]:
        rows.append([stage, *(cell(counts[stage]) for counts in requests.values())])
    rows.append(["**all**", *(cell([sum(column) for column in zip(*counts.values())])
                              for counts in requests.values())])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def cell(count):
    instructions, allocations = count
    return f"{instructions / 1000:,.{0 if instructions >= 100_000 else 1}f} · {allocations:.0f}"
