import Glibc
import HTTP
import Sockets
import TestSupport
import Testing

/// A server under faults, and what its good clients observe.
struct Target {
    let served: Served
    let wire: Wire
    private let authority: String
    // The files of the server and of its certificate.
    private let folder: TemporaryFolder
    private let mostSockets: Int
    private let peakAtStart: Int

    /// The maximum wait of a good client: far more than expected, to allow for a busy machine.
    private static let patience = Duration.seconds(60)
    /// The timeouts for bad clients in seconds: short enough to expire, and long enough for good
    /// clients among a thousand bad ones.
    static let deadline = Thoroughness.isFull || Sanitizer.isUsed ? 5 : 3
    static let deadlines = ["handshake", "head", "body", "idle", "write"].flatMap {
        ["--\($0)-timeout", "\(deadline)"]
    }
    static let get = "GET /v1/articles?limit=1&fields=id HTTP/1.1\r\nHost: localhost\r\n\r\n"
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
            served = try Served(Shell.start("set -- \(serve)\n\(script)", folder: folder.path))
        } else {
            served = try Served(folder.file("a.db"), arguments)
        }
        let process = served.program.processID
        // One more belongs to the process that renders Markdown, once it is needed.
        mostSockets = ProcessFigures.socketCount(process) + 1
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
        return options
    }

    /// A client that is ready to speak HTTP.
    func connect(receiveBuffer: Int32? = nil) throws -> RawConnection {
        let connection = try RawConnection(served.addresses[0], receiveBuffer: receiveBuffer)
        if let options { try connection.startTLS(options) }
        return connection
    }

    /// A connected socket that has not sent anything.
    func connectRaw() throws -> RawConnection { try RawConnection(served.addresses[0]) }

    // MARK: Expectations

    /// A good client is served in time: a new one, or an existing one.
    func expectService(_ client: RawConnection? = nil, _ what: Comment? = nil) throws {
        let start = ContinuousClock.now
        let client = try client ?? connect()
        try client.send(Self.get)
        #expect(try client.response().status == 200, what)
        #expect(ContinuousClock.now - start < Self.patience, what)
    }

    /// Whether a new client is served at all.
    func isServing() throws -> Bool {
        let client = try connect()
        try client.send(Self.get)
        return try client.response().status == 200
    }

    /// The number of articles.
    func articleCount() throws -> Int {
        let client = try connect()
        try client.send(
            "GET /v1/articles?count=exact&limit=1&fields=id HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let text = try client.response().text
        let digits = text.split(separator: #""value":"#).last?.prefix { $0.isNumber }
        return try #require(Int(digits ?? ""), "\(text)")
    }

    /// The faults left nothing behind: no socket, and no more memory than allowed.
    func expectNoTrace(
        _ what: Comment? = nil, memoryKilobytes: Int = memoryLimitKilobytes
    ) async throws {
        let process = served.program.processID
        let isClear = await eventually {
            ProcessFigures.socketCount(process) <= mostSockets
        }
        #expect(isClear, what)
        try expectService(nil, what)
        let peak = try ProcessFigures(process).peakKilobytes - peakAtStart
        #expect(peak < memoryKilobytes, what)
    }

    func figures() throws -> ProcessFigures { try ProcessFigures(served.program.processID) }
}
