/// A listing in a page or a doc comment: the lines between ```` ```swift ```` and ```` ``` ````.
struct Sample {
    /// The file and the number of the first line.
    let place: String
    /// Without indentation and comment marks.
    let lines: [Substring]

    /// The samples of a file, or of some of its lines.
    ///
    /// - Parameter range: The indices of the lines; `nil`: all.
    static func samples(in file: SourceFile, _ range: Range<Int>? = nil) -> [Sample] {
        var found: [Sample] = []
        var open: (first: Int, lines: [Substring])?
        for index in range ?? file.lines.indices {
            // A page has comments within its samples, a source file its samples within comments.
            let line = file.lines[index][...]
            let bare = file.isSwift ? line.trimmingPrefix(#/ *\/\/\/ ?/#) : line
            if bare == "```swift" {
                open = (index + 2, [])
            } else if bare == "```", let sample = open {
                found.append(Sample(place: "\(file.path):\(sample.first)", lines: sample.lines))
                open = nil
            } else {
                open?.lines.append(bare)
            }
        }
        return found
    }

    /// Returns true if the code contains the lines, one after the other, apart from indentation.
    func occurs(in code: [String]) -> Bool {
        guard let first = lines.first, lines.count <= code.count else { return false }
        return (0...code.count - lines.count).contains { start in
            guard code[start].hasSuffix(first) else { return false }
            let indent = code[start].dropLast(first.count)
            guard indent.allSatisfy({ $0 == " " }) else { return false }
            return zip(lines, code[start...]).allSatisfy { line, there in
                line.isEmpty ? there.isEmpty : there == indent + line
            }
        }
    }

    /// Returns true if a file's samples may be taken from this one, as it is compiled.
    static func isCompiled(_ path: String) -> Bool {
        let files = [
            "Tests/EndToEndTests/Samples/SampleTests.swift",
            "Tests/EndToEndTests/Samples/StubSample.swift", "Tests/Samples/FirstSteps/main.swift",
            "Tests/Samples/FirstSteps/Package.swift.sample",
            "Tests/Samples/GenerateModels/Package.swift.sample",
            "Tests/Samples/GenerateModels/main.swift", "Tests/Samples/GeneratedClient/main.swift",
        ]
        let isExample = path.hasPrefix("Tests/ExampleTests/") && path.hasSuffix(".swift")
        return files.contains(path) || isExample || isListing(path)
    }

    /// Returns true if it is a listing of the documentation's pages: Linux builds those of the
    /// first folder, `make apple-check` compiles the others.
    static func isListing(_ path: String) -> Bool {
        let folders = ["Tests/Samples/Documentation/", "Tests/Samples/Apple/"]
        return path.hasSuffix(".swift") && folders.contains { path.hasPrefix($0) }
    }
}
