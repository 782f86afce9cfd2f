import ArticleAPI
import BroadsheetSwiftGenerator
import BroadsheetTestSupport
import Testing

/// Code generated from mutations of the documents compiles and is formatted, or nothing is
/// generated. `make fuzz` tests many more mutations, without the compiler.
@Suite struct MutationTests {
    /// The compiler takes a second for each document of requests, since all declare the same types.
    private static let (models, requests) = Thoroughness.isFull ? (60, 12) : (15, 3)

    @Test func `models of mutated samples compile`() async throws {
        var mutator = try DocumentMutator(GeneratedFiles.documents(in: "Samples"), seed: 1)
        var files: [Compiler.File] = []
        for number in 0..<Self.models {
            let name = "Mutation\(number)"
            let document = mutator.next()
            let options = SwiftGenerator.Options.with(codable: number % 3 == 0)
            guard
                let text = try? SwiftGenerator.models(
                    named: name, samples: [document], options: options)
            else { continue }
            files.append((name, text))
        }
        #expect(files.count > Self.models / 2)
        #expect(try await Compiler.faults(files) == "")
        #expect(try await Compiler.misformatted(files) == "")
    }

    @Test func `requests of mutated descriptions compile`() async throws {
        var mutator = try DocumentMutator(GeneratedFiles.documents(in: "Descriptions"), seed: 2)
        var files: [Compiler.File] = []
        while files.count < Self.requests {
            let document = mutator.next()
            guard
                let result = try? SwiftGenerator.requests(
                    from: document, options: .with(skipping: true))
            else { continue }
            files.append(("API\(files.count)", result.text))
        }
        for file in files { #expect(try await Compiler.faults([file]) == "") }
        #expect(try await Compiler.misformatted(files) == "")
    }
}

/// Changes parts of JSON documents: replaces them by others, removes and repeats them, and gives
/// them hostile names.
struct DocumentMutator {
    private let documents: [JSONValue]
    private var random: SplitMix64

    private static let names = [
        "self", "Self", "init", "Type", "class", "inout", "id", "ID", "String", "JSONCodec", "",
        "a b", "a-b", "2", "😀", "größe", "\"", "\\(x)", "*/", "\n", "\u{202E}", "value", "Value",
        "format", "shape", "text", "a/b~c", String(repeating: "long_name_", count: 9),
    ]

    init(_ documents: [SwiftGenerator.Source], seed: UInt64) throws {
        self.documents = try documents.map { try JSONParser.parse($0.bytes) }
        random = SplitMix64(seed: seed)
    }

    mutating func next() -> SwiftGenerator.Source {
        var document = documents.randomElement(using: &random) ?? .null
        for _ in 0..<Int.random(in: 1...6, using: &random) { document = changed(document) }
        var writer = JSONWriter()
        document.write(to: &writer)
        return SwiftGenerator.Source(name: "mutation.json", bytes: writer.bytes)
    }

    /// The value with a change somewhere within it.
    private mutating func changed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(var members) where !members.isEmpty:
            let index = Int.random(in: members.indices, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: members.remove(at: index)
            case 1: rename(index, in: &members)
            case 2: members[index].value = part()
            default: members[index].value = changed(members[index].value)
            }
            return .object(members)
        case .array(var items) where !items.isEmpty:
            let index = Int.random(in: items.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: items.remove(at: index)
            case 1: items.append(part())
            case 2: items.append(items[index])
            default: items[index] = changed(items[index])
            }
            return .array(items)
        default:
            let isText = Bool.random(using: &random)
            return isText ? .string(Self.names.randomElement(using: &random) ?? "") : part()
        }
    }

    private mutating func rename(_ index: Int, in members: inout [JSONValue.Member]) {
        let name = Self.names.randomElement(using: &random) ?? ""
        if !members.contains(where: { $0.name == name }) { members[index].name = name }
    }

    /// A part of a document.
    private mutating func part() -> JSONValue {
        var value = documents.randomElement(using: &random) ?? .null
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            switch value {
            case .object(let members):
                guard let member = members.randomElement(using: &random) else { return value }
                value = member.value
            case .array(let items):
                guard let item = items.randomElement(using: &random) else { return value }
                value = item
            default: return value
            }
        }
        return value
    }
}
