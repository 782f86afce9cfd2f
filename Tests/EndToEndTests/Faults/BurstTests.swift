import Glibc
import HTTP
import Sockets
import TestSupport
import Testing

/// A burst of requests for pages that are as large as pages may be: each is cheap to send, and
/// nothing has to be read of the answers.
@Suite struct BurstTests {
    /// With all faults, from one address and from many, and pages of 4 MiB.
    private static let crowds = Thoroughness.isFull ? [(900, 1), (2_700, 12)] : [(150, 1)]
    private static let bodyBytes = Thoroughness.isFull ? 500_000 : 60_000
    /// What the server may have at most, of which the default configuration takes 64 MiB for
    /// responses in the making and 64 MiB for its cache.
    private static let memoryLimitKilobytes = Thoroughness.isFull ? 400_000 : 100_000
    /// The small form has pages of 600 KB, of which all at once would be 90 MB.
    private static let arguments =
        Thoroughness.isFull ? [] : ["--response-memory", "8388608", "--cache-bytes", "0"]

    @Test(arguments: crowds)
    func `a burst of large pages takes bounded memory and keeps nobody waiting`(
        clients: Int, addresses: Int
    ) async throws {
        let target = try Target(.plain, Self.arguments + ["--rate-limit", "off"])
        DescriptorRoom.raise()
        try fill(target)
        let before = try target.figures().peakKilobytes
        let crowd = try (0..<clients).map { number in
            let source = SocketAddress.v4([127, 0, 0, UInt8(2 + number % addresses)], port: 0)
            return try RawConnection(
                target.served.addresses[0], timeoutSeconds: 120, from: source)
        }
        for (number, client) in crowd.enumerated() { try client.send(Self.request(number)) }
        let worst = try await waits(of: target, while: crowd)
        if !Sanitizer.isUsed {
            let figures = try target.figures()
            #expect(figures.peakKilobytes < before + Self.memoryLimitKilobytes)
            // What was taken is given back.
            let isGivenBack = await eventually {
                ((try? target.figures().residentKilobytes) ?? .max) < before + 40_000
            }
            #expect(isGivenBack || Thoroughness.isFull)
        }
        // The program that is tested is a debug one, unless another one is named.
        if getenv("BROADSHEET_BINARY") != nil { #expect(worst < .milliseconds(250)) }
        try await target.expectNoTrace(memoryKilobytes: 2 * Self.memoryLimitKilobytes)
    }

    /// Asks for something small as long as the crowd is being answered; gives the longest wait.
    private func waits(of target: Target, while crowd: [RawConnection]) async throws -> Duration {
        var worst = Duration.zero
        let probe = try target.connect()
        var waiting = crowd[...]
        var answers: [Int: Int] = [:]
        while let next = waiting.first {
            let start = ContinuousClock.now
            try probe.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try probe.response().status == 200)
            worst = max(worst, ContinuousClock.now - start)
            try target.expectService(probe)
            if next.hasInput {
                answers[try next.response(to: .head).status, default: 0] += 1
                waiting = waiting.dropFirst()
            }
        }
        // Who had to wait for too long was told so; most did not have to.
        #expect(Set(answers.keys).isSubset(of: [200, 503]))
        #expect(answers[200, default: 0] >= 100)
        return worst
    }

    private func fill(_ target: Target) throws {
        let line = #"Bread, butter and \"jam\".\n"#
        let body = String(repeating: line, count: Self.bodyBytes / line.utf8.count)
        for number in 0..<10 {
            let article =
                #"{"title":"\#(number)","status":"published","tags":["big"],"body":"\#(body)"}"#
            #expect(try target.served.send(.post, "/v1/articles", article).status == 201)
        }
    }

    /// Each is another target, so that nobody shares what another one asked for.
    private static func request(_ number: Int) -> String {
        let milliseconds = 100 + number % 900
        let time = "2001-01-01T00:00:0\(number / 900).\(milliseconds)Z"
        return "HEAD /v1/articles?tag=big&fields=body&limit=100&publishedAfter=\(time) "
            + "HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }
}
