/// Makes an XML document of bytes that come close to one, in one pass, with memory that does not
/// depend on their number.
///
/// The result is in UTF-8, without a byte order mark. Of a well-formed document in UTF-8, it has
/// the same bytes, but for the declarations in a DOCTYPE and references to the entities of a DTD:
/// no entity is ever expanded.
///
/// It is used for one document; a copy of it continues with the same one.
package struct XMLRepair {
    private var decoder: XMLDecoder
    private var characters: XMLCharacterRepair?
    private var markup: XMLMarkupRepair

    /// - Parameter label: the encoding that a media type names (RFC 7303 §3). It overrides the
    ///   declaration of the document; a byte order mark overrides both.
    package init(label: String? = nil, limits: XMLLimits = XMLLimits()) {
        decoder = XMLDecoder(label: label)
        markup = XMLMarkupRepair(limitTagBytes: limits.tagBytes)
    }

    /// Further bytes of the document, as far as they are known.
    package mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        repaired(decoder.take(bytes), isLast: false)
    }

    /// The rest of the document.
    package mutating func finish() -> [UInt8] {
        repaired(decoder.finish(), isLast: true) + markup.finish()
    }

    private mutating func repaired(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        guard let encoding = decoder.encoding else { return [] }
        var characters =
            characters ?? XMLCharacterRepair(readsWindows1252: encoding == XMLEncoding.utf8)
        let text = characters.take(bytes, isLast: isLast)
        self.characters = characters
        return markup.take(text)
    }

    /// The repairs so far.
    package var repairs: XMLRepairs {
        guard let characters else { return markup.document.repairs }
        return characters.repairs.merged(with: markup.document.repairs)
    }

    /// The reason why bytes are not read any more.
    var failure: XMLError? {
        markup.document.failure ?? characters?.failure ?? decoder.failure
    }

    /// The line that the result begins on.
    var firstLine: Int { markup.document.firstLine }
}
