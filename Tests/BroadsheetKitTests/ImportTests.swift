import BroadsheetKit
import BroadsheetTestSupport
import Dispatch
import Foundation
import Observation
import RegexBuilder
import Synchronization
import Testing

/// Files of apps and of their tests import the SDK beside the system's modules: every public type
/// can be named in them.
@Suite struct ImportTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..")
        .standardizedFileURL

    @Test func `one import is enough`() async throws {
        let tag = ArticleTag(named: "Rye")
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { _ in
                Page(items: [ArticleTag.Usage(tag: tag, articleCount: 1)])
            }
        }
        #expect(try await backend.send(FetchTagsRequest()).items.map(\.tag) == [tag])
        let store = try ModelStore(.memory)
        #expect(try await store.loadArticles().isEmpty)
    }

    /// Modules that are only on Apple's platforms are not checked.
    @Test func `no type has the name of a type of the system's modules`() async throws {
        let types = try Self.types()
        #expect(types.count > 200 && types.contains("ArticleTag") && types.contains("Transport"))
        #expect(try await Self.faults(naming: types) == [])
        let folder = try TemporaryFolder()
        try Data("public struct Tag {}\n".utf8).write(to: URL(filePath: folder.file("A.swift")))
        let (module, source) = (folder.file("Clashing.swiftmodule"), folder.file("A.swift"))
        let arguments = ["-module-name", "Clashing", "-emit-module-path", module, source]
        #expect(try await Self.compile(["-parse-as-library", "-emit-module"] + arguments) == [])
        let faults = try await Self.faults(naming: ["Tag"], in: ["Clashing"], ["-I", folder.path])
        #expect(faults.contains { $0.contains("'Tag' is ambiguous") }, "\(faults)")
    }

    /// The public types of the modules that an app can import, by their sources.
    private static func types() throws -> Set<String> {
        let declaration =
            #/
            (?m) ^ (?: @\S+ \s )* public \s (?: (?: final | indirect ) \s )?
            (?: struct | class | enum | actor | protocol | typealias ) \s (\w+)
            /#
        var names: Set<String> = []
        for module in modules {
            let sources = root.appending(path: "Sources/\(module)")
            for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            where path.hasSuffix(".swift") {
                let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
                names.formUnion(text.matches(of: declaration).map { String($0.1) })
            }
        }
        return names
    }

    private static let modules = [
        "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleOffline", "BroadsheetHTTP",
        "BroadsheetTesting", "BroadsheetURLSession",
    ]

    /// The errors of a file that names the types and imports these modules and the system's.
    private static func faults(
        naming types: Set<String>, in modules: [String] = modules, _ options: [String] = []
    ) async throws -> [String] {
        let system = [
            "Dispatch", "Foundation", "FoundationNetworking", "Observation", "RegexBuilder",
            "Synchronization", "Testing",
        ]
        let names = types.sorted().enumerated().map { "typealias Name\($0) = \($1)" }
        let lines = (modules + system).map { "import \($0)" } + names
        let folder = try TemporaryFolder()
        let file = folder.file("Names.swift")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        let build = URL(filePath: try builtProgram("broadsheet")).deletingLastPathComponent()
        var maps: [String] = []
        let sources = root.appending(path: "Sources")
        for name in try FileManager.default.contentsOfDirectory(atPath: sources.path)
        where name.hasPrefix("C") {
            let isLibrary = FileManager.default.fileExists(
                atPath: sources.appending(path: "\(name)/module.modulemap").path)
            if isLibrary { maps += ["-I", sources.appending(path: name).path] }
        }
        for name in ["CBroadsheetLinux", "CBroadsheetSQLite"] {
            let map = build.appending(path: "\(name).build/module.modulemap").path
            maps += ["-Xcc", "-fmodule-map-file=\(map)"]
        }
        return try await compile(
            ["-typecheck", "-I", build.appending(path: "Modules").path] + maps + options + [file])
    }

    /// Runs the compiler, and returns the lines with errors.
    private static func compile(_ arguments: [String]) async throws -> [String] {
        try await mayBlock {
            let compiler = try RunningProgram(
                "/usr/bin/env",
                ["swiftc", "-swift-version", "6", "-diagnostic-style=llvm"] + arguments)
            let errors = compiler.errors.rest().filter { $0.contains("error:") }
            let status = compiler.wait()
            return status == 0 || !errors.isEmpty ? errors : ["status \(status)"]
        }
    }
}
