import Testing

/// The walks in docs/walks.md follow requests through the code as it is.
@Suite struct WalkTests {
    /// One `target/file: name, name` of a walk.
    private struct Stop {
        let target: String
        let file: String
        let names: [String]
    }

    /// The title, the stops, and the number of files that the walk claims.
    private struct Walk {
        let title: Substring
        let stops: [Stop]
        let claimed: Int?
    }

    private static func walks() throws -> [Walk] {
        let document = try #require(try SourceTree.files().first { $0.path == "docs/walks.md" })
        let text = document.lines.joined(separator: "\n")
        return text.split(separator: "\n## ").dropFirst().map { walk in
            let joined = walk.replacing("\n", with: " ")
            let stops = joined.matches(of: /`(\w+)\/([\w+]+):\s+([^`]+)`/).map { match in
                let names = match.3.split(separator: ",").map { name in
                    name.filter { $0 != " " }
                }
                return Stop(target: String(match.1), file: String(match.2), names: names)
            }
            return Walk(
                title: walk.prefix { $0 != "\n" }, stops: stops,
                claimed: walk.firstMatch(of: /\n(\d+) files/).flatMap { Int($0.1) })
        }
    }

    @Test func `every step names a declaration that exists, and the files are counted`() throws {
        var files: [String: [SourceFile]] = [:]
        for file in try SourceTree.files() where file.isSwift {
            guard let target = file.target, let name = file.path.split(separator: "/").last else {
                continue
            }
            let prefix = target.hasPrefix("Broadsheet") ? "Broadsheet".count : 0
            let place = "\(target.dropFirst(prefix))/\(name.dropLast(".swift".count))"
            files[place, default: []].append(file)
        }
        let walks = try Self.walks()
        #expect(walks.count == 5)
        for walk in walks {
            var visited: Set<String> = []
            for stop in walk.stops {
                let place = "\(stop.target)/\(stop.file)"
                let found = files[place] ?? []
                #expect(found.count == 1, "\(walk.title): \(place)")
                visited.insert(place)
                for name in stop.names {
                    #expect(
                        found.contains { Self.declares(name, $0) },
                        "\(walk.title): \(place) \(name)")
                }
            }
            #expect(walk.claimed == visited.count, "\(walk.title)")
        }
    }

    /// Returns true if the file declares the function, or the type whose initialiser is meant.
    private static func declares(_ name: String, _ file: SourceFile) -> Bool {
        let parts = name.split(separator: ".")
        let word = parts.count > 1 && parts.last == "init" ? parts[0] : parts.last ?? ""
        return file.lines.contains { line in
            guard let end = line.firstRange(of: word)?.upperBound else { return false }
            let rest = line[end...].first
            let isWhole = rest.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
            return isWhole
                && line.contains(
                    /\b(func|var|let|struct|class|enum|case|init|typealias|extension)\b/)
        }
    }
}
