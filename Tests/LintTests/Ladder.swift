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
        "CBroadsheetIDN": Rung(0), "CBroadsheetLinux": Rung(0), "CBroadsheetMarkdown": Rung(0),
        "CBroadsheetNghttp2": Rung(0),
        "CBroadsheetOpenSSL": Rung(0), "CBroadsheetPostgres": Rung(0), "CBroadsheetSQLite": Rung(0),
        "CBroadsheetSodium": Rung(0),
        "CBroadsheetXML": Rung(0), "CBroadsheetYAML": Rung(0), "CBroadsheetZlib": Rung(0),
        "BroadsheetResources": Rung(0),
        "BroadsheetHTTP": Rung(1),
        "BroadsheetSQLite": Rung(1, ["CBroadsheetSQLite"]),
        "BroadsheetPlatform": Rung(1, ["CBroadsheetLinux"], modules: system),
        "BroadsheetSockets": Rung(
            2, ["CBroadsheetLinux", "CBroadsheetOpenSSL", "BroadsheetPlatform"], modules: system),
        "BroadsheetMarkup": Rung(
            2, ["CBroadsheetIDN", "CBroadsheetXML", "BroadsheetHTTP"], modules: system),
        "ArticleAPI": Rung(2, ["BroadsheetHTTP"], modules: ["Foundation", "FoundationEssentials"]),
        "BroadsheetHTTP2": Rung(2, ["CBroadsheetNghttp2", "BroadsheetHTTP"]),
        "BroadsheetHTTPServer": Rung(
            3,
            [
                "CBroadsheetZlib", "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetPlatform",
                "BroadsheetSockets",
            ], modules: system),
        "BroadsheetHTTPClient": Rung(
            3,
            [
                "CBroadsheetZlib", "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetPlatform",
                "BroadsheetSockets",
            ], modules: system),
        "ArticleAdminAPI": Rung(3, ["ArticleAPI", "BroadsheetHTTP"]),
        "ArticleStore": Rung(
            4, ["ArticleAPI", "ArticleAdminAPI", "BroadsheetPlatform"], modules: system),
        "ArticleSearch": Rung(3, ["ArticleAPI"]),
        "BroadsheetFeeds": Rung(
            3, ["ArticleAPI", "BroadsheetHTTP", "BroadsheetMarkup"], modules: system),
        "BroadsheetOpenAPI": Rung(4, ["ArticleAPI", "ArticleAdminAPI", "BroadsheetHTTP"]),
        "BroadsheetSwiftGenerator": Rung(3, ["ArticleAPI", "BroadsheetHTTP"]),
        "ArticleClient": Rung(
            4,
            [
                "ArticleAPI", "BroadsheetHTTP", "BroadsheetHTTPClient",
                "BroadsheetPlatform", "BroadsheetSockets",
            ],
            modules: system.union([
                "Foundation", "Network", "Observation", "Security", "SwiftUI", "UIKit",
            ])),
        "BroadsheetCommandLine": Rung(
            4, ["ArticleAPI", "BroadsheetSwiftGenerator", "BroadsheetHTTP"]),
        "ArticleDatabase": Rung(
            5,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleSearch", "ArticleStore",
                "CBroadsheetOpenSSL",
                "BroadsheetSQLite", "CBroadsheetPostgres", "CBroadsheetSQLite",
                "BroadsheetPlatform", "BroadsheetResources",
            ], modules: system),
        "ArticleOffline": Rung(
            5,
            [
                "ArticleAPI", "ArticleClient", "ArticleSearch",
                "BroadsheetHTTP", "BroadsheetSQLite", "CBroadsheetSQLite",
            ], modules: system.union(["Observation", "SwiftUI"])),
        // Above the SDK, so that nothing on Linux links FoundationNetworking.
        "BroadsheetURLSession": Rung(
            5, ["ArticleClient", "BroadsheetHTTP"],
            modules: ["Foundation", "FoundationNetworking"]),
        "BroadsheetTesting": Rung(
            6,
            ["ArticleAPI", "ArticleClient", "ArticleOffline", "ArticleSearch", "BroadsheetHTTP"]),
        // What it re-exports, and no HTTP: only a transport of one's own needs that.
        "BroadsheetKit": Rung(
            6, ["ArticleAPI", "ArticleClient", "ArticleOffline", "BroadsheetURLSession"]),
        "ArticleServiceCore": Rung(
            5,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetHTTPClient",
                "BroadsheetHTTPServer", "BroadsheetMarkup", "BroadsheetPlatform",
                "CBroadsheetMarkdown", "CBroadsheetOpenSSL",
            ], modules: system),
        "ArticleAccounts": Rung(
            6,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleServiceCore", "ArticleStore",
                "BroadsheetHTTP",
                "BroadsheetHTTPClient", "BroadsheetHTTPServer", "BroadsheetPlatform",
                "CBroadsheetOpenSSL", "CBroadsheetSodium",
            ], modules: system),
        "ArticleResources": Rung(
            7,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleSearch",
                "ArticleServiceCore",
                "ArticleStore", "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetHTTPServer",
                "BroadsheetMarkup", "BroadsheetOpenAPI", "BroadsheetPlatform",
                "BroadsheetResources",
            ], modules: system),
        "ArticleImportExport": Rung(
            7,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleServiceCore",
                "ArticleStore",
                "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetMarkup", "BroadsheetPlatform",
                "BroadsheetResources", "CBroadsheetYAML",
            ], modules: system),
        "ArticleConnectors": Rung(
            8,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleImportExport", "ArticleResources",
                "ArticleServiceCore",
                "ArticleStore", "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetHTTPClient",
                "BroadsheetMarkup", "BroadsheetPlatform", "BroadsheetSockets",
            ], modules: system),
        "ArticleOperations": Rung(
            9,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleConnectors",
                "ArticleImportExport",
                "ArticleResources", "ArticleServiceCore", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetHTTPServer", "BroadsheetPlatform", "BroadsheetResources",
            ], modules: system),
        "ArticleServices": Rung(
            10,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleConnectors",
                "ArticleOperations",
                "ArticleResources", "ArticleServiceCore", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetHTTPServer", "BroadsheetPlatform",
            ], modules: system),
        "broadsheet": Rung(
            11,
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleClient",
                "ArticleConnectors",
                "ArticleDatabase", "ArticleImportExport", "ArticleOperations",
                "ArticleResources", "ArticleServiceCore", "ArticleServices", "ArticleStore",
                "BroadsheetCommandLine", "BroadsheetHTTP", "BroadsheetHTTP2",
                "BroadsheetHTTPClient", "BroadsheetHTTPServer", "BroadsheetPlatform",
                "BroadsheetResources", "BroadsheetSockets", "CBroadsheetLinux",
            ], modules: system),
        "broadsheet-generate": Rung(
            6, ["BroadsheetCommandLine", "BroadsheetHTTP"],
            modules: ["Foundation", "FoundationNetworking"]),
        "BroadsheetTestSupport": Rung(
            5,
            [
                "ArticleAPI", "ArticleStore", "CBroadsheetLinux", "CBroadsheetOpenSSL",
                "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetHTTPClient",
                "BroadsheetHTTPServer", "BroadsheetPlatform", "BroadsheetSockets",
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
