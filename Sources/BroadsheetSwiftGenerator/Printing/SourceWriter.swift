/// The lines of a generated file. Text beyond the limit is counted, and not kept.
struct SourceWriter {
    private(set) var text = ""
    private(set) var isTooLong = false
    private var indentation = 0

    /// `public ` or nothing.
    let access: String

    init(access: String) { self.access = access }

    mutating func line(_ line: String) { raw(Expression.margin(indentation) + line) }

    mutating func blank() { raw("") }

    private mutating func raw(_ line: String) {
        guard text.utf8.count + line.utf8.count < GenerationLimits.outputBytes else {
            isTooLong = true
            return
        }
        text += line + "\n"
    }

    /// Writes a declaration with a body: `head { … }`.
    mutating func block(_ head: String, _ body: (inout SourceWriter) -> Void) {
        line(head + " {")
        inside(body)
        line("}")
    }

    private mutating func inside(_ body: (inout SourceWriter) -> Void) {
        indentation += 4
        body(&self)
        indentation -= 4
    }

    /// Writes a function's head with its parameters, and its body.
    mutating func function(
        _ head: String, _ parameters: [String], _ tail: String = "",
        _ body: (inout SourceWriter) -> Void
    ) {
        let end = ")\(tail) {"
        let flat = head + "(" + parameters.joined(separator: ", ") + end
        if indentation + Expression.width(flat) <= Expression.limitColumns {
            line(flat)
        } else {
            line(head + "(")
            let arguments = parameters.map { Expression.Argument("", .text($0)) }
            for line in Expression.lines(arguments, .filled, ending: "", at: indentation + 4) {
                raw(line)
            }
            line(end)
        }
        inside(body)
        line("}")
    }

    /// Writes an expression after `prefix`.
    mutating func expression(_ expression: Expression, after prefix: String = "") {
        for line in expression.lines(prefix, "", at: indentation) { raw(line) }
    }

    /// Writes `name = value`; the value is on a line of its own if that is necessary.
    mutating func assignment(_ name: String, _ value: String) {
        let flat = "\(name) = \(value)"
        guard indentation + Expression.width(flat) > Expression.limitColumns else {
            return line(flat)
        }
        line("\(name) =")
        raw(Expression.margin(indentation + 4) + value)
    }

    /// Writes a doc comment.
    mutating func comment(_ text: String) {
        let columns = Expression.limitColumns - indentation - 4
        for line in CommentText.lines(text, columns: columns) { self.line("/// \(line)") }
    }

    /// Writes an empty line of a doc comment and a paragraph, if it has any text.
    mutating func paragraph(_ text: String) {
        let columns = Expression.limitColumns - indentation - 4
        let lines = CommentText.lines(text, columns: columns)
        guard !lines.isEmpty else { return }
        line("///")
        for line in lines { self.line("/// \(line)") }
    }

    /// Writes lines of a comment that documents nothing.
    mutating func remark(_ text: String, indentation: String = "") {
        let columns = Expression.limitColumns - 3 - indentation.utf8.count
        for (index, line) in CommentText.lines(text, columns: columns).enumerated() {
            self.line(
                "// \(index == 0 ? indentation : Expression.margin(indentation.utf8.count))\(line)")
        }
    }
}
