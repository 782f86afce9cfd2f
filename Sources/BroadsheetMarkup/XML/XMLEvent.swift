/// A part of a document, as an ``XMLReader`` finds it, in the document's order.
package enum XMLEvent: Sendable, Hashable {
    /// The start of an element. An empty element has a start and an end.
    case start(XMLElement)
    /// Characters, including those of CDATA sections and references. Adjacent characters are
    /// merged; a text of more than `XMLLimits.pieceBytes` comes in several events.
    case text(String)
    case end(XMLName)
}

/// The expanded name of an element or attribute (Namespaces in XML 1.0 §2.1).
package struct XMLName: Sendable, Hashable {
    /// The namespace's URI; `nil` without a namespace.
    package var namespace: String?
    /// The local part; `prefix:local` if the prefix was not declared, as in many feeds.
    package var local: String

    package init(_ local: String, in namespace: String? = nil) {
        self.local = local
        self.namespace = namespace
    }

    /// The namespace of `xml:lang` and `xml:base`.
    package static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"
}

/// The start tag of an element.
package struct XMLElement: Sendable, Hashable {
    package var name: XMLName
    /// In the document's order, without declarations of namespaces.
    package var attributes: [XMLAttribute]
    /// The `xml:lang` that applies here: of this element or of the closest around it.
    package var language: String?
    /// The base of relative references: the `xml:base` of this element and those around it,
    /// resolved against each other (XML Base §3).
    package var base: String?

    package init(
        _ name: XMLName, _ attributes: [XMLAttribute] = [], language: String? = nil,
        base: String? = nil
    ) {
        self.name = name
        self.attributes = attributes
        self.language = language
        self.base = base
    }

    /// The value of an attribute.
    package subscript(_ local: String, in namespace: String? = nil) -> String? {
        attributes.first { $0.name.local == local && $0.name.namespace == namespace }?.value
    }
}

/// An attribute with its normalized value (XML 1.0 §3.3.3).
package struct XMLAttribute: Sendable, Hashable {
    package var name: XMLName
    package var value: String

    package init(_ name: XMLName, _ value: String) {
        self.name = name
        self.value = value
    }
}
