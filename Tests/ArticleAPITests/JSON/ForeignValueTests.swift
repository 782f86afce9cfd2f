import BroadsheetHTTP
import FoundationEssentials
import Testing

@testable import ArticleAPI

/// Codecs of values that only other APIs have.
@Suite struct ForeignValueTests {
    private func read<Value>(_ codec: JSONCodec<Value>, _ text: String) -> Value? {
        try? codec.map(Array(text.utf8))
    }

    private func text<Value>(_ codec: JSONCodec<Value>, _ value: Value) -> String {
        String(decoding: codec.bytes(of: value, nil, capacity: 64), as: UTF8.self)
    }

    @Test func `numbers are finite`() {
        #expect(read(.number, "1e3") == 1000 && read(.number, "-0.5") == -0.5)
        #expect(read(.number, "1e999") == nil && read(.number, "\"1\"") == nil)
        #expect(
            text(.number, -0.0) == "0" && text(.number, 2) == "2" && text(.number, 0.1) == "0.1")
        #expect(text(.number, .infinity) == "null" && text(.number, .nan) == "null")
        #expect(text(.number, 1e300) == "1e+300")
    }

    @Test func `null is a value where it may be one`() {
        let codec = JSONCodec<[Int?]>.array(of: .nullable(.integer), limit: .max)
        #expect(read(codec, "[1,null]") == [1, nil])
        #expect(text(codec, [nil, 2]) == "[null,2]")
        #expect(read(codec, "[\"1\"]") == nil)
    }

    @Test func `a map has any names, and equal maps have the same bytes`() {
        let codec = JSONCodec<[String: Double]>.map(of: .number)
        #expect(read(codec, #"{"b":1,"a":2.5}"#) == ["a": 2.5, "b": 1])
        #expect(text(codec, ["b": 1, "a": 2.5]) == #"{"a":2.5,"b":1}"#)
        #expect(read(codec, #"{"a":"x"}"#) == nil && read(codec, "[]") == nil)
        #expect(throws: ResponseMapperError.self) { try codec.map(Array(#"{"a":{}}"#.utf8)) }
    }

    private struct Note: JSONModel, Hashable {
        static let shape = ObjectCodec(
            Self.init,
            .required("text", \.text, .string),
            .optional("parent", \.parent, .indirect(Note.format)),
            .optional("replies", \.replies, .array(of: .deferred(Note.format), limit: .max)))
        let text: String
        let parent: Indirect<Note>?
        let replies: [Note]?
    }

    @Test func `a model may contain its own type`() throws {
        let json = #"{"text":"a","parent":{"text":"b"},"replies":[{"text":"c","replies":[]}]}"#
        let note = try Note(mapping: Array(json.utf8))
        #expect(note.parent?.value.text == "b" && note.replies?.first?.replies == [])
        #expect(String(decoding: note.json(), as: UTF8.self) == json)
        #expect(note == (try Note(mapping: note.json())))
    }

    private enum Place: JSONRepresentable, Hashable {
        case point(Double)
        case area([Double])
        case unknown(JSONValue)

        static let format: JSONCodec<Place> = .tagged(
            by: "kind", otherwise: JSONAlternative(.anything, Self.unknown, \.unknown),
            JSONAlternative(tag: "point", Self.of("at", .number), Self.point, \.point),
            JSONAlternative(
                tag: "area", Self.of("corners", .array(of: .number, limit: 9)), Self.area, \.area))

        var point: Double? { if case .point(let value) = self { value } else { nil } }
        var area: [Double]? { if case .area(let value) = self { value } else { nil } }
        var unknown: JSONValue? { if case .unknown(let value) = self { value } else { nil } }

        private static func of<Value: Sendable>(
            _ name: String, _ codec: JSONCodec<Value>
        ) -> JSONCodec<Value> {
            .object(ObjectCodec({ @Sendable in $0 }, .required(name, { @Sendable in $0 }, codec)))
        }
    }

    @Test func `a tag selects the form of an object`() throws {
        #expect(try Place(mapping: Array(#"{"kind":"point","at":2}"#.utf8)) == .point(2))
        #expect(try Place(mapping: Array(#"{"corners":[1],"kind":"area"}"#.utf8)) == .area([1]))
        let other = try Place(mapping: Array(#"{"kind":"line","x":1}"#.utf8))
        #expect(String(decoding: other.json(), as: UTF8.self) == #"{"kind":"line","x":1}"#)
        let error = #expect(throws: ResponseMapperError.self) {
            try Place(mapping: Array(#"{"kind":"point"}"#.utf8))
        }
        #expect(error?.description == "$.at: the attribute `at` is missing")
    }

    @Test func `the first form in which a value can be read is taken`() {
        let codec = JSONCodec<JSONValue>.firstOf(
            JSONAlternative(.integer, { .number(JSONNumber(text: "\($0)")) }, { _ in nil }),
            JSONAlternative(
                .string, { .string($0) }, { if case .string(let a) = $0 { a } else { nil } }))
        #expect(
            read(codec, "1") == .number(JSONNumber(text: "1"))
                && read(codec, "\"a\"") == .string("a"))
        #expect(read(codec, "true") == nil)
        #expect(text(codec, .string("b")) == "\"b\"")
    }

    @Test func `texts of Foundation's types`() throws {
        let id = try #require(UUID(uuidString: "0190B2F0-7E0F-4C2E-9D43-5E0A0A7D9F11"))
        #expect(TextCodec.uuid.print(id) == "0190b2f0-7e0f-4c2e-9d43-5e0a0a7d9f11")
        #expect(TextCodec.uuid.parse("0190b2f0") == nil)
        #expect(TextCodec.url.parse("https://a.example/x")?.host() == "a.example")
        #expect(TextCodec.base64.parse("aGk=") == Data("hi".utf8))
        #expect(TextCodec.base64.print(Data("hi".utf8)) == "aGk=")
    }

    @Test(arguments: [("2026-02-28", true), ("2024-02-29", true), ("2026-02-29", false)])
    func `days exist`(text: String, exists: Bool) {
        #expect((LocalDay(text)?.description == text) == exists)
    }

    @Test(arguments: ["", "2026-1-1", "2026-01-011", "+026-01-01", "2026-01-01T", "２０２６-01-01"])
    func `other texts are not days`(text: String) {
        #expect(LocalDay(text) == nil)
    }

    @Test func `texts in paths and queries`() {
        #expect(TextCodec.boolean.parse("true") == true && TextCodec.boolean.parse("1") == nil)
        #expect(
            TextCodec<Double>.number.print(0.5) == "0.5" && TextCodec.number.parse("nan") == nil)
        let list = TextCodec<[Int]>.list(of: .integer)
        #expect(list.parse("1,2") == [1, 2] && list.parse("") == [] && list.parse("1,,2") == nil)
        #expect(list.print([1, 2]) == "1,2")
    }

    @Test func `the trailing slash of a path is kept`() {
        func path(_ template: PathTemplate) -> String {
            String(decoding: template.path([("id", "a b")]), as: UTF8.self)
        }
        #expect(path("/pets/{id}/") == "/pets/a%20b/" && path("/pets/{id}") == "/pets/a%20b")
        #expect(path("/") == "/")
    }

    private struct FetchTextRequest: BackendAPIRequest {
        struct Response: ResponseItem, Hashable {
            static let encoding = ResponseEncoding<Self>.bytes(
                "text/plain", \.bytes, Self.init(bytes:))
            let bytes: [UInt8]
        }

        static let endpoint = Endpoint(.get, "/text/", access: .everyone)
        typealias Item = Response
        static let parameters = Parameters(
            Self.init(key:), .requiredHeader("X-Key", \.key, .string))
        let key: String
    }

    @Test func `a required header and a response of bytes`() throws {
        let request = RequestPrinter.print(FetchTextRequest(key: "k"))
        #expect(request.fields[.accept] == "text/plain, application/problem+json")
        let source = try #require(RequestSource(request, for: FetchTextRequest.endpoint))
        #expect(try FetchTextRequest(parsing: source) == FetchTextRequest(key: "k"))
        var bare = request
        bare.fields = HTTPFields()
        let other = try #require(RequestSource(bare, for: FetchTextRequest.endpoint))
        let error = #expect(throws: RequestValidationError.self) {
            try FetchTextRequest(parsing: other)
        }
        #expect(error?.details.first?.detail == "is missing")
        let item = try ResponseMapper<FetchTextRequest.Response>().map(Array("hi".utf8))
        #expect(FetchTextRequest.Response.encoding.write(item) == Array("hi".utf8))
    }

    @Test func `lists and maps of models are items`() throws {
        let notes = try [Note](mapping: Array(#"[{"text":"a"}]"#.utf8))
        #expect(notes.map(\.text) == ["a"])
        let named = try [String: Note](mapping: Array(#"{"x":{"text":"a"}}"#.utf8))
        #expect(named["x"]?.text == "a")
    }

    @Test func `a change is applied`() {
        #expect(Change.keep.applied(to: 1) == 1 && Change<Int>.clear.applied(to: 1) == nil)
        #expect(Change.set(2).applied(to: nil) == 2)
    }
}
