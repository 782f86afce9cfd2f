/// The files below a folder that contain a text, in upper or lower case, anywhere among their
/// bytes. The write-ahead log of a PostgreSQL server is left out: the server itself removes it.
public func files(with text: String, in folder: String) throws(TestFailure) -> [String] {
    let search = try RunningProgram(
        "/usr/bin/env", ["grep", "-rlaiF", "--exclude-dir=pg_wal", "-e", text, folder])
    let found = search.output.rest()
    // Files may be removed meanwhile.
    let errors = search.errors.rest().filter { !$0.hasSuffix(": No such file or directory") }
    search.wait()
    guard errors.isEmpty else { throw TestFailure("grep: \(errors)") }
    return found
}
