import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// A server under faults, and what its good clients observe.
struct FaultedServer {
    let served: RunningServer
    let wire: Wire
    private let authority: String
    // The files of the server and of its certificate.
    private let folder: TemporaryFolder
    private let limitSockets: Int
    private let peakAtStart: Int

    /// The maximum wait of a good client, where nothing else keeps the machine busy.
    private static let patience = Duration.seconds(Thoroughness.isFull ? 60 : Patience.seconds)
    /// The timeouts for bad clients in seconds: short enough to expire, and long enough for good
    /// clients among a thousand bad ones.
    static let deadline = Thoroughness.isFull || Sanitizer.isUsed ? 5 : 3
    static let deadlines = ["handshake", "head", "body", "idle", "write"].flatMap {
        ["--\($0)-timeout", "\(deadline)"]
    }
    /// The maximum memory that a fault may cost, however often it occurs.
    static let memoryLimitKilobytes = Sanitizer.isUsed ? 512_000 : 100_000

    /// - Parameter script: starts the program instead; it receives `$binary`, `$folder`, and the
    ///   arguments in `$@`.
    init(_ wire: Wire, _ arguments: [String] = [], script: String? = nil) throws {
        self.wire = wire
        folder = try TemporaryFolder()
        var arguments = arguments + ["--log", "off"]
        let certificates = try TestCertificates()
        authority = certificates.authority.certificatePEM
        if wire.isSecure {
            let pair = try certificates.pair(["localhost"])
            try write(pair.certificate, to: folder.file("a.pem"))
            try write(pair.key, to: folder.file("a.key"))
            arguments += ["--tls-certificate", folder.file("a.pem")]
            arguments += ["--tls-key", folder.file("a.key")]
        }
        if let script {
            let more = arguments.joined(separator: " ")
            let serve = "serve --database $folder/a.db --listen 127.0.0.1:0 \(more)"
            served = try RunningServer(
                Shell.start("set -- \(serve)\n\(script)", folder: folder.path))
        } else {
            served = try RunningServer(folder.file("a.db"), arguments)
        }
        let process = served.program.processID
        // One more belongs to the process that renders Markdown, once it is needed.
        limitSockets = ProcessFigures.socketCount(process) + 1
        peakAtStart = try ProcessFigures(process).peakKilobytes
        // One-time allocations do not count.
        try expectService()
    }

    // MARK: Clients

    var options: TestTLS? {
        guard wire.isSecure else { return nil }
        var options = TestTLS("localhost")
        options.authorities = authority
        options.version = wire.version
        if wire == .http2 { options.protocols = ["h2", "http/1.1"] }
        return options
    }

    /// A good client.
    func client() throws -> FaultClient { try FaultClient(connect(), wire) }

    /// A connection that is ready for HTTP.
    func connect(receiveBuffer: Int32? = nil) throws -> RawConnection {
        let connection = try RawConnection(served.addresses[0], receiveBuffer: receiveBuffer)
        if let options { try connection.startTLS(options) }
        return connection
    }

    /// A connected socket that has not sent anything.
    func connectRaw() throws -> RawConnection { try RawConnection(served.addresses[0]) }

    /// Makes as many clients, while good ones are served.
    func serving<Client>(_ count: Int, _ make: () throws -> Client) throws -> [Client] {
        try (0..<count).map { number in
            if number % 50 == 0 { try expectService() }
            return try make()
        }
    }

    /// Continues with a byte each, ten times a second, until the server has given up on all.
    func drip(to clients: [RawConnection]) throws {
        guard !clients.isEmpty else { return }
        let end = ContinuousClock.now + .seconds(Self.deadline) * 1.5
        while ContinuousClock.now < end {
            // A client that keeps sending after the server has closed loses the response.
            for client in clients where !client.hasInput { _ = client.sendSome([0x78]) }
            try expectService()
            poll(nil, 0, 100)
        }
    }

    /// Writes articles of 8 KB each.
    func writeLongArticles(_ count: Int) throws {
        let text = String(repeating: "x", count: 8_000)
        let body = #"{"title":"Bread","status":"published","body":"\#(text)"}"#
        let client = try client()
        for _ in 0..<count { #expect(try client.post(body)().status == 201) }
    }

    // MARK: Expectations

    /// A good client is served in time: a new one, or an existing one.
    func expectService(_ client: FaultClient? = nil, _ what: Comment? = nil) throws {
        let start = ContinuousClock.now
        guard let client else { return try expectNewClient(from: start, what) }
        #expect(try client.get().status == 200, what)
        #expect(ContinuousClock.now - start < Self.patience, what)
    }

    /// A client is good if it keeps the deadlines. One that the machine has held up for that long
    /// is rightly given up, and another one takes its place.
    private func expectNewClient(from start: ContinuousClock.Instant, _ what: Comment?) throws {
        while true {
            let begin = ContinuousClock.now
            let response = Result { try client().get() }
            let end = ContinuousClock.now
            #expect(end - start < Self.patience, what)
            if case .success(let response) = response, response.status == 200 { return }
            if end - begin < .seconds(Self.deadline) || end - start > Self.patience {
                #expect(try response.get().status == 200, what)
                return
            }
        }
    }

    /// Returns true if a new client is served at all.
    func isServing() throws -> Bool { try client().get().status == 200 }

    /// The number of articles.
    func articleCount() throws -> Int {
        let text = try client().get("/v1/articles?count=exact&limit=1&fields=id").text
        let digits = text.split(separator: #""value":"#).last?.prefix { $0.isNumber }
        return try #require(Int(digits ?? ""), "\(text)")
    }

    /// The faults left nothing behind: no socket, and no more memory than allowed.
    func expectNoTrace(
        _ what: Comment? = nil, memoryKilobytes: Int = memoryLimitKilobytes
    ) async throws {
        let process = served.program.processID
        let isClear = await eventually {
            ProcessFigures.socketCount(process) <= limitSockets
        }
        #expect(isClear, what)
        try expectService(nil, what)
        let peak = try ProcessFigures(process).peakKilobytes - peakAtStart
        #expect(peak < memoryKilobytes, what)
    }

    func figures() throws -> ProcessFigures { try ProcessFigures(served.program.processID) }
}
