/// The house rules for single files; each rule returns its violations.
enum StyleRules {
    static let limitLines = 400
    /// Of a Swift file that is one type, a third of which is private, and of the manifest, which is
    /// one value.
    static let limitTypeLines = 600
    static let limitFunctionLines = 70
    static let limitColumns = 100
    /// The files that may create tasks: one on the server, for connections, on the loop's executor;
    /// one in the SDK, for work that outlives the caller that started it.
    static let taskFiles = [
        "Sources/BroadsheetSockets/Loop/EventLoop.swift",
        "Sources/ArticleClient/Backend/SharedTask.swift",
        "Sources/BroadsheetPlatform/UnstructuredTask.swift",
    ]

    /// Rules for every text file.
    static func text(_ file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        // Written in two parts, or this file would violate its own rules.
        let promises: [String] = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        let machines: [String] = [
            "/wo" + "rk/", "/ro" + "ot/", "/Us" + "ers/", "/ho" + "me/", "/tmp" + "/w/",
        ]
        // String catalogues are written by Xcode, with eight lines for each text; a table has a
        // line for each suite.
        let isCode = ![".md", ".xcstrings", ".tsv"].contains { file.path.hasSuffix($0) }
        // Golden files and fuzzing seeds are wire data, byte for byte.
        let wireData = ["/Golden/", "/Corpus/", "/examples/", "/Released/"]
        guard !wireData.contains(where: file.path.contains) else { return [] }
        // A migration is one script, whatever has changed since the release before.
        let isMigration = file.path.hasSuffix(".sql") && file.path.hasPrefix("Resources/")
        let limit = file.isSwift ? limitTypeLines : limitLines
        if isCode, !isMigration, file.lines.count - 1 > limit {
            found.append(violation(file, limit, "the file has more than \(limit) lines"))
        }
        if file.lines.last != "" {
            found.append(violation(file, file.lines.count - 1, "no line feed at the end"))
        }
        for (index, line) in file.lines.enumerated() {
            if file.isSwift, line.utf8.count > limitColumns, line.count > limitColumns {
                found.append(violation(file, index, "more than \(limitColumns) columns"))
            }
            if line.last == " " || line.last == "\t" {
                found.append(violation(file, index, "trailing white space"))
            }
            for word in promises where isCode && containsWord(word, in: line) {
                found.append(violation(file, index, "\(word) promises what is not there"))
            }
            for path in machines where line.contains(path) {
                found.append(violation(file, index, "\(path) is a path of one machine"))
            }
        }
        return found
    }

    /// Words that names in `Sources` no longer contain, and the field's terms for them
    /// (docs/architecture.md, "Retired terms").
    static let retired = [
        ("answer", "response"), ("refus", "reject"), ("stranger", "anonymous"),
        ("visitor", "principal"), ("welcome", "admitted"), ("istold", "isDisclosed"),
        ("keptwrite", "idempotency record"), ("anew", "restart"), ("errand", "maintenance"),
        ("giveway", "yield"), ("keeper", "store, writer"), ("keepsake", "upgrade backup"),
        ("meetclient", "read the PROXY header"), ("newsof", "updates"),
        ("putback", "restore"), ("remembered", "cached"), ("tally", "counts"),
        ("turnaway", "reject"),
    ]

    /// Retired words in the names of a line of code, outside strings and comments.
    static func retiredTerms(_ file: SourceFile, _ line: String, at index: Int) -> [Violation] {
        guard file.target != nil else { return [] }
        let names = line.lowercased()
        return retired.compactMap { word, term in
            // ECONNREFUSED is the kernel's.
            guard names.contains(word),
                names.replacing("econnrefused", with: "").contains(word)
            else { return nil }
            return violation(file, index, "\"\(word)\" is a retired term: \(term)")
        } + limitNames(file, line, at: index)
    }

    /// Names of limits that are not `limit` and a unit, such as `limitBytes`.
    private static func limitNames(
        _ file: SourceFile, _ line: String, at index: Int
    ) -> [Violation] {
        guard line.contains("most") || line.contains("maximum"),
            let name = line.firstMatch(of: /\b(?:at)?(?:[mM]ost|maximum)[A-Z]\w*/)
        else { return [] }
        return [violation(file, index, "\"\(name.0)\" is a limit: limitBytes, limitCount, …")]
    }

    /// Words with which no doc comment in `Sources` begins: it begins with a noun or a verb.
    static let clauseWords: Set<Substring> = [
        "How", "What", "Where", "Whether", "Which", "Who", "Whom", "Whose", "Why",
    ]

    /// Doc comments that begin with a clause.
    static func clauses(_ file: SourceFile, _ text: SwiftText) -> [Violation] {
        guard file.target != nil else { return [] }
        return text.comments.enumerated().compactMap { index, comment in
            // The first two slashes are not part of the comment.
            let isFirst = index == 0 || !text.comments[index - 1].hasPrefix("/")
            guard comment.hasPrefix("/ "), isFirst else { return nil }
            let word = comment.dropFirst(2).prefix(while: \.isLetter)
            guard clauseWords.contains(word) else { return nil }
            return violation(file, index, "a doc comment that begins with \"\(word)\"")
        }
    }

    /// Rules for Swift code.
    static func code(_ file: SourceFile, _ text: SwiftText) -> [Violation] {
        var found = functions(file, text) + clauses(file, text) + length(file, text)
        for (index, line) in text.code.enumerated() {
            found += retiredTerms(file, line, at: index)
            found += ClockRules.violations(file, line, at: index)
        }
        // Patterns are slow: a line without any of these words cannot match.
        let words = ["try!", "fatalError", "preconditionFailure", "@unch", "nonisolated", "Task"]
        for (index, line) in text.code.enumerated() where words.contains(where: line.contains) {
            if line.contains(/\btry!/) {
                found.append(violation(file, index, "an error that traps"))
            }
            if line.contains(/\b(fatalError|preconditionFailure)\s*\(/),
                !isExplained(index, file, text, by: "programmer error")
            {
                found.append(
                    violation(file, index, "a trap that is not marked as a programmer error"))
            }
            if line.contains(/@unchecke[d]\b|\bnonisolated\s*\(\s*unsafe\s*\)/),
                !isExplained(index, file, text, by: nil)
            {
                found.append(violation(file, index, "a comment with the reason is missing"))
            }
            if makesTask(line), file.target != nil, !taskFiles.contains(file.path) {
                let places = taskFiles.joined(separator: " and ")
                found.append(violation(file, index, "tasks are only created in \(places)"))
            }
        }
        return found
    }

    private static func makesTask(_ line: String) -> Bool {
        line.contains(
            /\bTask\s*(<[^>]*>)?\s*[({]|\bTask\s*(<.*>)?\s*\.\s*(detached|immediate|init)/)
    }

    /// Returns true if a comment on the same line, or directly above it (also above attributes),
    /// gives a reason.
    ///
    /// With `words`, the comment or the message on the line itself must contain them.
    private static func isExplained(
        _ index: Int, _ file: SourceFile, _ text: SwiftText, by words: String?
    ) -> Bool {
        var reasons = text.comments[index]
        if words != nil { reasons += file.lines[index...].prefix(2).joined(separator: " ") }
        var above = index - 1
        while above >= 0 {
            let code = text.code[above].filter { !$0.isWhitespace }
            guard code.isEmpty ? text.comments[above] != "" : code.hasPrefix("@") else { break }
            reasons += " " + text.comments[above]
            above -= 1
        }
        guard let words else { return reasons.contains(where: \.isLetter) }
        return reasons.lowercased().contains(words)
    }

    /// A file that is longer than others, and not one type.
    private static func length(_ file: SourceFile, _ text: SwiftText) -> [Violation] {
        guard limitLines..<limitTypeLines ~= file.lines.count - 2, file.path != "Package.swift"
        else { return [] }
        let shape = FileShape(text.code)
        guard !shape.isOneIdea else { return [] }
        let fault = """
            the file has more than \(limitLines) lines, \(shape.types) types, and \
            \(shape.hidden) of \(shape.members) members are private
            """
        return [violation(file, limitLines, fault)]
    }

    /// Functions, initialisers and accessors that are too long.
    private static func functions(_ file: SourceFile, _ text: SwiftText) -> [Violation] {
        var found: [Violation] = []
        for function in FunctionScanner.functions(in: text.code) {
            let lines = function.upperBound - function.lowerBound + 1
            guard lines > limitFunctionLines else { continue }
            found.append(violation(file, function.lowerBound, "a function of \(lines) lines"))
        }
        return found
    }

    private static func containsWord(_ word: String, in line: String) -> Bool {
        line.contains(word)
            && line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == word }
    }

    private static func violation(_ file: SourceFile, _ index: Int, _ fault: String) -> Violation {
        Violation(path: file.path, line: index + 1, fault: fault)
    }
}
