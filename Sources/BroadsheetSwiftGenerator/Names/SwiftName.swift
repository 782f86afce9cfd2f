/// Names of Swift declarations, made from any text: valid, in ASCII, and in Swift's spelling.
enum SwiftName {
    /// The maximum number of characters of a name, so that a declaration fits on a line.
    static let limit = 34

    /// A name in lower camel case: `user_id` → `userID`. A keyword stays; `escaped` quotes it.
    static func property(_ text: String) -> String {
        let words = started(WordSplitter.of(text), by: "value")
        let rest = words.dropFirst().map(capitalized)
        return distinct(cut([words[0]] + rest), from: reservedMembers)
    }

    /// A name in upper camel case: `wind_speed` → `WindSpeed`.
    static func type(_ text: String, limit: Int = limit) -> String {
        type(WordSplitter.of(text), limit: limit)
    }

    /// The name of the type of an array's items: `weather_readings` → `WeatherReading`.
    static func singularType(_ text: String) -> String {
        var words = WordSplitter.of(text)
        if let last = words.popLast() { words.append(singular(last)) }
        return type(words)
    }

    static func type(_ words: [String], limit: Int = limit) -> String {
        let words = started(words, by: "value").map(capitalized)
        return distinct(cut(words, limit), from: reservedTypes)
    }

    /// The name in quotation marks for its declaration, where it is a keyword.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The name after a dot, where only few keywords need quotation marks.
    static func member(_ name: String) -> String { name == "init" ? "`init`" : name }

    /// The name as the label of an argument, where only one keyword needs quotation marks.
    static func label(_ name: String) -> String { name == "inout" ? "`inout`" : name }

    /// The words; a name must not begin with a digit.
    private static func started(_ words: [String], by prefix: String) -> [String] {
        guard let first = words.first, first.first?.isNumber == false else {
            return [prefix] + words
        }
        return words
    }

    private static func capitalized(_ word: String) -> String {
        if let acronym = acronyms[word] { return acronym }
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    /// As many words as fit, or a part of the first one.
    private static func cut(_ words: [String], _ limit: Int = limit) -> String {
        var name = ""
        for word in words {
            if !name.isEmpty, name.utf8.count + word.utf8.count > limit { break }
            name += word.prefix(limit)
        }
        return name
    }

    private static func distinct(_ name: String, from reserved: Set<String>) -> String {
        guard reserved.contains(name) else { return name }
        return String(name.prefix(limit - 5)) + "Value"
    }

    private static func singular(_ word: String) -> String {
        if let known = irregular[word] { return known }
        for (ending, replacement) in endings where word.hasSuffix(ending) {
            guard word.count > ending.count + 1 else { continue }
            return word.dropLast(ending.count) + replacement
        }
        return word
    }

    private static let irregular = [
        "people": "person", "children": "child", "men": "man", "women": "woman", "data": "datum",
        "series": "series", "news": "news", "status": "status", "movies": "movie", "lies": "lie",
    ]

    private static let endings = [
        ("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ss", "ss"),
        ("us", "us"), ("is", "is"), ("s", ""),
    ]

    private static let acronyms = [
        "id": "ID", "ids": "IDs", "url": "URL", "urls": "URLs", "uri": "URI", "uuid": "UUID",
        "html": "HTML", "json": "JSON", "xml": "XML", "api": "API", "http": "HTTP",
        "https": "HTTPS", "ip": "IP", "sql": "SQL",
    ]
}

extension SwiftName {
    /// Keywords, and words that mean something at the beginning of an expression.
    private static let keywords: Set<String> = [
        "Any", "Self", "actor", "any", "as", "associatedtype", "async", "await", "borrow",
        "break", "case", "catch", "class", "consume", "continue", "copy", "default", "defer",
        "deinit", "discard", "do", "each", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
        "is", "let", "macro", "nil", "nonisolated", "open", "operator", "package",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "self", "some", "static", "struct", "subscript", "super", "switch", "then", "throw",
        "throws", "true", "try", "typealias", "unsafe", "var", "where", "while", "yield",
    ]

    /// Members that cannot be properties of a model, even in quotation marks.
    private static let reservedMembers: Set<String> = ["self", "shape", "hashValue", "dynamicType"]

    /// Types that generated code names, or whose names would mislead.
    private static let reservedTypes: Set<String> = [
        "Any", "AnyObject", "Array", "ArticleAPI", "ArticleOffline", "BackendAPIRequest",
        "BackendService", "Body", "Bool", "BroadsheetHTTP", "CacheableRequest", "Change",
        "Character", "Codable", "CodingKey", "CodingKeys", "Data", "Date", "Decimal", "Decodable",
        "Decoder", "Dictionary", "Double", "Duration", "Encodable", "Encoder", "Endpoint",
        "Equatable", "Error", "EventStream", "Field", "Float", "Foundation", "FoundationEssentials",
        "Hashable", "Hasher", "ID", "Identifiable", "IfMatch", "Indirect", "Int", "Item",
        "JSONAlternative", "JSONCodec", "JSONDecoder", "JSONEncoder", "JSONModel",
        "JSONRepresentable", "JSONValue", "LocalDay", "ModelRequest", "Never", "NoContent",
        "ObjectCodec", "Optional", "Parameters", "Protocol", "RawBody", "RawRepresentable",
        "RequestPart", "Response", "ResponseEncoding", "ResponseItem", "Result", "Self", "Sendable",
        "Sequence", "Set", "StorableModel", "StoredForm", "String", "Substring", "Swift", "Task",
        "TextCodec", "Timestamp", "Type", "URL", "UUID", "Void",
    ]
}

/// The names of one scope, each of which is used once.
struct NameScope {
    private var used: Set<String>

    init(_ used: Set<String> = []) { self.used = used }

    func contains(_ name: String) -> Bool { used.contains(name) }

    /// The name, with the first free number if it is taken.
    mutating func claim(_ name: String) -> String {
        if used.insert(name).inserted { return name }
        var number = 2
        // Invariant: the names with numbers below `number` are taken.
        while true {
            let suffix = String(number)
            let numbered = name.prefix(SwiftName.limit - suffix.utf8.count) + suffix
            if used.insert(String(numbered)).inserted { return String(numbered) }
            number += 1
        }
    }
}

extension SwiftName {
    /// Returns true if the name must not be that of a type.
    static func isReserved(type name: String) -> Bool { reservedTypes.contains(name) }
}
