/// A generated file: its header, imports and declarations.
struct SourceFile {
    /// The kind of access that declarations have.
    let isPublic: Bool
    /// The origin of the file and the options of its generation, in lines.
    let header: [String]
    /// The modules that are imported by public declarations, and those that are not.
    let modules: [(name: String, isExposed: Bool)]
    let needsFoundation: Bool

    /// The text of the file.
    func text(_ body: (inout SourceWriter) -> Void) throws(GenerationError) -> String {
        var writer = SourceWriter(access: isPublic ? "public " : "")
        for line in header {
            if line.isEmpty { writer.line("//") } else { writer.remark(line) }
        }
        if !header.isEmpty { writer.blank() }
        for module in modules.sorted(by: { $0.name < $1.name }) {
            writer.line("\(isPublic && module.isExposed ? "public " : "")import \(module.name)")
        }
        if needsFoundation {
            if !modules.isEmpty { writer.blank() }
            let access = isPublic ? "public " : ""
            writer.line("#if canImport(FoundationEssentials)")
            writer.line("    \(access)import FoundationEssentials")
            writer.line("#else")
            writer.line("    \(access)import Foundation")
            writer.line("#endif")
        }
        if needsFoundation || !modules.isEmpty { writer.blank() }
        body(&writer)
        guard !writer.isTooLong else {
            let limit = GenerationLimits.outputBytes
            throw .tooLarge("the generated code would have more than \(limit) bytes")
        }
        return writer.text
    }
}
