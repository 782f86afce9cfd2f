// swift-tools-version: 6.2
import PackageDescription

/// `make` and CI turn warnings into errors. Nobody else does: a newer compiler or SDK that
/// deprecates something must not stop the build of an app that depends on this package.
let warningsAreErrors = Context.environment["BROADSHEET_WARNINGS_ARE_ERRORS"] == "1"

/// The server runs on Linux. An Apple host reads the package that apps need: without it, and
/// without libraries to install. There, BROADSHEET_SERVER=1 adds the server; elsewhere, 0 takes it
/// away.
#if canImport(Darwin)
    let hasServer = Context.environment["BROADSHEET_SERVER"] == "1"
#else
    let hasServer = Context.environment["BROADSHEET_SERVER"] != "0"
#endif

/// The products that apps use.
let libraries = [
    "BroadsheetKit", "BroadsheetHTTP", "ArticleAPI", "ArticleAdminAPI", "ArticleClient",
    "ArticleOffline",
    "BroadsheetTesting", "BroadsheetURLSession",
]

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

func layer(
    _ name: String, path: String? = nil, _ dependencies: [Target.Dependency] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: rules)
}

/// A library that reads metadata of files, which Apple wants to be declared. The server has no
/// resources: code that finds them would link Foundation.
func layerOfApps(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    let privacy = "PrivacyInfo.xcprivacy"
    return .target(
        name: name, dependencies: dependencies, exclude: exclude + (hasServer ? [privacy] : []),
        resources: hasServer ? nil : [.copy(privacy)], swiftSettings: rules)
}

func library(_ name: String, _ pkgConfig: String, debian package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func program(
    _ name: String, at path: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: rules)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["BroadsheetTestSupport"], exclude: exclude,
        swiftSettings: rules)
}

/// The targets of the server's rules; what is above them uses most of them.
let services: [Target.Dependency] = [
    "ArticleAccounts", "ArticleConnectors", "ArticleImportExport", "ArticleOperations",
    "ArticleResources", "ArticleServiceCore", "ArticleServices",
]

// The targets are in the order of the ladder (docs/architecture.md): each depends on lower ones.
let package = Package(
    name: "broadsheet",
    platforms: [
        hasServer ? .macOS(.v15) : .macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10),
        .visionOS(.v1),
    ],
    products: [
        .executable(name: "broadsheet", targets: ["broadsheet"]),
        .executable(name: "broadsheet-generate", targets: ["broadsheet-generate"]),
        .plugin(name: "GenerateModels", targets: ["GenerateModels"]),
    ] + libraries.map { .library(name: $0, targets: [$0]) },
    targets: [
        // Rung 0: C libraries and the kernel's own headers, as modules.
        .target(name: "CBroadsheetLinux", cSettings: cRules),
        .target(
            name: "CBroadsheetMarkdown", cSettings: cRules,
            linkerSettings: [
                .linkedLibrary("cmark-gfm"), .linkedLibrary("cmark-gfm-extensions"),
                .linkedLibrary("seccomp"),
            ]),
        library("CBroadsheetIDN", "libidn2", debian: "libidn2-dev"),
        library("CBroadsheetNghttp2", "libnghttp2", debian: "libnghttp2-dev"),
        library("CBroadsheetOpenSSL", "openssl", debian: "libssl-dev"),
        library("CBroadsheetPostgres", "libpq", debian: "libpq-dev"),
        .target(
            name: "CBroadsheetSQLite", cSettings: cRules,
            linkerSettings: [.linkedLibrary("sqlite3")]),
        library("CBroadsheetSodium", "libsodium", debian: "libsodium-dev"),
        library("CBroadsheetXML", "libxml-2.0", debian: "libxml2-dev"),
        library("CBroadsheetYAML", "yaml-0.1", debian: "libyaml-dev"),
        library("CBroadsheetZlib", "zlib", debian: "zlib1g-dev"),
        .target(
            name: "BroadsheetResources", path: "Resources",
            exclude: [
                "console", "debian", "examples", "grafana", "manual", "migrations", "nodes",
                "plots", "postgres", "samples", "systemd",
            ],
            cSettings: cRules),

        // Rung 1: HTTP as values; SQLite's handles; what every rung needs from the machine.
        layer("BroadsheetHTTP"),
        layer("BroadsheetSQLite", ["CBroadsheetSQLite"]),
        layer("BroadsheetPlatform", ["CBroadsheetLinux"]),

        // Rung 2: sockets and event loops; XML and HTML; the contract; the frames of HTTP/2.
        layer(
            "BroadsheetSockets", ["CBroadsheetLinux", "CBroadsheetOpenSSL", "BroadsheetPlatform"]),
        layer("BroadsheetMarkup", ["CBroadsheetIDN", "CBroadsheetXML", "BroadsheetHTTP"]),
        layer("ArticleAPI", ["BroadsheetHTTP"]),
        layer("BroadsheetHTTP2", ["CBroadsheetNghttp2", "BroadsheetHTTP"]),

        // Rung 3: the HTTP server and client; the contract for editors and admins; searches.
        layer(
            "BroadsheetHTTPServer",
            [
                "CBroadsheetZlib", "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetPlatform",
                "BroadsheetSockets",
            ]),
        layer(
            "BroadsheetHTTPClient",
            [
                "CBroadsheetZlib", "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetPlatform",
                "BroadsheetSockets",
            ]),
        layer("ArticleAdminAPI", ["ArticleAPI", "BroadsheetHTTP"]),
        layer("ArticleSearch", ["ArticleAPI"]),
        layer("BroadsheetFeeds", ["ArticleAPI", "BroadsheetHTTP", "BroadsheetMarkup"]),
        layer("BroadsheetSwiftGenerator", ["ArticleAPI", "BroadsheetHTTP"]),

        // Rung 4: the SDK; what a store promises; what the programs share.
        layerOfApps(
            "ArticleClient",
            ["ArticleAPI", "BroadsheetHTTP"]
                + (hasServer
                    ? ["BroadsheetHTTPClient", "BroadsheetPlatform", "BroadsheetSockets"].map {
                        .target(name: $0, condition: .when(platforms: [.linux]))
                    } : []),
            exclude: ["ErrorTexts/Errors.xcstrings", "Presentation/Presentation.xcstrings"]),
        layer("ArticleStore", ["ArticleAPI", "ArticleAdminAPI", "BroadsheetPlatform"]),
        layer("BroadsheetOpenAPI", ["ArticleAPI", "ArticleAdminAPI", "BroadsheetHTTP"]),
        layer(
            "BroadsheetCommandLine", ["ArticleAPI", "BroadsheetSwiftGenerator", "BroadsheetHTTP"]),

        // Rung 5: the SDK's memory on disk, and what views observe; its transport on Apple's
        // platforms, where URLSession is the client; the store's engine; what all services share.
        layerOfApps(
            "ArticleOffline",
            [
                "ArticleAPI", "ArticleClient", "ArticleSearch", "BroadsheetHTTP",
                "BroadsheetSQLite", "CBroadsheetSQLite",
            ]),
        layer("BroadsheetURLSession", ["ArticleClient", "BroadsheetHTTP"]),
        layer(
            "ArticleDatabase",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleSearch", "ArticleStore",
                "BroadsheetPlatform",
                "BroadsheetResources", "BroadsheetSQLite", "CBroadsheetOpenSSL",
                "CBroadsheetPostgres", "CBroadsheetSQLite",
            ]),
        layer(
            "ArticleServiceCore",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetHTTPClient",
                "BroadsheetHTTPServer", "BroadsheetMarkup", "BroadsheetPlatform",
                "CBroadsheetMarkdown", "CBroadsheetOpenSSL",
            ]),

        // Rung 6: what tests and previews of apps need; the SDK under one name; accounts.
        layer(
            "BroadsheetTesting",
            ["ArticleAPI", "ArticleClient", "ArticleOffline", "ArticleSearch", "BroadsheetHTTP"]),
        layer(
            "BroadsheetKit",
            [
                "ArticleAPI", "ArticleClient", "ArticleOffline",
                .target(
                    name: "BroadsheetURLSession",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
            ]),
        layer(
            "ArticleAccounts",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleServiceCore", "ArticleStore",
                "BroadsheetHTTP",
                "BroadsheetHTTPClient", "BroadsheetHTTPServer", "BroadsheetPlatform",
                "CBroadsheetOpenSSL", "CBroadsheetSodium",
            ]),

        // Rung 7: articles and what belongs to them; their import and export.
        layer(
            "ArticleResources",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleSearch",
                "ArticleServiceCore",
                "ArticleStore", "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetHTTPServer",
                "BroadsheetMarkup", "BroadsheetOpenAPI", "BroadsheetPlatform",
                "BroadsheetResources",
            ]),
        layer(
            "ArticleImportExport",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleServiceCore",
                "ArticleStore",
                "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetMarkup", "BroadsheetPlatform",
                "BroadsheetResources", "CBroadsheetYAML",
            ]),

        // Rung 8: connections to other servers.
        layer(
            "ArticleConnectors",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleImportExport", "ArticleResources",
                "ArticleServiceCore",
                "ArticleStore", "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetHTTPClient",
                "BroadsheetMarkup", "BroadsheetPlatform", "BroadsheetSockets",
            ]),

        // Rung 9: what operators do.
        layer(
            "ArticleOperations",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleConnectors",
                "ArticleImportExport",
                "ArticleResources", "ArticleServiceCore", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetHTTPServer", "BroadsheetPlatform", "BroadsheetResources",
            ]),

        // Rung 10: the API over all services.
        layer(
            "ArticleServices",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleAccounts", "ArticleConnectors",
                "ArticleOperations",
                "ArticleResources", "ArticleServiceCore", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetHTTPServer", "BroadsheetPlatform",
            ]),

        // Rung 11: the command; the generator alone, and as a command of the package manager.
        .executableTarget(
            name: "broadsheet",
            dependencies: services + [
                "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleDatabase", "ArticleStore",
                "BroadsheetCommandLine", "BroadsheetHTTP", "BroadsheetHTTP2",
                "BroadsheetHTTPClient", "BroadsheetHTTPServer", "BroadsheetPlatform",
                "BroadsheetResources", "BroadsheetSockets", "CBroadsheetLinux",
            ],
            swiftSettings: rules),
        .executableTarget(
            name: "broadsheet-generate", dependencies: ["BroadsheetCommandLine", "BroadsheetHTTP"],
            swiftSettings: rules),
        .plugin(
            name: "GenerateModels",
            capability: .command(
                intent: .custom(
                    verb: "generate-models",
                    description: "Generates Swift models from JSON, and requests from OpenAPI."),
                permissions: [
                    .writeToPackageDirectory(reason: "to write what it generates"),
                    .allowNetworkConnections(
                        scope: .all(), reason: "to read from the URLs that you name"),
                ]),
            dependencies: ["broadsheet-generate"]),

        // Tests mirror the sources.
        layer(
            "BroadsheetTestSupport", path: "Tests/TestSupport",
            [
                "ArticleAPI", "CBroadsheetLinux", "CBroadsheetOpenSSL", "BroadsheetHTTP",
                "BroadsheetHTTP2", "BroadsheetHTTPClient", "BroadsheetHTTPServer",
                "BroadsheetPlatform", "BroadsheetSockets",
            ]),
        tests("BroadsheetHTTPTests", ["BroadsheetHTTP"]),
        tests("BroadsheetHTTP2Tests", ["BroadsheetHTTP", "BroadsheetHTTP2"]),
        tests("BroadsheetMarkupTests", ["CBroadsheetXML", "BroadsheetMarkup"]),
        tests("BroadsheetPlatformTests", ["CBroadsheetLinux", "BroadsheetPlatform"]),
        tests(
            "BroadsheetSocketsTests",
            ["CBroadsheetLinux", "BroadsheetPlatform", "BroadsheetSockets"]),
        tests(
            "ArticleAPITests", ["ArticleAPI", "ArticleAdminAPI", "BroadsheetHTTP"],
            exclude: ["Golden"]),
        tests(
            "BroadsheetHTTPServerTests",
            [
                "CBroadsheetZlib", "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetHTTPServer",
                "BroadsheetPlatform", "BroadsheetSockets",
            ]),
        tests(
            "BroadsheetHTTPClientTests",
            [
                "CBroadsheetZlib", "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetHTTPClient",
                "BroadsheetHTTPServer", "BroadsheetPlatform", "BroadsheetSockets",
            ]),
        tests("ArticleSearchTests", ["ArticleAPI", "ArticleSearch"]),
        tests("BroadsheetFeedsTests", ["ArticleAPI", "BroadsheetFeeds", "BroadsheetMarkup"]),
        tests(
            "BroadsheetOpenAPITests",
            [
                "ArticleAPI", "ArticleAdminAPI", "BroadsheetHTTP", "BroadsheetOpenAPI",
                "BroadsheetResources",
            ],
            exclude: ["Released"]),
        tests(
            "BroadsheetSwiftGeneratorTests",
            ["ArticleAPI", "ArticleAdminAPI", "BroadsheetOpenAPI", "BroadsheetSwiftGenerator"],
            exclude: ["Descriptions", "Golden", "Samples"]),
        tests(
            "ArticleClientTests",
            [
                "ArticleAPI", "ArticleClient", "BroadsheetHTTP",
                "BroadsheetHTTPClient", "BroadsheetHTTPServer", "BroadsheetPlatform",
                "BroadsheetSockets",
            ]),
        tests(
            "ArticleOfflineTests",
            services + [
                "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleDatabase",
                "ArticleOffline",
                "ArticleSearch", "ArticleStore", "BroadsheetHTTP", "BroadsheetHTTPServer",
                "BroadsheetPlatform", "BroadsheetSQLite", "BroadsheetSockets",
                "BroadsheetTestDatabases", "CBroadsheetSQLite",
            ], exclude: ["Golden"]),
        tests(
            "BroadsheetURLSessionTests",
            [
                "ArticleAPI", "ArticleClient", "BroadsheetHTTP", "BroadsheetHTTPServer",
                "BroadsheetSockets", "BroadsheetURLSession",
            ]),
        tests("BroadsheetKitTests", ["BroadsheetKit", "BroadsheetTesting", "ReaderAppModels"]),
        tests(
            "BroadsheetTestingTests",
            services + [
                "ArticleAPI", "ArticleClient", "ArticleDatabase", "ArticleOffline",
                "ArticleSearch", "ArticleStore", "BroadsheetHTTP", "BroadsheetHTTPServer",
                "BroadsheetPlatform", "BroadsheetSockets", "BroadsheetTestDatabases",
                "BroadsheetTesting",
            ]),
        tests(
            "ArticleStoreTests",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleStore", "CBroadsheetFaultVFS",
                "CBroadsheetSQLite",
                "BroadsheetPlatform", "BroadsheetSQLite", "BroadsheetSockets", "ArticleDatabase",
                "broadsheet-store-writer", "BroadsheetTestDatabases",
            ]),
        // Databases for tests that are not about creating them.
        layer(
            "BroadsheetTestDatabases", path: "Tests/Tools/TestDatabases",
            ["ArticleDatabase", "ArticleStore", "BroadsheetPlatform", "BroadsheetTestSupport"]),
        .target(
            name: "CBroadsheetFaultVFS", dependencies: ["CBroadsheetSQLite"],
            path: "Tests/Tools/FaultVFS",
            cSettings: cRules),
        program(
            "broadsheet-store-writer", at: "Tests/Tools/StoreWriter",
            ["ArticleAPI", "ArticleStore", "ArticleDatabase", "BroadsheetPlatform"]),
        program(
            "broadsheet-store-bench", at: "Tests/Benchmarks/StoreBench",
            [
                "ArticleAPI", "ArticleStore", "CBroadsheetSQLite", "ArticleDatabase",
                "BroadsheetPlatform", "BroadsheetTestSupport",
            ]),
        program(
            "broadsheet-client-bench", at: "Tests/Benchmarks/ClientBench",
            [
                "ArticleAPI", "ArticleClient", "ArticleOffline", "BroadsheetHTTP",
                "BroadsheetHTTPClient", "BroadsheetSockets",
            ]),
        tests(
            "ArticleServicesTests",
            services + [
                "ArticleAPI", "ArticleAdminAPI", "ArticleDatabase", "ArticleSearch", "ArticleStore",
                "BroadsheetFeeds",
                "BroadsheetHTTP", "BroadsheetHTTPClient", "BroadsheetHTTPServer",
                "BroadsheetMarkup", "BroadsheetPlatform", "BroadsheetResources",
                "BroadsheetSockets", "BroadsheetTestDatabases",
            ]),
        tests("BroadsheetCommandLineTests", ["BroadsheetCommandLine"]),
        tests(
            "BroadsheetTests",
            services + [
                "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleDatabase", "ArticleStore",
                "BroadsheetCommandLine", "BroadsheetHTTP", "BroadsheetHTTP2",
                "BroadsheetHTTPClient", "BroadsheetHTTPServer", "BroadsheetPlatform",
                "BroadsheetSockets", "broadsheet",
            ], exclude: ["Golden"]),
        tests(
            "EndToEndTests",
            services + [
                "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleDatabase",
                "ArticleOffline",
                "ArticleStore", "BroadsheetHTTP", "BroadsheetHTTPClient", "BroadsheetHTTPServer",
                "BroadsheetPlatform", "BroadsheetSockets", "BroadsheetTestDatabases",
                "DocumentationSamples", "broadsheet", "broadsheet-generate",
                "broadsheet-first-steps",
                "broadsheet-generated-client", "broadsheet-reader", "broadsheet-session-client",
            ], exclude: ["Released"]),
        program(
            "broadsheet-session-client", at: "Tests/Tools/SessionClient",
            ["ArticleAPI", "ArticleClient"]),
        // The documentation's samples see what apps see: products, and nothing else.
        layer(
            "DocumentationSamples", path: "Tests/Samples/Documentation",
            [
                "ArticleAPI", "ArticleClient", "ArticleOffline", "BroadsheetHTTP", "BroadsheetKit",
                "BroadsheetTesting",
            ]),
        // The models of an app in SwiftUI, whose views only Xcode builds.
        layer(
            "ReaderAppModels", path: "Tests/Samples/ReaderApp/Models",
            ["BroadsheetKit", "BroadsheetTesting"]),
        program(
            "broadsheet-first-steps", at: "Tests/Samples/FirstSteps", ["BroadsheetKit"],
            exclude: ["Package.swift.sample"]),
        program(
            "broadsheet-reader", at: "Tests/Samples/Reader",
            ["ArticleAPI", "ArticleClient", "ArticleOffline", "BroadsheetHTTP"],
            exclude: ["Package.swift.sample"]),
        // A client that `broadsheet generate` wrote, and a program that uses it.
        program(
            "broadsheet-generated-client", at: "Tests/Samples/GeneratedClient",
            ["ArticleAPI", "ArticleClient", "BroadsheetHTTP"]),
        tests("AppleCheckTests", []),
        // The examples of doc comments, compiled and run.
        tests(
            "ExampleTests",
            [
                "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleOffline", "ArticleStore",
                "BroadsheetFeeds", "BroadsheetHTTP", "BroadsheetHTTPServer", "BroadsheetMarkup",
                "BroadsheetOpenAPI", "BroadsheetPlatform", "BroadsheetSockets", "ArticleDatabase",
                "BroadsheetSwiftGenerator", "BroadsheetTestDatabases", "BroadsheetTesting",
            ]),
        .testTarget(name: "LintTests", dependencies: ["BroadsheetResources"], swiftSettings: rules),
        layer(
            "ParserLaws", path: "Tests/Fuzzing/ParserLaws",
            [
                "ArticleAPI", "ArticleSearch", "CBroadsheetXML", "BroadsheetFeeds",
                "BroadsheetHTTP", "BroadsheetHTTP2", "BroadsheetMarkup", "BroadsheetSockets",
                "BroadsheetTestSupport",
            ]),
        .testTarget(name: "ParserFuzzingTests", dependencies: ["ParserLaws"], swiftSettings: rules),
        layer(
            "FuzzingLaws", path: "Tests/Fuzzing/Laws",
            services + [
                "ArticleAPI", "ArticleAdminAPI", "ArticleStore", "BroadsheetHTTP",
                "BroadsheetPlatform",
                "BroadsheetSwiftGenerator", "ParserLaws",
            ]),
        .testTarget(
            name: "FuzzingTests", dependencies: ["FuzzingLaws", "ParserLaws"],
            swiftSettings: rules),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)

// BROADSHEET_ONLY names the targets to build, with commas between them: the package then has these,
// the targets that they depend on, and the products made of them alone (lints, sanitizers, fuzzer).
// Without the server, they are those of apps, and the command that generates models.
let only = Context.environment["BROADSHEET_ONLY"] ?? ""
let roots =
    !only.isEmpty
    ? only.split(separator: ",").map(String.init) : hasServer ? [] : libraries + ["GenerateModels"]
if !roots.isEmpty {
    if roots.contains("broadsheet-fuzz") {
        // libFuzzer's runtime has the program's main; only --sanitize fuzzer brings it.
        package.targets.append(
            .executableTarget(
                name: "broadsheet-fuzz", dependencies: ["FuzzingLaws", "ParserLaws"],
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
            ?? (product as? Product.Executable)?.targets
            ?? (product as? Product.Plugin)?.targets ?? []
        return !kept.isSuperset(of: members)
    }
    let unknown = roots.filter { targets[$0] == nil }
    if !unknown.isEmpty {
        // The package manager then reports these names, and the targets that exist.
        package.products.append(.library(name: "BROADSHEET_ONLY", targets: unknown))
    }
}
