import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import CBroadsheetZlib
import Testing

@Suite struct CompressionTests {
    private static let text = String(repeating: "Bread is made of flour and water. ", count: 100)
    private static let noise: String = {
        var random = SplitMix64(seed: 11)
        return String(
            (0..<4_000).map { _ in
                Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random)))
            })
    }()

    private func run(limitBytes: Int = 1 << 20, _ body: (TestServer, CacheFixture) throws -> Void)
        async throws
    {
        let bench = CacheFixture(limitBytes: limitBytes)
        bench.change("text", to: Self.text)
        bench.change("short", to: String(Self.text.prefix(1_024)))
        try await TestServer.run(bench.router(), with: bench.configuration()) { test in
            try body(test, bench)
        }
    }

    private func get(
        _ test: TestServer, _ name: String, _ codings: String?, tag: String? = nil
    ) throws -> ReceivedResponse {
        var fields = HTTPFields()
        if let codings { fields.append(.acceptEncoding, codings) }
        if let tag { fields.append(.ifNoneMatch, tag) }
        return try test.client.send(.get, "/values/\(name)", fields: fields)
    }

    @Test(arguments: [1 << 20, 0])
    func `a client that accepts gzip gets it, with its own validator`(limitBytes: Int) async throws
    {
        try await run(limitBytes: limitBytes) { test, _ in
            let plain = try get(test, "text", nil)
            for _ in 0..<3 {
                let small = try get(test, "text", "gzip, deflate, br")
                #expect(small.fields[.contentEncoding] == "gzip")
                #expect(small.fields[.contentLength] == "\(small.body.count)")
                #expect(small.fields[.vary] == "Accept-Encoding")
                #expect(small.body.count < plain.body.count / 4)
                #expect(try gunzip(small.body) == plain.body)
                let tags = (small.fields[.etag], plain.fields[.etag])
                #expect(tags.0 != nil && tags.1 != nil && tags.0 != tags.1)
            }
            for codings in [nil, "identity", "gzip;q=0", "br", "gzip;q=0.1, identity;q=0.2"] {
                let whole = try get(test, "text", codings)
                #expect(!whole.fields.contains(.contentEncoding))
                #expect(whole.body == plain.body)
            }
        }
    }

    @Test func `each request that finds a response counts once`() async throws {
        try await run { test, bench in
            _ = try get(test, "text", nil)
            let codings = ["gzip", "gzip", nil, "gzip", "identity"]
            for coding in codings { _ = try get(test, "text", coding) }
            #expect(bench.cache.statistics.misses == 1)
            #expect(bench.cache.statistics.hits == codings.count)
        }
    }

    @Test func `a validator identifies one coding only`() async throws {
        try await run { test, _ in
            let plain = try #require(try get(test, "text", nil).fields[.etag])
            let small = try #require(try get(test, "text", "gzip").fields[.etag])
            #expect(try get(test, "text", nil, tag: plain).status == 304)
            let same = try get(test, "text", "gzip", tag: small)
            #expect(same.status == 304 && same.fields[.etag] == small)
            #expect(!same.fields.contains(.contentEncoding))
            #expect(try get(test, "text", "gzip", tag: plain).status == 200)
            #expect(try get(test, "text", nil, tag: small).status == 200)
        }
    }

    @Test func `small and incompressible responses are not compressed`() async throws {
        try await run { test, bench in
            bench.change("noise", to: Self.noise)
            let short = try get(test, "short", "gzip")
            #expect(!short.fields.contains(.contentEncoding))
            for _ in 0..<2 {
                let noise = try get(test, "noise", "gzip")
                #expect(try body(noise) == Array(Self.noise.utf8))
            }
            #expect(bench.reads == 2)
        }
    }

    @Test func `compressed responses are invalidated with the others`() async throws {
        try await run { test, bench in
            _ = try get(test, "text", "gzip")
            _ = try get(test, "text", "gzip")
            #expect(bench.reads == 1)
            bench.change("text", to: Self.text + "And salt.")
            let changed = try get(test, "text", "gzip")
            let text = String(decoding: try body(changed), as: UTF8.self)
            #expect(text.hasSuffix("And salt."))
            #expect(bench.reads == 2)
        }
    }

    private func body(_ response: ReceivedResponse) throws -> [UInt8] {
        response.fields.contains(.contentEncoding) ? try gunzip(response.body) : response.body
    }

    private func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 31, ZLIB_VERSION, size) == Z_OK else {
            throw TestFailure("inflateInit2")
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: 1 << 20)
        let room = UInt32(output.count)
        let (code, left) = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = room
                return (inflate(&stream, Z_FINISH), stream.avail_out)
            }
        }
        guard code == Z_STREAM_END else { throw TestFailure("inflate: \(code)") }
        return Array(output.prefix(Int(room - left)))
    }
}
