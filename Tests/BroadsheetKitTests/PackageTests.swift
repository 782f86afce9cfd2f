import BroadsheetTestSupport
import Foundation
import Testing

/// The package as a dependency: read by the package manager, beside others.
@Suite struct PackageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..")
        .standardizedFileURL
    /// Names of targets that other packages have.
    private static let common = [
        "CSQLite", "HTTP", "Markup", "Platform", "Resources", "Sockets", "URLSessionTransport",
    ]

    private struct Ended {
        let status: Int32
        let output: [String]
        let errors: [String]
    }

    private static func package(
        _ arguments: [String], in folder: String, server: String
    ) async throws -> Ended {
        try await mayBlock {
            let program = try RunningProgram(
                "/usr/bin/env", ["swift", "package", "--package-path", folder] + arguments,
                environment: ["BROADSHEET_SERVER": server])
            let output = program.output.rest()
            let errors = program.errors.rest()
            return Ended(status: program.wait(), output: output, errors: errors)
        }
    }

    /// Resolves an app's package that has targets of these names and depends on this one.
    private static func resolve(_ targets: [String], server: String) async throws -> Ended {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for target in targets {
            let sources = URL(filePath: folder.file("app/Sources/\(target)"))
            try files.createDirectory(at: sources, withIntermediateDirectories: true)
            try Data("let nothing = 0\n".utf8).write(to: sources.appending(path: "A.swift"))
        }
        try files.createSymbolicLink(
            at: URL(filePath: folder.file("broadsheet")), withDestinationURL: root)
        let kit = #"[.product(name: "BroadsheetKit", package: "broadsheet")]"#
        let manifest = """
            // swift-tools-version: 6.0
            import PackageDescription

            let package = Package(
                name: "app",
                platforms: [.macOS(.v14), .iOS(.v17)],
                dependencies: [.package(path: "../broadsheet")],
                targets: \(targets).map { .target(name: $0, dependencies: \(kit)) }
            )

            """
        try Data(manifest.utf8).write(to: URL(filePath: folder.file("app/Package.swift")))
        let resolved = try await package(
            ["show-dependencies"], in: folder.file("app"), server: server)
        withExtendedLifetime(folder) {}
        return resolved
    }

    @Test(arguments: ["0", "1"])
    func `an app's targets may have common names`(server: String) async throws {
        let resolved = try await Self.resolve(Self.common, server: server)
        #expect(resolved.status == 0, "\(resolved)")
        #expect(resolved.output.contains { $0.contains("broadsheet") })
        // A name of a target here is not for others.
        let clash = try await Self.resolve(["ArticleClient"], server: server)
        #expect(clash.status != 0)
        #expect(clash.errors.contains { $0.contains("name: 'ArticleClient") })
    }

    /// The package as `dump-package` shows it.
    private struct Manifest: Decodable {
        struct Platform: Decodable {
            var platformName: String
            var version: String
        }
        struct Product: Decodable {
            var name: String
        }
        struct Target: Decodable {
            struct Resource: Decodable {
                var path: String
            }
            var name: String
            var type: String
            var resources: [Resource]
        }
        var platforms: [Platform]
        var products: [Product]
        var targets: [Target]

        init(server: String) async throws {
            let folder = try TemporaryFolder()
            let dumped = try await package(
                ["--ignore-lock", "--scratch-path", folder.path, "dump-package"],
                in: root.path, server: server)
            let text = dumped.output.joined(separator: "\n")
            self = try JSONDecoder().decode(
                Manifest.self, from: Data(text.drop { $0 != "{" }.utf8))
        }

        /// The targets with resources.
        var withResources: [String: [String]] {
            targets.reduce(into: [:]) {
                if !$1.resources.isEmpty { $0[$1.name] = $1.resources.map(\.path) }
            }
        }
    }

    @Test func `an Apple host reads what apps need, and no library to install`() async throws {
        let manifest = try await Manifest(server: "0")
        let names = Set(manifest.targets.map(\.name))
        #expect(names.isSuperset(of: ["BroadsheetKit", "BroadsheetURLSession", "GenerateModels"]))
        #expect(names.isDisjoint(with: ["ArticleStore", "BroadsheetPlatform", "broadsheet"]))
        #expect(names.filter { $0.hasPrefix("C") } == ["CBroadsheetSQLite"] && names.count < 20)
        #expect(!manifest.targets.contains { $0.type == "system" || $0.type == "test" })
        #expect(
            manifest.platforms.map { "\($0.platformName) \($0.version)" } == [
                "macos 14.0", "ios 17.0", "tvos 17.0", "watchos 10.0", "visionos 1.0",
            ])
        let privacy = ["PrivacyInfo.xcprivacy"]
        #expect(manifest.withResources == ["ArticleClient": privacy, "ArticleOffline": privacy])
    }

    /// Code that finds a resource would link Foundation, which makes a start slower.
    @Test func `the server has no resources`() async throws {
        let manifest = try await Manifest(server: "1")
        #expect(manifest.withResources == [:])
        let apps = try await Manifest(server: "0").products.map(\.name)
        #expect(Set(manifest.products.map(\.name)) == Set(apps + ["broadsheet"]))
    }

    /// Apple rejects an app whose use of some interfaces is not declared with a reason.
    @Test(arguments: ["ArticleClient", "ArticleOffline"])
    func `metadata of files are read for a declared reason`(module: String) throws {
        let file = Self.root.appending(path: "Sources/\(module)/PrivacyInfo.xcprivacy")
        let declared =
            try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
            as? [String: Any]
        let interfaces = declared?["NSPrivacyAccessedAPITypes"] as? [[String: Any]]
        #expect(interfaces?.count == 1)
        let name = interfaces?.first?["NSPrivacyAccessedAPIType"] as? String
        #expect(name == "NSPrivacyAccessedAPICategoryFileTimestamp")
        let reasons = interfaces?.first?["NSPrivacyAccessedAPITypeReasons"] as? [String]
        #expect(reasons == ["C617.1"])
        #expect(declared?["NSPrivacyTracking"] as? Bool == false)
    }
}
