/// The rule that clocks, sleep and random numbers come from an environment: `SystemEnvironment`, or
/// the SDK's `ClientEnvironment`.
enum ClockRules {
    /// The files that may use the machine's own, with the reason. The first two make the only
    /// environment of a program.
    static let exceptions = [
        "Sources/broadsheet/Broadsheet.swift": "makes the environment of the program",
        "Sources/ArticleClient/Configuration/BackendConfiguration.swift":
            "makes the environment of apps",
        "Sources/ArticleClient/Backend/SharedTask.swift":
            "looks at the environment's clock, which may stand still, now and then",
        "Sources/ArticleAPI/Values/Identifier.swift":
            "makes ids for apps; services pass a generator",
        "Sources/ArticleSearch/Terms/TermTable.swift":
            "seeds hashes, as Hasher does: no result depends on it",
        "Sources/ArticleDatabase/Postgres/PostgresNode.swift":
            "has leases that PostgreSQL ends by its own clock, read for each request",
        "Sources/ArticleDatabase/Postgres/RemoteCommitListener.swift":
            "renews these leases, and waits in the kernel",
        "Sources/BroadsheetHTTPServer/Observation/ExchangeRecord.swift":
            "measures each request; nothing depends on it",
        "Sources/BroadsheetSockets/Loop/EventLoop.swift":
            "is the clock of its connections: it waits in the kernel",
        "Sources/BroadsheetSockets/Loop/Poller.swift": "wakes the event loops",
        "Sources/BroadsheetSockets/Addresses/ListeningSocket.swift":
            "waits for a lock of the kernel's for up to two seconds",
        "Sources/BroadsheetURLSession/URLSessionExchange.swift":
            "limits a transport that has no environment",
        "Sources/broadsheet-generate/Fetch.swift": "limits the only request of a program",
        "Sources/broadsheet/Serving/Supervisor.swift": "tells systemd the kernel's time",
        "Sources/broadsheet/Takeover/Successor.swift":
            "keeps another process informed whatever blocks the tasks of this one",
        "Sources/broadsheet/Takeover/SuccessorProcess.swift":
            "ends another process whatever blocks the tasks of this one",
    ]

    private static let words = [
        "ContinuousClock", "SuspendingClock", "SystemClock.wall", "SystemClock.monotonic",
        "SystemRandomNumberGenerator", "Task.sleep", "clock_gettime", "gettimeofday", "usleep(",
        "nanosleep(", "asyncAfter", "makeTimerSource", " Date()", "(Date()", "Timestamp.now",
        "SystemEnvironment.real", "system: .real", ", .real)",
    ]

    /// Uses of the machine's clocks and random numbers, wherever they are.
    static func uses(_ line: String) -> Bool {
        let isRandom = line.contains(".random(in:") && !line.contains("using:")
        return isRandom || words.contains(where: line.contains)
    }

    /// Uses where they are injected.
    static func violations(_ file: SourceFile, _ line: String, at index: Int) -> [Violation] {
        guard let target = file.target, target != "BroadsheetPlatform",
            exceptions[file.path] == nil, uses(line)
        else { return [] }
        return [
            Violation(
                path: file.path, line: index + 1, fault: "the time and random numbers are injected")
        ]
    }
}
