import ArticleAPI
import FoundationEssentials
import Testing

@testable import ArticleClient

/// The string catalogues, and the tables of phrases that are generated from them.
@Suite struct CatalogueTests {
    /// A string catalogue, and the type with its keys.
    struct Catalogue: Sendable, CustomTestStringConvertible {
        let path: String
        let type: String
        let access: String

        var testDescription: String { type }
        var name: Substring { path.split(separator: "/")[1] }
        var folder: URL { file.deletingLastPathComponent() }
        var file: URL {
            URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/ArticleClient/\(path).xcstrings")
        }
    }

    static let catalogues = [
        Catalogue(path: "Presentation/Presentation", type: "PhraseKey", access: ""),
        Catalogue(path: "ErrorTexts/Errors", type: "ErrorPhrase", access: "package "),
    ]

    /// An entry of a catalogue: its phrases by language.
    private struct Entry {
        let key: String
        let phrases: [String: Phrase]
    }

    private static func entries(_ catalogue: Catalogue) throws -> [Entry] {
        let value = try JSONParser.parse(Array(try Data(contentsOf: catalogue.file)))
        #expect(value["sourceLanguage"] == .string("en"))
        return try #require(value["strings"]?.members).map { member in
            let localizations = try #require(member.value["localizations"]?.members)
            return Entry(
                key: member.name,
                phrases: try Dictionary(
                    uniqueKeysWithValues: localizations.map {
                        ($0.name, try phrase($0.value))
                    }))
        }
    }

    private static func phrase(_ value: JSONValue) throws -> Phrase {
        if let text = text(value) { return .text(text) }
        let plural = try #require(value["variations"]?["plural"])
        #expect(plural.members?.map(\.name) == ["one", "other"])
        return .plural(
            one: try #require(plural["one"].flatMap(text)),
            other: try #require(plural["other"].flatMap(text)))
    }

    private static func text(_ value: JSONValue) -> String? {
        let unit = value["stringUnit"]
        guard unit?["state"] == .string("translated") else { return nil }
        guard case .string(let text)? = unit?["value"] else { return nil }
        return text
    }

    @Test(arguments: catalogues)
    func `the tables of phrases are those of the catalogue`(catalogue: Catalogue) throws {
        let entries = try Self.entries(catalogue)
        for language in PresentationLanguage.allCases {
            let word = "\(language)"
            let suffix =
                language == .english ? "" : "+" + word.prefix(1).uppercased() + word.dropFirst()
            let file = catalogue.folder.appending(path: "\(catalogue.type)\(suffix).swift")
            let table = Self.table(of: entries, in: language, catalogue)
            if ProcessInfo.processInfo.environment["BROADSHEET_RECORD"] == "1" {
                try Data(table.utf8).write(to: file)
            }
            let current = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(table == current, "run this test with BROADSHEET_RECORD=1")
        }
    }

    @Test(arguments: catalogues)
    func `every phrase is in all languages, with the same arguments`(
        catalogue: Catalogue
    ) throws {
        let languages = PresentationLanguage.allCases.map(\.rawValue)
        let entries = try Self.entries(catalogue)
        for entry in entries {
            #expect(Set(entry.phrases.keys) == Set(languages), "\(entry.key)")
            let arguments = Set(entry.phrases.values.flatMap(Self.formats).map(Self.arguments))
            #expect(arguments.count == 1, "\(entry.key)")
        }
    }

    @Test func `plurals are chosen and arguments are filled in`() {
        let english = PresentationLanguage.english
        #expect(english.phrase(.dateMinutesAgoSpoken, 1) == "1 minute ago")
        #expect(english.phrase(.dateMinutesAgoSpoken, 0) == "0 minutes ago")
        #expect(english.phrase(.bylineTwo, "%2$@", "100%") == "By %2$@ and 100%")
        let korean = PresentationLanguage.korean
        #expect(korean.phrase(.dateMinutesAgoSpoken, 1) == "1분 전")
        #expect(korean.phrase(.dateDayOfYear, "3월", 2, 2026) == "2026년 3월 2일")
    }

    @Test func `the reader's language is found in tags`() {
        func language(_ tags: String...) -> PresentationLanguage { .init(preferring: tags) }
        #expect(language("ko") == .korean)
        #expect(language("fr", "KO-Kore-KR", "en") == .korean)
        #expect(language("ko_KR") == .korean)
        #expect(language("en-GB", "ko") == .english)
        #expect(language("kok", "fr") == .english)
        #expect(language() == .english)
    }

    private static func formats(_ phrase: Phrase) -> [String] {
        switch phrase {
        case .text(let text): [text]
        case .plural(let one, let other): [one, other]
        }
    }

    /// `%1$@ %3$lld`, in the order of their numbers.
    private static func arguments(of format: String) -> String {
        format.matches(of: /%\d\$(?:@|lld)/).map { String($0.output) }.sorted()
            .joined(separator: " ")
    }

    // MARK: The tables

    private static func table(
        of entries: [Entry], in language: PresentationLanguage, _ catalogue: Catalogue
    ) -> String {
        var lines = [
            "// Generated from \(catalogue.name).xcstrings by CatalogueTests, "
                + "with BROADSHEET_RECORD=1.", "",
        ]
        if language == .english {
            lines += [
                "/// The keys of the string catalogue, in their order, and the phrases in English.",
                "\(catalogue.access)enum \(catalogue.type): Int, CaseIterable {",
            ]
            lines += entries.map { "    case \(name(of: $0.key))" } + [""]
        } else {
            lines.append("extension \(catalogue.type) {")
        }
        lines.append("    static let \(language): [Phrase] = [")
        lines += entries.map { entry in
            "        \(literal(entry.phrases[language.rawValue] ?? .text(""))),"
        }
        return (lines + ["    ]", "}", ""]).joined(separator: "\n")
    }

    /// `dateMinutesAgo` for `date.minutes.ago`.
    private static func name(of key: String) -> String {
        let parts = key.split(separator: ".")
        return parts.prefix(1).joined()
            + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func literal(_ phrase: Phrase) -> String {
        switch phrase {
        case .text(let text): ".text(\(quoted(text)))"
        case .plural(let one, let other):
            ".plural(one: \(quoted(one)), other: \(quoted(other)))"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.flatMap { "\\\"".contains($0) ? ["\\", $0] : [$0] } + "\""
    }
}

extension JSONValue {
    fileprivate var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    fileprivate subscript(name: String) -> JSONValue? {
        members?.first { $0.name == name }?.value
    }
}
