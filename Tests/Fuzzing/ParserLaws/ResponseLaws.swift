import BroadsheetHTTP

/// A response with its body, read strictly and as the client reads it; the first byte determines
/// the request's method and how the rest is split.
enum ResponseLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let method: HTTPMethod = [.get, .head, .post, .connect][Int((input.first ?? 0) & 3)]
        let bytes = Array(input.dropFirst())
        let strict = read([bytes[...]], to: method, isLenient: false)
        let lenient = read([bytes[...]], to: method, isLenient: true)
        for (isLenient, whole) in [(false, strict), (true, lenient)] {
            laws.expect(
                read(input.piecesBehindFirst, to: method, isLenient: isLenient) == whole,
                "the same bytes yield the same response in any pieces")
        }
        if case .taken = strict {
            laws.expect(lenient == strict, "what is valid means the same to a lenient parser")
        } else if case .taken(let head, _, _) = lenient {
            laws.expect(!head.keepsAlive, "nothing follows what only a lenient parser takes")
        }
        if case .taken(let head, let body, _) = lenient {
            laws.expect((100...599).contains(head.status.code), "a status has three digits")
            if case .length(let length) = head.framing {
                laws.expect(body.count <= length, "no body is longer than it says")
            }
            laws.expect(method != .head || body.isEmpty, "a response to HEAD has no body")
        }
        return laws.broken
    }

    private enum Reading: Equatable {
        case unfinished
        case rejected(HTTPParseError)
        case taken(ResponseHead, body: [UInt8], isWhole: Bool)
    }

    private static func read(
        _ pieces: [ArraySlice<UInt8>], to method: HTTPMethod, isLenient: Bool
    ) -> Reading {
        var parser = ResponseParser(isLenient: isLenient)
        var buffer: [UInt8] = []
        var open: (head: ResponseHead, decoder: BodyDecoder)?
        var body: [UInt8] = []
        do throws(HTTPParseError) {
            for piece in pieces {
                buffer += piece
                if open == nil, let head = try parser.parse(buffer.span, to: method) {
                    open = (head, try BodyDecoder(head.framing))
                    buffer.removeFirst(parser.consumed)
                }
                let used = try open?.decoder.decode(buffer.span, into: &body) ?? 0
                buffer.removeFirst(used)
            }
        } catch { return .rejected(error) }
        return open.map { .taken($0.head, body: body, isWhole: $0.decoder.isComplete) }
            ?? .unfinished
    }
}
