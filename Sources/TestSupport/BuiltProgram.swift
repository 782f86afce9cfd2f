import Glibc

/// The path of a program in the build folder of the tests.
public func builtProgram(_ name: String) throws(TestFailure) -> String {
    guard let program = realpath("/proc/self/exe", nil) else { throw .system("realpath") }
    defer { free(program) }
    let path = String(cString: program)
    guard let end = path.lastIndex(of: "/") else { throw TestFailure("\(path) has no folder") }
    return "\(path[..<end])/\(name)"
}
