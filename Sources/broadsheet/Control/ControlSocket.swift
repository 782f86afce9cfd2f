/// The socket next to a served file, `<database>.control`, through which the operator's commands
/// reach the process that owns the file.
enum ControlSocket {
    /// - Parameter database: what `--database` names.
    static func path(ofDatabase database: String) -> String {
        path(beside: Database.path(of: database))
    }

    static func path(beside path: String) -> String { path + ".control" }
}
