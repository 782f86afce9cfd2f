#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process's environment.
enum Environment {
    /// Its variables as they stand, `NAME=value`, those with a name that is wanted.
    static func all(where isWanted: (String) -> Bool) -> [String] {
        var variables: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if isWanted(String(text.prefix { $0 != "=" })) { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// Its variables whose name begins with `BROADSHEET_`.
    static var current: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if text.hasPrefix("BROADSHEET_"), let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }

    /// A variable of any name (`getenv(3)`); an empty one is as if absent.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
