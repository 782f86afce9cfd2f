import Testing

/// The suites of tests are found in the sources.
@Suite struct SuiteNameTests {
    @Test(arguments: [
        ("@Suite struct A {\n    @Test func `a {`() {}\n}", ["A"]),
        ("@Suite(.serialized) struct A {\n    @Test(arguments: [1])\n    func a() {}\n}", ["A"]),
        ("extension A {\n    @Suite struct B {\n        @Test func d() {}\n    }\n}", ["A/B"]),
        ("final class A {\n    class func b() {}\n    @Test func c() {}\n}", ["A"]),
        ("enum A {}\nstruct B {\n    @Test func c() {}\n}\nstruct D {}", ["B"]),
        ("struct A {\n    let a = \"\"\"\n    @Test\n        \"\"\"\n    // @Test\n}", []),
    ])
    func `the suites of a file are found`(text: String, suites: [String]) {
        let file = SourceFile("Tests/BroadsheetHTTPTests/A.swift", text)
        #expect(Suites.names(in: file) == Set(suites.map { "BroadsheetHTTPTests.\($0)" }))
        #expect(Suites.names(in: SourceFile("Tests/Samples/A.swift", text)) == [])
    }
}
