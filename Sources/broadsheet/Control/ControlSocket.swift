/// The socket next to a served file, `<database>.control`, through which the operator's commands
/// reach the process that owns the file.
enum ControlSocket {
    static func path(of database: String) -> String { database + ".control" }
}
