/// The folders of one target as layers: which folder uses types and members of which other folder.
///
/// Files directly in the target are the folder `.`; folders within folders belong to the outermost.
struct FolderLayers {
    /// A file that uses a type or a member of another folder.
    private struct Use: Hashable {
        let path: String
        let name: String
    }

    private let target: String
    /// By the folder that uses, and the folder that declares.
    private var uses: [String: [String: Set<Use>]] = [:]

    /// - Parameters:
    ///   - parts: the files of the target.
    ///   - isForeign: whether a member of this name may be one of another target or of the standard
    ///     library.
    init(_ target: String, _ parts: [Part], isForeign: (String) -> Bool = { _ in false }) {
        self.target = target
        /// A type can have several declarations, for different platforms.
        var homes: [String: Set<String>] = [:]
        /// If several files have a member of this name, it is unknown which one is meant.
        var files: [String: [Part]] = [:]
        for part in parts {
            for name in part.types { homes[name, default: []].insert(part.folder) }
            for name in part.members.declared.union(part.members.hidden) {
                files[name, default: []].append(part)
            }
        }
        for part in parts {
            for name in part.words {
                guard let homes = homes[name], !homes.contains(part.folder) else { continue }
                for home in homes { add(name, of: home, in: part) }
            }
            for name in part.members.used {
                guard let found = files[name], found.count == 1, found[0].folder != part.folder,
                    found[0].members.declared.contains(name), !isForeign(name)
                else { continue }
                add(name, of: found[0].folder, in: part)
            }
        }
    }

    private mutating func add(_ name: String, of home: String, in part: Part) {
        uses[part.folder, default: [:]][home, default: []].insert(
            Use(path: part.path, name: name))
    }

    /// One text for each group of folders that use each other in a circle, with the uses that close
    /// it.
    var cycles: [String] {
        let reachable = Dictionary(uniqueKeysWithValues: uses.keys.map { ($0, folders(below: $0)) })
        let groups = Set(
            uses.keys.map { folder in
                reachable[folder, default: []].filter { reachable[$0]?.contains(folder) == true }
            })
        return groups.filter { $0.count > 1 }.map { description(of: $0.sorted()) }.sorted()
    }

    /// The folders that this one uses, also through others; itself only if it is in a cycle.
    private func folders(below folder: String) -> Set<String> {
        var found: Set<String> = []
        var open = [folder]
        // Invariant: what the found folders use is found, except for what the open ones use.
        while let next = open.popLast() {
            for used in uses[next, default: [:]].keys where found.insert(used).inserted {
                open.append(used)
            }
        }
        return found
    }

    private func description(of group: [String]) -> String {
        var lines = ["\(target): \(group.joined(separator: ", ")) use each other in a circle"]
        for folder in group {
            for used in group {
                let found = uses[folder]?[used] ?? []
                lines += found.map { "  \(folder) → \(used): \($0.path) uses \($0.name)" }.sorted()
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// The declarations and mentions of one file.
struct Part {
    let path: String
    let folder: String
    /// The types that are declared at the top level for other files too.
    private(set) var types: Set<String> = []
    /// The capitalized words of the code, without the names of types that are private to the file.
    private(set) var words: Set<String> = []
    let members: Members

    init(_ file: SourceFile, _ text: SwiftText) {
        members = Members(text.code)
        path = file.path
        let parts = file.path.split(separator: "/")
        folder = parts.count > 3 ? String(parts[2]) : "."
        let declaration =
            #/
            \s* (?: @\w+ (?: \( .*? \) )? \s+ )* ( (?: \w+ \s+ )*? )
            (?: struct | class | enum | protocol | actor | typealias ) \s+ (\w+) .*
            /#
        var hidden: Set<String> = []
        var depth = 0
        for line in text.code {
            for word in line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" })
            where word.first?.isUppercase == true {
                words.insert(String(word))
            }
            if depth == 0, Ladder.module(imported: line) == nil,
                let match = line.wholeMatch(of: declaration)
            {
                if match.1.contains("private") {
                    hidden.insert(String(match.2))
                } else {
                    types.insert(String(match.2))
                }
            }
            depth += line.utf8.count { $0 == UInt8(ascii: "{") }
            depth -= line.utf8.count { $0 == UInt8(ascii: "}") }
        }
        words.subtract(hidden)
    }
}
