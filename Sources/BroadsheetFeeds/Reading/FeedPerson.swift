import BroadsheetHTTP

/// The names of people in feeds, without the e-mail addresses that RSS and many programs put into
/// them: only names are published here. A person with nothing but an address has no name.
enum FeedPerson {
    /// The names in texts such as `Jane`, `jane@example.org (Jane)`, `"Jane" <jane@example.org>`.
    static func names(in texts: [String]) -> [String] {
        FeedText.names(
            texts.prefix(FeedText.limitNames).flatMap { text in
                let line = FeedText.line(text)
                return line.contains("@") ? people(in: line).map(name) : [line]
            })
    }

    /// Several people have several addresses.
    private static func people(in line: String) -> [Substring] {
        guard line.count(where: { $0 == "@" }) > 1 else { return [line[...]] }
        return line.split(separator: line.contains(";") ? ";" : ",")
    }

    private static let brackets: Set<Character> = ["<", ">", "(", ")", "[", "]", "\"", ",", ";"]
    /// The characters that are left between a name and an address, or around them.
    private static let edges: Set<Character> = [
        " ", "\"", ",", ";", ":", "-", "–", "—", "|", "<", ">",
    ]

    private static func name(of person: Substring) -> String {
        let words = person.replacing(bytesOf: "<", with: " <").replacing(bytesOf: "(", with: " (")
            .replacing(bytesOf: "[", with: " [").split(separator: " ").filter { !isAddress($0) }
        var name = words.joined(separator: " ")[...]
        name = name.drop { edges.contains($0) }
        while let last = name.last, edges.contains(last) { name.removeLast() }
        guard name.hasPrefix("("), name.hasSuffix(")") else { return String(name) }
        return String(name.dropFirst().dropLast())
    }

    /// `@jane` is a name in many places.
    private static func isAddress(_ word: Substring) -> Bool {
        var bare = word.drop { brackets.contains($0) }
        while let last = bare.last, brackets.contains(last) { bare.removeLast() }
        return bare.dropFirst().dropLast().contains("@") && bare.first != "@"
    }
}
