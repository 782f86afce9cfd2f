import ArticleAPI
import ArticleAdminAPI
import BroadsheetOpenAPI
import BroadsheetSwiftGenerator
import BroadsheetTestSupport
import Testing

/// The code generated from realistic and from hostile documents: it is as reviewed, compiles
/// without warnings, and the formatter would change nothing.
@Suite struct CompileTests {
    private static let modes: [(ending: String, options: SwiftGenerator.Options)] = [
        ("", .with()), ("Codable", .with(codable: true)), ("Internal", .with(internal: true)),
        ("InternalCodable", .with(codable: true, internal: true)),
    ]

    /// The models of each sample in every mode; in an ordinary run, in one mode each.
    private func models() throws -> [Compiler.File] {
        try GeneratedFiles.names(in: "Samples").enumerated().flatMap { index, name in
            let document = try GeneratedFiles.document(name, in: "Samples")
            let modes = Thoroughness.isFull ? Self.modes : [Self.modes[index % Self.modes.count]]
            return try modes.map { mode in
                let name = name + mode.ending
                let text = try SwiftGenerator.models(
                    named: name, samples: [document], options: mode.options)
                return (name, text)
            }
        }
    }

    @Test(arguments: GeneratedFiles.names(in: "Samples"))
    func `the models of a sample are as reviewed`(name: String) throws {
        let document = try GeneratedFiles.document(name, in: "Samples")
        let mapped = try SwiftGenerator.models(named: name, samples: [document])
        try GeneratedFiles.check(mapped, "Golden/\(name).swift.txt")
        let again = try SwiftGenerator.models(named: name, samples: [document])
        #expect(again == mapped)
    }

    @Test func `models compile without warnings`() async throws {
        #expect(GeneratedFiles.names(in: "Samples").count >= 12)
        let files = try models()
        for isStrict in Thoroughness.isFull ? [true, false] : [true] {
            #expect(try await Compiler.faults(files, isStrict: isStrict) == "")
        }
    }

    @Test func `codable models read samples, and what they wrote`() async throws {
        var source: [Compiler.File] = []
        var checks = ["import Foundation", "", "var wrong: [String] = []"]
        for name in GeneratedFiles.names(in: "Samples") {
            let document = try GeneratedFiles.document(name, in: "Samples")
            let text = try SwiftGenerator.models(
                named: name, samples: [document], options: .with(codable: true))
            source.append((name, text))
            let isArray = document.bytes.first == UInt8(ascii: "[")
            // Models without dates need no coders of their own.
            let (decoder, encoder) =
                text.contains("static var decoder")
                ? ("\(name).decoder", "\(name).encoder") : ("JSONDecoder()", "JSONEncoder()")
            checks.append(
                """
                do {
                    let type = \(isArray ? "[\(name)]" : name).self
                    let folder = URL(filePath: CommandLine.arguments[1])
                    let data = try Data(contentsOf: folder.appending(path: "\(name).json"))
                    let value = try \(decoder).decode(type, from: data)
                    let again = try \(decoder).decode(type, from: \(encoder).encode(value))
                    if again != value { wrong.append("\(name)") }
                }
                """)
        }
        checks.append("print(wrong)")
        source.append(("main", checks.joined(separator: "\n")))
        let output = try await Compiler.output(of: source, [GeneratedFiles.path(of: "Samples")])
        #expect(output == "[]\n")
    }

    @Test func `models are formatted`() async throws {
        let files = try models()
        #expect(try await Compiler.misformatted(files) == "")
    }

    @Test(arguments: GeneratedFiles.names(in: "Descriptions"))
    func `the requests of a description are as reviewed, compile and are formatted`(
        name: String
    ) async throws {
        let document = try GeneratedFiles.document(name, in: "Descriptions")
        let result = try SwiftGenerator.requests(from: document)
        #expect(result.leftOut.isEmpty)
        try GeneratedFiles.check(result.text, "Golden/\(name)Requests.swift.txt")
        let inner = try SwiftGenerator.requests(from: document, options: .with(internal: true))
        let files = [(name, result.text), ("\(name)Internal", inner.text)]
        // Both declare the same types. The client of our own API is internal, and compiled below.
        for file in Thoroughness.isFull ? files[...] : files.prefix(1) {
            #expect(try await Compiler.faults([file]) == "")
        }
        #expect(try await Compiler.misformatted(files) == "")
    }

    /// `Tests/EndToEndTests` runs a program that is compiled with it.
    @Test func `the client of our own API is as reviewed`() async throws {
        let description = APIDescription(
            of: Contract.requests, version: "1", examples: WireExamples([]))
        let document = SwiftGenerator.Source(name: "openapi.json", bytes: description.json())
        let result = try SwiftGenerator.requests(from: document, options: .with(internal: true))
        #expect(result.leftOut.isEmpty)
        try GeneratedFiles.check(
            result.text, "../Samples/GeneratedClient/Golden/BroadsheetAPI.swift")
        #expect(try await Compiler.misformatted([("API", result.text)]) == "")
    }

    @Test func `a fault is found`() async throws {
        #expect(try await Compiler.faults([("A", "let a: Int = \"\"\n")]).contains("error:"))
        #expect(
            try await Compiler.faults([("A", "func f() { let a = 1 }\n")]).contains("never used"))
        #expect(try await Compiler.misformatted([("A", "let  a=1\n")]).contains("Spacing"))
    }
}
