import Glibc
import TestSupport

/// A library of C that the program loads before its own (`LD_PRELOAD`).
struct PreloadedLibrary {
    private let folder: TemporaryFolder

    /// Compiles the source with the compiler that belongs to Swift's.
    init(_ source: String) throws {
        folder = try TemporaryFolder()
        try write(source, to: folder.file("library.c"))
        let compiler = try RunningProgram(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-o", folder.file("library.so")]
                + [folder.file("library.c")])
        let errors = compiler.errors.rest()
        guard compiler.wait() == 0 else { throw TestFailure("\(errors)") }
    }

    var environment: [String: String] { ["LD_PRELOAD": folder.file("library.so")] }
}
