import Testing

/// Public types show how they are used.
@Suite struct ExampleRuleTests {
    @Test(arguments: ExampleRules.covered)
    func `every public type has an example that is compiled`(module: String) throws {
        let files = try SourceTree.files()
        let types = files.filter { $0.target == module && $0.isSwift }
            .flatMap { ExampleRules.types(in: $0) }
        let compiled = files.filter { Sample.isCompiled($0.path) }
        let found = ExampleRules.violations(types, compiled: compiled)
        #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n"))")
        #expect(types.count > 3)
    }

    /// The violations of a module with one file of these lines.
    private func faults(_ lines: String...) -> [String] {
        let file = SourceFile(
            "Sources/BroadsheetHTTP/A.swift", lines.joined(separator: "\n") + "\n")
        let compiled = [
            SourceFile("Tests/ExampleTests/A.swift", "    let a = A()\n    a.run()\n")
        ]
        return ExampleRules.violations(ExampleRules.types(in: file), compiled: compiled)
            .map(\.fault)
    }

    @Test(arguments: [
        "public struct A {}", "public final class A {}", "public enum A {}",
        "public protocol A {}", "public actor A {}", "@MainActor public final class A {}",
        "public indirect enum A {}", "@frozen\npublic struct A: ~Copyable {}",
        "#if os(Linux)\n    public struct A {}\n#endif",
    ])
    func `a type without an example is found`(declaration: String) {
        #expect(faults(declaration) == ["A has no example"])
        #expect(faults("/// What it is for.", declaration) == ["A has no example"])
        #expect(faults("/// ```", "/// let a = A()", "/// ```", declaration) != [])
        // The comment belongs to something else.
        #expect(faults("/// ```swift", "/// let a = A()", "/// ```", "", declaration) != [])
    }

    @Test func `an example that is not compiled is found`() {
        let fault = ["A has an example that is not compiled"]
        let type = "public struct A {}"
        #expect(faults("/// ```swift", "/// let b = A()", "/// ```", type) == fault)
        #expect(faults("/// ```swift", "/// a.run()", "/// let a = A()", "/// ```", type) == fault)
        #expect(faults("/// ```swift", "/// ```", type) == fault)
        #expect(faults("/// ```swift", "/// let a = A()", "/// a.run()", "/// ```", type) == [])
        let attributed = ["/// ```swift", "/// a.run()", "/// ```", "@frozen", type]
        #expect(faults(attributed.joined(separator: "\n")) == [])
    }

    @Test func `a small type may refer to a type with an example, but to no other`() {
        let shown = "/// ```swift\n/// let a = A()\n/// ```\npublic struct A {}\n"
        #expect(faults(shown, "/// Why. See ``A``.", "public enum B {}") == [])
        #expect(faults(shown, "/// Why. See ``C``.", "public enum B {}") == ["B has no example"])
        #expect(faults(shown, "/// Why ``A`` has failed.", "public enum B {}") == [])
        #expect(faults(shown, "/// See ``A``.", "public final class B {}") == ["B has no example"])
        // A chain of references leads nowhere.
        let chain = faults(
            shown, "/// See ``A``.", "public enum B {}", "/// See ``B``.", "public enum C {}")
        #expect(chain == ["C has no example"])
    }

    @Test func `types that are internal or within others need none`() {
        #expect(faults("struct A {}", "package struct B {}", "extension C {") == [])
        #expect(faults("extension A {", "    public enum B {}", "}") == [])
        #expect(faults("let text = \"\"\"", "public struct A {}", "\"\"\"") == [])
    }
}
