/// The suites of tests, found in the sources.
enum Suites {
    /// The types with tests of their own in a file, named as in `swift test --filter`. The
    /// indentation, which the formatter checks, says what is nested.
    static func names(in file: SourceFile) -> Set<String> {
        let folders = file.path.split(separator: "/")
        guard folders.count > 2, folders[0] == "Tests", folders[1].hasSuffix("Tests")
        else { return [] }
        var suites: Set<String> = []
        var types: [String] = []
        var isText = false
        for line in file.lines {
            let delimiters = line.ranges(of: "\"\"\"").count
            if delimiters == 1 { isText.toggle() }
            guard !isText, delimiters == 0 else { continue }
            let code = line.drop { $0 == " " }
            let depth = (line.utf8.count - code.utf8.count) / 4
            if code.hasPrefix("@"), code.contains("@Test") {
                suites.insert("\(folders[1])." + types.prefix(depth).joined(separator: "/"))
            } else if depth <= types.count, let name = declaredType(code) {
                types = types.prefix(depth) + [name]
            }
        }
        return suites
    }

    private static func declaredType(_ code: Substring) -> String? {
        let words = code.split { " :<{".contains($0) }
        let keywords = ["struct", "class", "enum", "actor", "extension"]
        guard let keyword = words.firstIndex(where: { keywords.contains(String($0)) }),
            words[..<keyword].allSatisfy({ $0.hasPrefix("@") || modifiers.contains(String($0)) }),
            keyword + 1 < words.count, words[keyword + 1] != "func", words[keyword + 1] != "var"
        else { return nil }
        return String(words[keyword + 1])
    }

    private static let modifiers = ["private", "fileprivate", "public", "package", "final"]
}
