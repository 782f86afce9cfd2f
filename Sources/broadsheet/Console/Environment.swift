#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process's environment.
enum Environment {
    /// The variables whose name satisfies the predicate, as `NAME=value`.
    static func all(where isIncluded: (String) -> Bool) -> [String] {
        var variables: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if isIncluded(String(text.prefix { $0 != "=" })) { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// The variables whose name begins with `BROADSHEET_`.
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

    /// The value of a variable (`getenv(3)`); `nil` if it is unset or empty.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
