import BroadsheetMarkup
import CBroadsheetXML

/// XML that is nearly well-formed, in UTF-8. The first byte decides in which pieces it arrives.
enum RepairLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let document = Array(input.dropFirst())
        var whole = XMLRepair(label: "utf-8")
        let repaired = whole.take(document) + whole.finish()
        var parts = XMLRepair(label: "utf-8")
        var pieces: [UInt8] = []
        for piece in input.piecesBehindFirst { pieces += parts.take(Array(piece)) }
        pieces += parts.finish()
        laws.expect(pieces == repaired, "the pieces in which a document arrives make no difference")
        laws.expect(whole.repairs == parts.repairs, "repairs do not depend on pieces")
        var second = XMLRepair(label: "utf-8")
        let again = second.take(repaired) + second.finish()
        laws.expect(again == repaired, "what was repaired is not repaired again")
        laws.expect(whole.repairs.list.allSatisfy { $0.line >= 1 }, "a repair has a line")
        if isWellFormed(document), !isDeclaring(document) {
            let mark = document.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            laws.expect(
                repaired == Array(document[mark...]) && whole.repairs.count == 0,
                "a well-formed document is not changed")
        }
        return laws.broken
    }

    /// Returns true if libxml2 finds the document well-formed. For that, a null character after the
    /// root element is the end.
    private static func isWellFormed(_ document: [UInt8]) -> Bool {
        guard !document.contains(0) else { return false }
        let options = Int32(
            XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue)
        let tree = document.withUnsafeBytes { bytes in
            xmlReadMemory(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil,
                "UTF-8", options)
        }
        xmlFreeDoc(tree)
        return tree != nil
    }

    /// Declarations are left out, and entities that only a DTD may define are replaced.
    private static func isDeclaring(_ document: [UInt8]) -> Bool {
        String(decoding: document, as: UTF8.self).contains("<!DOCTYPE")
    }
}
