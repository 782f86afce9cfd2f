import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Glibc

/// A library of C that the program loads before its own (`LD_PRELOAD`).
struct PreloadedLibrary {
    /// The libraries that the tests of this process have compiled, by source.
    private static let compiled = Lock([String: FileTemplate]())

    private let folder: TemporaryFolder

    /// Compiles the source with the compiler that belongs to Swift's, once.
    init(_ source: String) throws {
        folder = try TemporaryFolder()
        let library = try Self.compiled.withLock { compiled in
            if let library = compiled[source] { return library }
            let library = try Self.compile(source)
            compiled[source] = library
            return library
        }
        try library.copy(to: folder.file("library.so"))
    }

    private static func compile(_ source: String) throws -> FileTemplate {
        let folder = try TemporaryFolder()
        try write(source, to: folder.file("library.c"))
        let compiler = try RunningProgram(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-o", folder.file("library.so")]
                + [folder.file("library.c")])
        let errors = compiler.errors.rest()
        guard compiler.wait() == 0 else { throw TestFailure("\(errors)") }
        return try FileTemplate(of: folder.file("library.so"))
    }

    var environment: [String: String] { ["LD_PRELOAD": folder.file("library.so")] }
}
