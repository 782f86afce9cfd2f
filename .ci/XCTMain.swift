import Testing

/// Runs the tests in `.ci/run`, which copies this file into `Tests`.
///
/// Without it, the package manager looks for tests of XCTest in the compiler's index. A file that
/// comes from the compiler's cache has none.
@main struct TestRunner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
