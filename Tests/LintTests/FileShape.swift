/// The declarations of a file, as far as they tell if it is one idea.
struct FileShape {
    /// The types that are declared at the top level, also private ones.
    private(set) var types = 0
    /// What these and extensions declare: functions, properties, initialisers and types.
    private(set) var members = 0
    /// Those that no other file sees, or that none changes.
    private(set) var hidden = 0

    init(_ code: [String]) {
        let declaration =
            #/
            \s* ( (?: @\w+ (?: \( .*? \) )? \s+ | \w+ (?: \( \w+ \) )? \s+ )*? )
            ( func | var | let | init | subscript | struct | class | enum | protocol | actor
            | typealias | extension ) \b .*
            /#
        var depth = 0
        var isExtensionHidden = false
        for line in code {
            if depth < 2, let match = line.wholeMatch(of: declaration) {
                let isHidden = match.1.split(separator: " ").contains {
                    ["private", "fileprivate", "private(set)"].contains($0)
                }
                let isType = ["struct", "class", "enum", "protocol", "actor"].contains(match.2)
                if depth == 0 {
                    if isType { types += 1 }
                    isExtensionHidden = isHidden && match.2 == "extension"
                } else {
                    members += 1
                    if isHidden || isExtensionHidden { hidden += 1 }
                }
            }
            depth += line.utf8.count { $0 == UInt8(ascii: "{") }
            depth -= line.utf8.count { $0 == UInt8(ascii: "}") }
        }
    }

    /// True if the file may be longer than others: it is one type, and a third of it is its own.
    var isOneIdea: Bool { types == 1 && hidden * 3 >= members }
}
