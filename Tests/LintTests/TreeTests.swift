import BroadsheetResources
import Testing

/// Applies the rules to the whole package.
@Suite struct TreeTests {
    @Test func `every target imports from lower rungs only`() throws {
        for (file, text) in try SourceTree.swiftFiles() {
            let found = Ladder.violations(file, text)
            #expect(found.isEmpty, "\(listing(found))")
        }
    }

    @Test func `the folders of a target use each other in layers, never in a circle`() throws {
        let files = try SourceTree.swiftFiles().filter { $0.file.target != nil }
        let targets = Dictionary(grouping: files) { $0.file.target ?? "" }
            .mapValues { files in files.map { Part($0.file, $0.text) } }
        #expect(targets.count > 10)
        /// The places in which a name is that of a member.
        var mentions: [String: Set<String>] = [:]
        for (target, parts) in targets {
            for part in parts {
                let members = part.members
                for name in members.qualified.union(members.declared).union(members.hidden) {
                    mentions[name, default: []].insert(target)
                }
            }
        }
        for (target, parts) in targets {
            let importers = Ladder.importers(of: target).union([target])
            // What does not see the target means something else.
            let found = FolderLayers(target, parts) {
                mentions[$0].map { !$0.isSubset(of: importers) } ?? false
            }.cycles
            #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        }
    }

    @Test func `no folder is a heap of files`() throws {
        let files = try SourceTree.swiftFiles().filter { $0.file.target != nil }
        let folders = Dictionary(grouping: files) { file, _ in
            file.path.split(separator: "/").dropLast().joined(separator: "/")
        }
        for (folder, files) in folders {
            #expect(files.count <= 30, "\(folder) has \(files.count) files")
        }
        #expect(folders["Sources/ArticleDatabase"] == nil)
    }

    @Test func `every file that may use the machine's clocks does`() throws {
        let files = try SourceTree.swiftFiles().filter {
            ClockRules.exceptions[$0.file.path] != nil
                && $0.text.code.contains(where: ClockRules.uses)
        }
        let using = Set(files.map(\.file.path))
        #expect(using == Set(ClockRules.exceptions.keys))
    }

    @Test func `no dependency in the ladder points upwards`() {
        for (name, rung) in Ladder.rungs {
            for target in rung.targets {
                let height = Ladder.rungs[target]?.height ?? .max
                #expect(height < rung.height, "\(name) imports \(target)")
            }
        }
    }

    @Test func `every file follows the house rules`() throws {
        for file in try SourceTree.files() {
            let found = StyleRules.text(file)
            #expect(found.isEmpty, "\(listing(found))")
        }
        let swiftFiles = try SourceTree.swiftFiles()
        for (file, text) in swiftFiles {
            let found = StyleRules.code(file, text)
            #expect(found.isEmpty, "\(listing(found))")
        }
        #expect(swiftFiles.count > 50)
    }

    /// The engine is chosen in the composition root; no other target knows it. The SDK has SQLite
    /// files of its own.
    @Test func `only the command names the store's engine`() throws {
        let engines = ["ArticleOffline", "ArticleDatabase", "broadsheet", "BroadsheetSQLite"]
        for file in try SourceTree.files() where file.isSwift {
            guard let target = file.target,
                !engines.contains(target),
                file.text.contains("SQLite")
            else { continue }
            for (index, line) in file.lines.enumerated() where line.contains("SQLite") {
                Issue.record("\(file.path):\(index + 1) names the engine: \(line)")
            }
        }
    }

    /// Code that is not built for Apple's platforms must not look as if it were.
    @Test func `only what apps use has branches for other platforms`() throws {
        let portable = [
            "BroadsheetHTTP", "ArticleAPI", "ArticleSearch", "ArticleClient",
            "ArticleOffline", "BroadsheetKit", "BroadsheetURLSession", "broadsheet-generate",
        ]
        // Outside the loops, because each evaluation of the literal compiles it.
        let branch = /\bDarwin\b|canImport\(Glibc\)|#if os\(/
        for (file, text) in try SourceTree.swiftFiles() {
            guard let target = file.target, !portable.contains(target),
                ["Darwin", "canImport", "#if"].contains(where: file.text.contains)
            else { continue }
            for (index, line) in text.code.enumerated() where line.contains(branch) {
                Issue.record("\(file.path):\(index + 1) has a branch: \(line)")
            }
        }
    }

    @Test func `every target has tests`() throws {
        let folders = Set(try SourceTree.names(in: "Tests"))
        for target in try SourceTree.names(in: "Sources") {
            // The engine's tests belong to the conformance suite, in ArticleStoreTests; those of
            // SQLite's handles to the stores that use them; those of the services use the whole
            // backend, in ArticleServicesTests; those of the contract's two targets are in
            // ArticleAPITests. The generator's program is run by EndToEndTests.
            let needsNone =
                Ladder.rungs[target]?.height == 0
                || ["ArticleDatabase", "broadsheet-generate", "BroadsheetSQLite"].contains(target)
                || Ladder.rungs["ArticleServices"]?.targets.contains(target) == true
                || ["ArticleAdminAPI", "ArticleImportExport"].contains(target)
            let tests = target.prefix(1).uppercased() + target.dropFirst() + "Tests"
            #expect(needsNone || folders.contains(tests), "\(target) has no \(tests)")
        }
    }

    @Test(arguments: [
        "README.md", "CONTRIBUTING.md", "docs/benchmarks.md", "docs/packages.md", "docs/proofs.md",
    ])
    func `the Makefile has every target that the documents mention`(document: String) throws {
        let makefile = String(decoding: try SourceTree.bytes("Makefile"), as: UTF8.self)
        let targets = Set(makefile.matches(of: /(?m)^([a-z-]+):/).map { $0.1 })
        let text = String(decoding: try SourceTree.bytes(document), as: UTF8.self)
        let named = text.matches(of: /(?m)(?:^|`)make ([a-z-]+)/).map { $0.1 }
        #expect(!named.isEmpty)
        for name in named { #expect(targets.contains(name), "make \(name)") }
    }

    @Test func `the Makefile runs every suite of which an ordinary run is a sample`() throws {
        let makefile = String(decoding: try SourceTree.bytes("Makefile"), as: UTF8.self)
        let words = Set(makefile.split { !$0.isLetter && !$0.isNumber })
        var count = 0
        let word = "Thoroughness.isFull"
        for (file, text) in try SourceTree.swiftFiles()
        where file.text.contains(word) && text.code.contains(where: { $0.contains(word) }) {
            for suite in Suites.names(in: file) {
                let name = try #require(suite.split { "./".contains($0) }.last)
                #expect(words.contains(name), "\(suite) is in no target")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test func `migrations have the numbers of the versions to which they lead`() throws {
        let numbers = try ["migrations", "postgres"].map { folder in
            try SourceTree.names(in: "Resources/\(folder)").compactMap { Int($0.prefix(3)) }
        }
        // Released files have the first one's; then one for each release.
        #expect(numbers[0].prefix(3) == [7, 23, 27])
        #expect(numbers[0].dropFirst(2).elementsEqual(27..<25 + numbers[0].count))
        #expect(numbers[1] == Array(numbers[0].dropFirst()))
    }

    @Test func `the binary contains the resources of the tree`() throws {
        for (folder, list) in [
            ("manual", broadsheet_manual()), ("samples", broadsheet_samples()),
            ("examples", broadsheet_examples()), ("migrations", broadsheet_migrations()),
            ("console", broadsheet_console()), ("postgres", broadsheet_postgres_migrations()),
        ] {
            let embedded = UnsafeBufferPointer(start: list.first, count: list.count)
            let names = embedded.map { String(cString: $0.name) }
            // Pictures of the manual are for its readers on the web.
            let files = try SourceTree.names(in: "Resources/\(folder)").filter {
                !$0.hasSuffix(".png")
            }
            #expect(names == files)
            for (name, resource) in zip(names, embedded) {
                let bytes = UnsafeBufferPointer(start: resource.bytes, count: resource.size)
                let file = try SourceTree.bytes("Resources/\(folder)/\(name)")
                #expect(bytes.elementsEqual(file), "\(name) is not what the binary carries")
            }
        }
    }

    private func listing(_ violations: [Violation]) -> String {
        violations.map(\.description).joined(separator: "\n")
    }
}
