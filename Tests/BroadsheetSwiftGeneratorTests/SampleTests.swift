import BroadsheetSwiftGenerator
import Testing

/// The models inferred from samples.
@Suite struct SampleTests {
    /// The stored properties of a generated type, such as `title: String?`.
    private func properties(
        _ samples: String..., codable: Bool = false, of type: String = "Thing"
    ) throws -> [String] {
        let source = try SwiftGenerator.models(
            named: "Thing", samples: samples.map { .init($0) },
            options: .with(codable: codable, internal: true))
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.drop { $0 == " " }
        }
        let body = lines.drop { !$0.hasPrefix("struct \(type):") }.dropFirst()
        return body.prefix { !$0.isEmpty }
            .filter { $0.hasPrefix("let ") }.map { String($0.dropFirst(4)) }
    }

    @Test func `numbers are integers or numbers`() throws {
        #expect(
            try properties(#"{"a":1,"b":-1.5,"c":1e3}"#) == ["a: Int", "b: Double", "c: Double"])
        #expect(try properties(#"{"a":1}"#, #"{"a":1.5}"#) == ["a: Double"])
        #expect(try properties(#"{"a":123456789012345678901}"#) == ["a: Double"])
    }

    @Test func `texts have a type of their own if all samples have the form`() throws {
        let sample = #"""
            {"at":"2026-01-31T00:00:00Z","on":"2026-01-31","page":"https://a.example/x",
            "key":"0190b2f0-7e0f-4c2e-9d43-5e0a0a7d9f11","text":"2026"}
            """#
        #expect(
            try properties(sample)
                == ["at: Timestamp", "on: LocalDay", "page: URL", "key: UUID", "text: String"])
        #expect(
            try properties(sample, codable: true)
                == ["at: Date", "on: String", "page: URL", "key: UUID", "text: String"])
        let other = #"{"at":"yesterday","on":"2026-02-30","page":"/x","key":"1","text":""}"#
        #expect(
            try properties(sample, other)
                == ["at: String", "on: String", "page: String", "key: String", "text: String"])
    }

    @Test func `what a sample lacks is optional`() throws {
        #expect(
            try properties(#"{"a":1,"b":2,"c":null}"#, #"{"a":1}"#, #"{"a":1,"b":3,"c":true}"#)
                == ["a: Int", "b: Int?", "c: Bool?"])
        #expect(try properties(#"{"a":null}"#) == ["a: JSONValue?"])
        #expect(try properties(#"{"a":null}"#, codable: true) == ["a: AnyJSON?"])
    }

    @Test func `items of an array are samples of one type`() throws {
        let sample = #"{"items":[{"a":1},{"b":[]},{"a":2,"b":[null,"x"]}]}"#
        #expect(
            try properties(sample)
                == ["items: [ItemValue]"])
        #expect(try properties(sample, of: "ItemValue") == ["a: Int?", "b: [String?]?"])
    }

    @Test func `an array of samples is like several samples`() throws {
        #expect(try properties(#"[{"a":1},{"b":1}]"#) == ["a: Int?", "b: Int?"])
        #expect(try properties(#"{"2026-01-01":[{"a":1}],"2026-01-02":[]}"#) == ["a: Int"])
    }

    @Test func `objects whose names are data are maps`() throws {
        #expect(try properties(#"{"a":{"1":true,"2":false}}"#) == ["a: [String: Bool]"])
        #expect(
            try properties(#"{"a":{"2026-01-01":1,"2026-01-02":null}}"#) == ["a: [String: Int?]"])
        let long = String(repeating: "x", count: 100)
        #expect(try properties(#"{"a":{"\#(long)":1}}"#) == ["a: [String: Int]"])
        #expect(try properties(#"{"a":{}}"#) == ["a: [String: JSONValue]"])
    }

    @Test func `values of several kinds are any JSON`() throws {
        #expect(
            try properties(#"{"a":1,"b":[1,"x"]}"#, #"{"a":"x","b":[]}"#)
                == ["a: JSONValue", "b: [JSONValue]"])
    }

    @Test func `equal types of the same name are one`() throws {
        let source = try SwiftGenerator.models(
            named: "Thing",
            samples: [.init(#"{"a":{"at":{"x":1}},"b":{"at":{"x":2}},"c":{"at":{"y":1}}}"#)])
        #expect(source.matches(of: /struct At\b/).count == 1)
        #expect(source.contains("struct CAt:"))
    }

    @Test(arguments: ["[]", "1", "null", "[1]", #"["a",{}]"#, "{}", #"{"1":2}"#])
    func `samples without objects are rejected`(text: String) {
        let error = #expect(throws: GenerationError.self) {
            try SwiftGenerator.models(named: "Thing", samples: [.init(text)])
        }
        #expect(
            error?.description
                == "sample.json: the samples are not objects, and have no objects in common")
    }

    @Test func `text that is not JSON is rejected with its place`() {
        let error = #expect(throws: GenerationError.self) {
            try SwiftGenerator.models(named: "Thing", samples: [.init(#"{"a":}"#, name: "b.json")])
        }
        #expect(error?.description == "b.json: unexpected `}`, at line 1, column 6 ($.a)")
    }

    @Test(arguments: ["", "thing", "String", "Self", "A b", "Größe", "1A", "A;", "JSONModel"])
    func `a name that is not one for a type is rejected`(name: String) {
        #expect(throws: GenerationError.self) {
            try SwiftGenerator.models(named: name, samples: [.init(#"{"a":1}"#)])
        }
    }
}
