/// Every public type shows a use of it that is compiled and run as a test.
enum ExampleRules {
    /// The modules whose types must have examples.
    static let covered = [
        "BroadsheetHTTP", "BroadsheetHTTPServer", "ArticleClient", "ArticleStore", "ArticleAPI",
        "ArticleAdminAPI", "ArticleOffline",
    ]

    /// A public type that is not within another one.
    struct PublicType {
        let kind: String
        let name: String
        let path: String
        /// The index of its line.
        let index: Int
        /// The lines of its doc comment, without marks.
        let comment: [String]
        let examples: [Sample]

        /// The types of the same module that it links to, such as ``Other``.
        var references: [String] {
            comment.joined(separator: " ").matches(of: /``(\w+)``/).map { String($0.1) }
        }
    }

    /// The public types that the file declares.
    static func types(in file: SourceFile) -> [PublicType] {
        let declaration =
            #/
            \s* (?: @\S+ \s+ )* public \s+ (?: (?: final | indirect ) \s+ )*
            (struct | class | enum | protocol | actor) \s+ (\w+) .*
            /#
        var found: [PublicType] = []
        var conditions = 0
        for (index, line) in SwiftText(file).code.enumerated() {
            if line.hasPrefix("#if") { conditions += 1 }
            if line.hasPrefix("#endif") { conditions -= 1 }
            // Types within others are indented, and so is what depends on a condition.
            guard line.prefix(while: { $0 == " " }).count == 4 * conditions,
                let match = line.wholeMatch(of: declaration)
            else { continue }
            let comment = comment(above: index, in: file)
            let lines = comment.map { line in
                String(file.lines[line].trimmingPrefix(#/ *\/\/\/ ?/#))
            }
            found.append(
                PublicType(
                    kind: String(match.1), name: String(match.2), path: file.path, index: index,
                    comment: lines, examples: Sample.samples(in: file, comment)))
        }
        return found
    }

    /// The indices of the doc comment's lines above a declaration and its attributes.
    private static func comment(above index: Int, in file: SourceFile) -> Range<Int> {
        func starts(_ index: Int, with mark: String) -> Bool {
            file.lines[index].drop { $0 == " " }.hasPrefix(mark)
        }
        var end = index
        while end > 0, starts(end - 1, with: "@") { end -= 1 }
        var start = end
        while start > 0, starts(start - 1, with: "///") { start -= 1 }
        return start..<end
    }

    /// The types of one module without an example that is compiled.
    ///
    /// A small type, such as an error or a notification, may link to the type that it belongs to,
    /// whose example shows its use. A class or an actor has its own.
    ///
    /// - Parameter compiled: The files that examples are taken from.
    static func violations(_ types: [PublicType], compiled: [SourceFile]) -> [Violation] {
        let shown = Set(types.filter { !$0.examples.isEmpty }.map(\.name))
        return types.compactMap { type in
            func violation(_ fault: String) -> Violation {
                Violation(path: type.path, line: type.index + 1, fault: "\(type.name) \(fault)")
            }
            if type.examples.isEmpty {
                let hasIdentity = ["class", "actor"].contains(type.kind)
                if !hasIdentity, type.references.contains(where: shown.contains) { return nil }
                return violation("has no example")
            }
            let isCompiled = type.examples.allSatisfy { example in
                compiled.contains { example.occurs(in: $0.lines) }
            }
            return isCompiled ? nil : violation("has an example that is not compiled")
        }
    }
}
