import BroadsheetTestSupport

/// Generates streams of valid requests and mutates a few octets, lines or words of them.
struct RequestMutator {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private static let seeds: [[UInt8]] = AcceptedRequests.all.map(\.text)
        .filter { $0.utf8.count < 600 }.map { Array($0.utf8) }

    /// Fragments that lax parsers interpret differently.
    private static let words: [[UInt8]] = [
        "\r\n", "\r", "\n", "\r\n\r\n", "\n\n", " ", "\t", ":", ",", ";", "\0", "\u{B}", "chunked",
        "Content-Length: 5\r\n", "Content-Length: 0\r\n", "Content-Length:\r\n",
        "content-length: 05\r\n",
        "Transfer-Encoding: chunked\r\n", "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding: identity\r\n", "Transfer-Encoding:\tchunked\r\n",
        " Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chun\u{212A}ed\r\n", "Host: b\r\n",
        "Host:\r\n", "0\r\n\r\n", "0", "ffffffffffffffff", "5;a=b", "HTTP/1.0", "HTTP/1.1",
        "GET / ",
        "http://b/", "*", "Connection: close\r\n", "Expect: 100-continue\r\n", "%00", "%2e%2e/",
        "\u{FF}",
    ].map { Array($0.utf8) }

    private static let responses: [[UInt8]] = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "HTTP/1.0 404\r\nA: b\r\n\r\n",
        "HTTP/1.1 204 \r\nServer: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ].map { Array($0.utf8) }

    mutating func next() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            bytes += Self.seeds.randomElement(using: &random) ?? []
        }
        return mutate(bytes)
    }

    mutating func nextResponse() -> [UInt8] {
        mutate(Self.responses.randomElement(using: &random) ?? [])
    }

    /// The bytes in a few pieces, some of them empty.
    mutating func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let cuts = (0..<Int.random(in: 1...6, using: &random))
            .map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        return zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
    }

    private mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2 where bytes.count > 8: bytes.remove(at: place)
            case 3:
                let end = min(bytes.count, place + Int.random(in: 1...20, using: &random))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: lineStart(bytes, place))
            default:
                let word = Self.words.randomElement(using: &random) ?? []
                let isLine = word.count > 4 && word.last == 0x0A
                bytes.insert(contentsOf: word, at: isLine ? lineStart(bytes, place) : place)
            }
        }
        return bytes
    }

    private func lineStart(_ bytes: [UInt8], _ place: Int) -> Int {
        (bytes[..<place].lastIndex(of: 0x0A) ?? -1) + 1
    }
}
