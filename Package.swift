// swift-tools-version: 6.2
import PackageDescription

/// `make` and CI turn warnings into errors. Nobody else does: a newer compiler or SDK that
/// deprecates something must not stop the build of an app that depends on this package.
let warningsAreErrors = Context.environment["BROADSHEET_WARNINGS_ARE_ERRORS"] == "1"

/// Every Swift target is built by the same rules: imports stay internal unless exposed, and
/// existentials are spelled.
let rules: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
let cRules: [CSetting] = warningsAreErrors ? [.treatAllWarnings(as: .error)] : []

func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: rules)
}

// The targets are in the order of the ladder (docs/architecture.md): each depends on lower ones.
let package = Package(
    name: "broadsheet",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "broadsheet", targets: ["broadsheet"]),
        .library(name: "HTTP", targets: ["HTTP"]),
        .library(name: "ArticleAPI", targets: ["ArticleAPI"]),
        .library(name: "ArticleModels", targets: ["ArticleModels"]),
        .library(name: "ArticleClient", targets: ["ArticleClient"]),
        .library(name: "ArticleOffline", targets: ["ArticleOffline"]),
        .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
    ],
    targets: [
        // Rung 0: C libraries and the kernel's own headers, as modules.
        .target(name: "CLinux", cSettings: cRules),
        .target(
            name: "CMarkdown", cSettings: cRules,
            linkerSettings: [
                .linkedLibrary("cmark-gfm"), .linkedLibrary("cmark-gfm-extensions"),
                .linkedLibrary("seccomp"),
            ]),
        .systemLibrary(name: "CIDN", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "Resources", path: "Resources",
            exclude: [
                "console", "debian", "examples", "grafana", "manual", "migrations", "nodes",
                "plots", "postgres", "samples", "systemd",
            ],
            cSettings: cRules),

        // Rung 1: HTTP as values; what every rung needs from the machine.
        layer("HTTP"),
        layer("Platform", ["CLinux"]),

        // Rung 2: sockets and event loops; XML and HTML; the contract; the frames of HTTP/2.
        layer("Sockets", ["CLinux", "COpenSSL", "Platform"]),
        layer("Markup", ["CIDN", "CXML", "HTTP"]),
        layer("ArticleAPI", ["HTTP"]),
        layer("HTTP2", ["CNghttp2", "HTTP"]),

        // Rung 3: the HTTP server and client; what a store promises; what screens show.
        layer("HTTPServer", ["CZlib", "HTTP", "HTTP2", "Platform", "Sockets"]),
        layer("HTTPClient", ["CZlib", "HTTP", "HTTP2", "Platform", "Sockets"]),
        layer("ArticleStore", ["ArticleAPI", "Platform"]),
        .target(
            name: "ArticleModels", dependencies: ["ArticleAPI"],
            exclude: ["Presentation/Presentation.xcstrings"], swiftSettings: rules),
        layer("ArticleSearch", ["ArticleAPI"]),
        layer("Feeds", ["ArticleAPI", "HTTP", "Markup"]),
        layer("OpenAPI", ["ArticleAPI", "HTTP"]),
        layer("BroadsheetSwiftGenerator", ["ArticleAPI", "HTTP"]),

        // Rung 4: the SDK; the store's engine.
        .target(
            name: "ArticleClient",
            dependencies: [
                "ArticleAPI", "ArticleModels", "HTTP",
                .target(name: "HTTPClient", condition: .when(platforms: [.linux])),
                .target(name: "Platform", condition: .when(platforms: [.linux])),
                .target(name: "Sockets", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: rules),
        layer(
            "ArticleDatabase",
            [
                "ArticleAPI", "ArticleSearch", "ArticleStore", "COpenSSL", "CPostgres", "CSQLite",
                "Platform", "Resources",
            ]),

        // Rung 5: the SDK's memory on disk, and what views observe; its transport on Apple's platforms,
        // where URLSession is the client; the rules.
        .target(
            name: "ArticleOffline",
            dependencies: [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleSearch", "HTTP",
                .target(name: "CSQLite", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: rules),
        layer("URLSessionTransport", ["ArticleClient", "HTTP"]),
        layer(
            "ArticleServices",
            [
                "ArticleAPI", "ArticleSearch", "ArticleStore", "CMarkdown", "COpenSSL", "CSodium",
                "CYAML", "Feeds", "HTTP", "HTTPClient", "HTTPServer", "Markup", "OpenAPI",
                "Platform", "Resources", "Sockets",
            ]),

        // Rung 6: the command.
        .executableTarget(
            name: "broadsheet",
            dependencies: [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleServices", "ArticleStore",
                "BroadsheetSwiftGenerator", "CLinux", "HTTP", "HTTP2", "HTTPClient", "HTTPServer",
                "Platform", "Resources", "ArticleDatabase", "Sockets",
            ],
            swiftSettings: rules),

        // Tests mirror the sources.
        layer(
            "TestSupport",
            [
                "ArticleAPI", "CLinux", "COpenSSL", "HTTP", "HTTP2", "HTTPClient", "HTTPServer",
                "Platform", "Sockets",
            ]),
        tests("HTTPTests", ["HTTP", "TestSupport"]),
        tests("HTTP2Tests", ["HTTP", "HTTP2", "TestSupport"]),
        tests("MarkupTests", ["CXML", "Markup", "TestSupport"]),
        tests("PlatformTests", ["CLinux", "Platform", "TestSupport"]),
        tests("SocketsTests", ["CLinux", "Platform", "Sockets", "TestSupport"]),
        tests("ArticleAPITests", ["ArticleAPI", "HTTP", "TestSupport"]),
        tests(
            "HTTPServerTests",
            ["CZlib", "HTTP", "HTTP2", "HTTPServer", "Platform", "Sockets", "TestSupport"]),
        tests(
            "HTTPClientTests",
            [
                "CZlib", "HTTP", "HTTP2", "HTTPClient", "HTTPServer", "Platform", "Sockets",
                "TestSupport",
            ]),
        tests("ArticleModelsTests", ["ArticleAPI", "ArticleModels", "TestSupport"]),
        tests("ArticleSearchTests", ["ArticleAPI", "ArticleSearch", "TestSupport"]),
        tests("FeedsTests", ["ArticleAPI", "Feeds", "Markup", "TestSupport"]),
        tests(
            "OpenAPITests", ["ArticleAPI", "HTTP", "OpenAPI", "Resources", "TestSupport"],
            exclude: ["Released"]),
        tests(
            "BroadsheetSwiftGeneratorTests",
            ["ArticleAPI", "BroadsheetSwiftGenerator", "OpenAPI", "TestSupport"],
            exclude: ["Descriptions", "Golden", "Samples"]),
        tests(
            "ArticleClientTests",
            [
                "ArticleAPI", "ArticleClient", "ArticleModels", "HTTP", "HTTPClient", "HTTPServer",
                "Platform", "Sockets", "TestSupport",
            ]),
        tests(
            "ArticleOfflineTests",
            [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleOffline", "ArticleSearch",
                "ArticleServices", "ArticleStore", "CSQLite", "HTTP", "HTTPServer", "Platform",
                "Sockets", "ArticleDatabase", "TestDatabases", "TestSupport",
            ]),
        tests(
            "URLSessionTransportTests",
            [
                "ArticleAPI", "ArticleClient", "HTTP", "HTTPServer", "Sockets", "TestSupport",
                "URLSessionTransport",
            ]),
        tests(
            "ArticleStoreTests",
            [
                "ArticleAPI", "ArticleStore", "CFaultVFS", "CSQLite", "Platform", "Sockets",
                "ArticleDatabase", "store-writer", "TestDatabases", "TestSupport",
            ]),
        // Databases for tests that are not about creating them.
        .target(
            name: "TestDatabases",
            dependencies: ["ArticleDatabase", "ArticleStore", "Platform", "TestSupport"],
            path: "Tests/Tools/TestDatabases", swiftSettings: rules),
        .target(
            name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/Tools/FaultVFS",
            cSettings: cRules),
        .executableTarget(
            name: "store-writer",
            dependencies: ["ArticleAPI", "ArticleStore", "ArticleDatabase"],
            path: "Tests/Tools/StoreWriter",
            swiftSettings: rules),
        .executableTarget(
            name: "store-bench",
            dependencies: [
                "ArticleAPI", "ArticleStore", "CSQLite", "ArticleDatabase", "TestSupport",
            ],
            path: "Tests/Benchmarks/StoreBench",
            swiftSettings: rules),
        .executableTarget(
            name: "client-bench",
            dependencies: [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleOffline", "HTTP",
                "HTTPClient", "Sockets",
            ],
            path: "Tests/Benchmarks/ClientBench",
            swiftSettings: rules),
        tests(
            "ArticleServicesTests",
            [
                "ArticleAPI", "ArticleSearch", "ArticleServices", "ArticleStore", "Feeds", "HTTP",
                "HTTPClient", "HTTPServer", "Markup", "Platform", "Resources", "Sockets",
                "ArticleDatabase", "TestDatabases", "TestSupport",
            ]),
        tests(
            "BroadsheetTests",
            [
                "ArticleAPI", "ArticleClient", "ArticleServices", "ArticleStore", "broadsheet",
                "HTTP", "HTTP2", "HTTPClient", "HTTPServer", "Platform", "Sockets",
                "ArticleDatabase", "TestSupport",
            ], exclude: ["Golden"]),
        tests(
            "EndToEndTests",
            [
                "ArticleAPI", "ArticleClient", "ArticleDatabase", "ArticleModels",
                "ArticleOffline", "ArticleServices", "ArticleStore", "broadsheet",
                "DocumentationSamples", "first-steps", "generated-client", "HTTP", "HTTPClient",
                "HTTPServer", "Platform", "reader", "Sockets", "TestDatabases", "TestSupport",
            ], exclude: ["Released"]),
        // The documentation's samples see what apps see: products, and nothing else.
        .target(
            name: "DocumentationSamples",
            dependencies: [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleOffline", "HTTP",
            ],
            path: "Tests/Samples/Documentation", swiftSettings: rules),
        .executableTarget(
            name: "first-steps",
            dependencies: ["ArticleAPI", "ArticleClient"],
            path: "Tests/Samples/FirstSteps",
            exclude: ["Package.swift.sample"],
            swiftSettings: rules),
        .executableTarget(
            name: "reader",
            dependencies: [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleOffline", "HTTP",
            ],
            path: "Tests/Samples/Reader",
            exclude: ["Package.swift.sample"],
            swiftSettings: rules),
        // A client that `broadsheet generate` wrote, and a program that uses it.
        .executableTarget(
            name: "generated-client",
            dependencies: ["ArticleAPI", "ArticleClient", "HTTP"],
            path: "Tests/Samples/GeneratedClient", swiftSettings: rules),
        tests("AppleCheckTests", ["TestSupport"]),
        // The examples of doc comments, compiled and run.
        tests(
            "ExampleTests",
            [
                "ArticleAPI", "ArticleClient", "ArticleModels", "ArticleOffline", "ArticleStore",
                "BroadsheetSwiftGenerator", "Feeds", "HTTP", "HTTPServer", "Markup", "OpenAPI",
                "Platform", "Sockets", "ArticleDatabase",
                "TestDatabases", "TestSupport",
            ]),
        tests("LintTests", ["Resources"]),
        .target(
            name: "ParserLaws",
            dependencies: [
                "ArticleAPI", "ArticleSearch", "CXML", "Feeds", "HTTP", "HTTP2", "Markup",
                "Sockets", "TestSupport",
            ],
            path: "Tests/Fuzzing/ParserLaws",
            swiftSettings: rules),
        tests("ParserFuzzingTests", ["ParserLaws"]),
        .target(
            name: "FuzzingLaws",
            dependencies: [
                "ArticleAPI", "ArticleServices", "ArticleStore", "BroadsheetSwiftGenerator", "HTTP",
                "ParserLaws",
            ],
            path: "Tests/Fuzzing/Laws",
            swiftSettings: rules),
        tests("FuzzingTests", ["FuzzingLaws", "ParserLaws"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)

// BROADSHEET_ONLY names the targets to build, with commas between them: the package then has these,
// the targets that they depend on, and the products made of them alone (lints, sanitizers, fuzzer).
if let names = Context.environment["BROADSHEET_ONLY"], !names.isEmpty {
    let roots = names.split(separator: ",").map(String.init)
    if roots.contains("fuzz") {
        // libFuzzer's runtime has the program's main; only --sanitize fuzzer brings it.
        package.targets.append(
            .executableTarget(
                name: "fuzz", dependencies: ["FuzzingLaws", "ParserLaws"],
                path: "Tests/Fuzzing/Driver",
                swiftSettings: rules + [.unsafeFlags(["-parse-as-library"])]))
    }
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    var waiting = roots
    // Invariant: the dependencies of each kept target are kept, or waiting.
    while let name = waiting.popLast() {
        guard kept.insert(name).inserted, let target = targets[name] else { continue }
        waiting += target.dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        let members =
            (product as? Product.Library)?.targets
            ?? (product as? Product.Executable)?.targets ?? []
        return !kept.isSuperset(of: members)
    }
    let unknown = roots.filter { targets[$0] == nil }
    if !unknown.isEmpty {
        // The package manager then reports these names, and the targets that exist.
        package.products.append(.library(name: "BROADSHEET_ONLY", targets: unknown))
    }
}
