/// What this toolchain has and iOS 18 and macOS 15 lack, in targets that apps build: nothing here
/// sees Apple's SDK, so that the compiler would not tell.
enum AppleAPIs {
    static let targets: Set = ["HTTP", "ArticleAPI", "ArticleClient", "URLSessionTransport"]

    /// Words of the code and the first system that has what they name.
    ///
    /// `Span`, `RawSpan` and the `span` of arrays and buffers are older: they travel with the app.
    private static var missing: [(words: Regex<Substring>, name: String, since: String)] {
        [
            (/\bInlineArray\b|\[\s*\w+\s+of\s+\w[^\]]*\]/, "InlineArray", "26"),
            (/\bUTF8Span\b|\.utf8Span\b/, "UTF8Span", "26"),
            (/\.utf8\s*\.\s*span\b/, "the span of a string", "26"),
            (/\bOutput(?:Raw)?Span\b|\binitializingWith\s*:/, "OutputSpan", "26"),
            (/\baddImmediateTask/, "addImmediateTask", "26"),
            (/\bTask\s*\.\s*name\b|\bTask\s*(?:<.*>)?\s*\(\s*name\s*:/, "a task's name", "26"),
            (/\bObservations\b/, "Observations", "26"),
            (/\bUnicode\.UTF8\.ValidationError\b/, "UTF8.ValidationError", "26"),
            (/\bMainActorMessage\b|\bAsyncMessage\b/, "typed notifications", "26"),
            (/\bHTTPFormatStyle\b|\.formatted\(\s*\.http\b/, "Date.HTTPFormatStyle", "26"),
            (/\bisolated\s+deinit\b/, "isolated deinit", "18.4 and 15.4"),
            (/\bRunLoopExecutor\b|\bMainExecutor\b/, "executors of one's own", "26"),
        ]
    }

    /// Patterns are slow: a line without any of these words has nothing for them.
    private static let words = [
        "InlineArray", " of ", "UTF8", "utf8", "Output", "initializingWith", "Immediate", "name",
        "Observations", "Message", "Format", "format", "isolated", "Executor",
    ]

    static func violations(_ file: SourceFile, _ text: SwiftText) -> [Violation] {
        guard let target = file.target, targets.contains(target) else { return [] }
        var found: [Violation] = []
        let missing = missing
        for (index, line) in text.code.enumerated()
        where words.contains(where: line.contains) {
            for api in missing where line.contains(api.words) {
                found.append(
                    Violation(
                        path: file.path, line: index + 1,
                        fault: "iOS 18 and macOS 15 lack \(api.name) (\(api.since))"))
            }
        }
        return found
    }
}
