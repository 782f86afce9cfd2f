import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Many concurrent clients: as many as there are descriptors, and more.
@Suite(
    .mayBlock, .enabled(if: ProcessFigures.areOpen, "only root counts the descriptors of a server"))
struct CrowdTests {
    /// `make socket-faults` uses the ten thousand of the design.
    private static let idle = Thoroughness.isFull ? 10_000 : 200
    /// Clients may be idle for as long as a busy machine takes to serve all of them.
    private static let patient = ["--idle-timeout", "\(Patience.seconds)"]
    /// The memory limit of an idle connection: above its usage with TLS in a debug build, and, with
    /// HTTP/1.1, below one 32 KiB buffer.
    private static func idleKilobytes(_ wire: Wire) -> Int { wire == .http2 ? 52 : 28 }

    @Test(arguments: Wire.allCases)
    func `idle clients cost little, and others are served`(wire: Wire) async throws {
        let target = try FaultedServer(wire, Self.patient)
        TestDescriptorLimit.raise()
        let before = try target.figures().residentKilobytes
        let clients = try (0..<Self.idle).map { number in
            let client = try target.client()
            try target.expectService(client)
            if number % 500 == 0 { try target.expectService() }
            return client
        }
        for _ in 0..<50 { try target.expectService() }
        if !Sanitizer.isUsed {
            let each = (try target.figures().residentKilobytes - before) / Self.idle
            #expect(each < Self.idleKilobytes(wire))
        }
        // The first and the last are still served.
        for client in [clients[0], clients[Self.idle - 1]] { try target.expectService(client) }
        for client in clients { client.connection.reset() }
        try await target.expectNoTrace(
            memoryKilobytes: FaultedServer.memoryLimitKilobytes + Self.idle
                * Self.idleKilobytes(wire))
    }

    @Test(arguments: Wire.allCases)
    func `without free descriptors clients are rejected, and served later`(
        wire: Wire
    ) async throws {
        // Of 96 descriptors 64 are reserved for the store and the event loops.
        let target = try FaultedServer(
            wire, Self.patient, script: #"ulimit -n 96; exec "$binary" "$@""#)
        let inside = try (0..<31).map { _ in
            let client = try target.client()
            try target.expectService(client)
            return client
        }
        let last = try target.client()
        try target.expectService(last)
        for _ in 0..<20 {
            #expect(try Self.isRejected(target.connect(), wire))
        }
        // More than receive a response: the remaining ones are closed silently.
        let crowd = try (0..<200).map { _ in try target.connectRaw() }
        for client in inside { try target.expectService(client) }
        for client in crowd { client.reset() }
        for client in inside { client.connection.reset() }
        #expect(await eventually { (try? target.isServing()) == true })
        last.connection.reset()
        try await target.expectNoTrace()
    }

    @Test(arguments: Wire.allCases)
    func `exhausted descriptors do not affect open connections, and recover`(wire: Wire)
        async throws
    {
        let target = try FaultedServer(wire, Self.patient)
        let inside = try target.client()
        try target.expectService(inside)
        let process = target.served.program.processID
        let limit = ProcessFigures.descriptors(process).count + 2
        try Self.setLimit(limit, of: process)
        let waiting = try (0..<40).map { _ in try target.connectRaw() }
        for _ in 0..<100 { try target.expectService(inside) }
        try Self.setLimit(1_000, of: process)
        // They waited in the kernel's queue, and none was lost.
        for client in waiting {
            if let options = target.options { try client.startTLS(options) }
            try target.expectService(FaultClient(client, wire))
            client.reset()
        }
        inside.connection.reset()
        try await target.expectNoTrace()
    }

    /// Returns true if the server reports that it takes no more connections.
    private static func isRejected(_ connection: RawConnection, _ wire: Wire) throws -> Bool {
        if wire == .http2 { return try connection.frames { $0.type == 7 }.last?.code == 11 }
        let response = try connection.response()
        return response.status == 503 && response.fields.contains(.retryAfter)
    }

    /// Sets the descriptor limit of a running process (`prlimit(1)`).
    private static func setLimit(_ count: Int, of process: Int32) throws {
        let program = try RunningProgram(
            "/usr/bin/prlimit", ["--pid", "\(process)", "--nofile=\(count):"])
        #expect(program.wait() == 0)
    }

    @Test(.enabled(if: Shell.canTrace, "strace is not here"))
    func `writes that hang are not reported as rejected, and nobody else waits`() async throws {
        // For much less than the 5 s after which waiting writes are rejected.
        let target = try FaultedServer(
            .plain, ["--handler-timeout", "1"],
            script: #"""
                exec strace -D -f -qq -o "$folder/trace" -e trace=fsync,fdatasync \
                -e inject=fsync,fdatasync:delay_enter=2000000:when=12 "$binary" "$@"
                """#)
        var acknowledged = 0
        var sent = 0
        var isStuck = false
        // strace counts flushes per thread, and Dispatch may use several threads.
        while !isStuck, sent < 500 {
            let response = try target.client().post()
            sent += 1
            do {
                #expect(try response().status == 201)
                acknowledged += 1
            } catch { isStuck = true }
        }
        #expect(isStuck && acknowledged > 0)
        var waiting: [FaultClient] = []
        for _ in 0..<30 {
            waiting.append(try target.client())
            _ = try waiting[waiting.count - 1].post()
            sent += 1
            try target.expectService()
        }
        // The disk continues: everything that was sent is written.
        #expect(await eventually { (try? target.articleCount()) == sent })
        try await target.expectNoTrace()
    }
}
