import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// A burst of requests for pages of the maximum size: each is cheap to send, and clients do not
/// need to read the responses.
@Suite(.mayBlock) struct BurstTests {
    /// With all faults, from one address and from many, and pages of 4 MiB.
    private static let crowds = Thoroughness.isFull ? [(900, 1), (2_700, 12)] : [(150, 1)]
    private static let bodyBytes = Thoroughness.isFull ? 500_000 : 60_000
    /// The memory limit of the server, of which the default configuration reserves 64 MiB for
    /// unsent responses and 64 MiB for the cache.
    private static let memoryLimitKilobytes = Thoroughness.isFull ? 400_000 : 100_000
    /// The small variant has pages of 600 KB, which would take 90 MB all at once, and time for all
    /// of them, however busy the machine is.
    private static let arguments =
        Thoroughness.isFull
        ? []
        : [
            "--response-memory", "8388608", "--cache-bytes", "0",
            "--handler-timeout", "\(Patience.seconds)",
        ]

    @Test(arguments: crowds)
    func `a burst of large pages takes bounded memory and delays nobody`(
        clients: Int, addresses: Int
    ) async throws {
        let target = try FaultedServer(.plain, Self.arguments + ["--rate-limit", "off"])
        TestDescriptorLimit.raise()
        try fill(target)
        let before = try target.figures().peakKilobytes
        let crowd = try (0..<clients).map { number in
            let source = SocketAddress.v4([127, 0, 0, UInt8(2 + number % addresses)], port: 0)
            return try RawConnection(
                target.served.addresses[0], from: source)
        }
        for (number, client) in crowd.enumerated() { try client.send(Self.request(number)) }
        let worst = try await waits(of: target, while: crowd)
        if !Sanitizer.isUsed {
            let figures = try target.figures()
            #expect(figures.peakKilobytes < before + Self.memoryLimitKilobytes)
            // The memory is released.
            let isGivenBack = await eventually {
                ((try? target.figures().residentKilobytes) ?? .max) < before + 40_000
            }
            #expect(isGivenBack || Thoroughness.isFull)
        }
        // Only a release binary without other tests beside it has a deadline (`make proofs`).
        if Thoroughness.isFull, getenv("BROADSHEET_BINARY") != nil {
            #expect(worst < .milliseconds(250))
        }
        try await target.expectNoTrace(memoryKilobytes: 2 * Self.memoryLimitKilobytes)
    }

    /// Sends small requests while the crowd is being served; returns the longest wait.
    private func waits(of target: FaultedServer, while crowd: [RawConnection]) async throws
        -> Duration
    {
        var worst = Duration.zero
        let probe = try target.client()
        var waiting = crowd[...]
        var responses: [Int: Int] = [:]
        while let next = waiting.first {
            let start = ContinuousClock.now
            #expect(try probe.get("/livez").status == 200)
            worst = max(worst, ContinuousClock.now - start)
            try target.expectService(probe)
            if next.hasInput {
                responses[try next.response(to: .head).status, default: 0] += 1
                waiting = waiting.dropFirst()
            }
        }
        if Thoroughness.isFull {
            // Requests that waited for too long received 503; many did not have to wait.
            #expect(Set(responses.keys).isSubset(of: [200, 503]))
            #expect(responses[200, default: 0] >= 100)
        } else {
            #expect(responses == [200: crowd.count])
        }
        return worst
    }

    private func fill(_ target: FaultedServer) throws {
        let line = #"Bread, butter and \"jam\".\n"#
        let body = String(repeating: line, count: Self.bodyBytes / line.utf8.count)
        for number in 0..<10 {
            let article =
                #"{"title":"\#(number)","status":"published","tags":["big"],"body":"\#(body)"}"#
            #expect(try target.served.send(.post, "/v1/articles", article).status == 201)
        }
    }

    /// Each request has a different target, so that no response is shared.
    private static func request(_ number: Int) -> String {
        let milliseconds = 100 + number % 900
        let time = "2001-01-01T00:00:0\(number / 900).\(milliseconds)Z"
        return "HEAD /v1/articles?tag=big&fields=body&limit=100&publishedAfter=\(time) "
            + "HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }
}
