/// The imports that each target may have (docs/architecture.md, "The ladder").
///
/// The package manager's own check finds undeclared siblings, but misses transitive imports.
enum Ladder {
    struct Rung {
        let height: Int
        /// Targets of this package.
        let targets: Set<String>
        /// Modules of the toolchain.
        let modules: Set<String>

        init(_ height: Int, _ targets: Set<String> = [], modules: Set<String> = []) {
            self.height = height
            self.targets = targets
            self.modules = modules
        }
    }

    static let rungs: [String: Rung] = [
        "CIDN": Rung(0), "CLinux": Rung(0), "CMarkdown": Rung(0), "CNghttp2": Rung(0),
        "COpenSSL": Rung(0), "CPostgres": Rung(0), "CSQLite": Rung(0), "CSodium": Rung(0),
        "CXML": Rung(0), "CYAML": Rung(0), "CZlib": Rung(0),
        "Resources": Rung(0),
        "HTTP": Rung(1),
        "Platform": Rung(1, ["CLinux"], modules: system),
        "Sockets": Rung(2, ["CLinux", "COpenSSL", "Platform"], modules: system),
        "Markup": Rung(2, ["CIDN", "CXML", "HTTP"], modules: system),
        "ArticleAPI": Rung(2, ["HTTP"], modules: ["Foundation", "FoundationEssentials"]),
        "HTTP2": Rung(2, ["CNghttp2", "HTTP"]),
        "HTTPServer": Rung(3, ["CZlib", "HTTP", "HTTP2", "Platform", "Sockets"], modules: system),
        "HTTPClient": Rung(3, ["CZlib", "HTTP", "HTTP2", "Platform", "Sockets"], modules: system),
        "ArticleStore": Rung(3, ["ArticleAPI", "Platform"], modules: system),
        "ArticleModels": Rung(3, ["ArticleAPI"]),
        "ArticleSearch": Rung(3, ["ArticleAPI"]),
        "Feeds": Rung(3, ["ArticleAPI", "HTTP", "Markup"], modules: system),
        "OpenAPI": Rung(3, ["ArticleAPI", "HTTP"]),
        "BroadsheetSwiftGenerator": Rung(3, ["ArticleAPI", "HTTP"]),
        "ArticleClient": Rung(
            4, ["ArticleAPI", "ArticleModels", "HTTP", "HTTPClient", "Platform", "Sockets"],
            modules: system.union(["Foundation", "Security"])),
        "ArticleDatabase": Rung(
            4,
            [
                "ArticleAPI", "ArticleSearch", "ArticleStore", "COpenSSL", "CPostgres", "CSQLite",
                "Platform", "Resources",
            ], modules: system),
        "ArticleOffline": Rung(
            5,
            ["ArticleAPI", "ArticleClient", "ArticleModels", "ArticleSearch", "CSQLite", "HTTP"],
            modules: system.union(["Observation", "SQLite3"])),
        // Above the SDK, so that nothing on Linux links FoundationNetworking.
        "URLSessionTransport": Rung(
            5, ["ArticleClient", "HTTP"], modules: ["Foundation", "FoundationNetworking"]),
        "ArticleServices": Rung(
            5,
            [
                "ArticleAPI", "ArticleSearch", "ArticleStore", "CMarkdown", "COpenSSL", "CSodium",
                "CYAML", "Feeds", "HTTP", "HTTPClient", "HTTPServer", "Markup", "OpenAPI",
                "Platform", "Resources", "Sockets",
            ], modules: system),
        "broadsheet": Rung(
            6,
            [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleServices", "ArticleStore",
                "BroadsheetSwiftGenerator", "CLinux", "HTTP", "HTTP2", "HTTPClient", "HTTPServer",
                "Platform", "Resources", "ArticleDatabase", "Sockets",
            ], modules: system),
        "TestSupport": Rung(
            5,
            [
                "ArticleAPI", "ArticleStore", "CLinux", "COpenSSL", "HTTP", "HTTP2", "HTTPClient",
                "HTTPServer", "Platform", "Sockets",
            ],
            modules: system),
    ]

    private static let system: Set<String> = [
        "Darwin", "Dispatch", "FoundationEssentials", "Glibc", "Synchronization",
    ]

    /// The targets that import this one, directly or through others.
    static func importers(of target: String) -> Set<String> {
        let direct = rungs.filter { $0.value.targets.contains(target) }.keys
        return direct.reduce(Set(direct)) { $0.union(importers(of: $1)) }
    }

    /// The imports in a file of `Sources` that its target may not have.
    static func violations(_ file: SourceFile, _ text: SwiftText) -> [Violation] {
        guard let target = file.target else { return [] }
        guard let rung = rungs[target] else {
            return [Violation(path: file.path, line: 1, fault: "\(target) is not on the ladder")]
        }
        var found: [Violation] = []
        for (index, line) in text.code.enumerated() {
            guard let module = module(imported: line) else { continue }
            var fault: String?
            if !rung.targets.contains(module), !rung.modules.contains(module) {
                fault = "\(target) must not import \(module)"
            } else if module == "Foundation", !rung.modules.contains("FoundationNetworking"),
                !standsInForEssentials(text.code[..<index])
            {
                fault = "Foundation is only for where there is no FoundationEssentials"
            }
            if let fault { found.append(Violation(path: file.path, line: index + 1, fault: fault)) }
        }
        return found
    }

    /// `Sockets` of `package import struct Sockets.Listener`; `nil` for a line without an import.
    static func module(imported line: String) -> String? {
        guard line.contains("import") else { return nil }
        let pattern =
            #/
            \s* (?: @\w+ (?: \( .*? \) )? \s+ )*
            (?: (?: public | package | internal | fileprivate | private ) \s+ )?
            import \s+
            (?: (?: struct | class | enum | protocol | func | var | let | typealias ) \s+ )?
            (\w+) (?: \. .* )? [\s;]*
            /#
        return line.wholeMatch(of: pattern).map { String($0.1) }
    }

    private static func standsInForEssentials(_ before: ArraySlice<String>) -> Bool {
        let conditions = before.filter { $0.contains("#") }.map { $0.filter { !$0.isWhitespace } }
        return conditions.suffix(2) == ["#ifcanImport(FoundationEssentials)", "#else"]
    }
}
