extension Unicode.Scalar {
    /// The letters, digits or marks that this character is another form of, in lower case; `nil`
    /// if it is none.
    ///
    /// These are compatibility mappings (UAX #15) of characters that people type and paste: half
    /// and full width, ligatures, superscripts and subscripts, Roman numerals, mathematical
    /// alphabets, and the shapes of Arabic letters.
    package var compatibilityForm: String? {
        switch value {
        case 0..<0xAA: nil
        case 0xFF01...0xFF5E: letters([value - 0xFEE0])
        case 0xFF61...0xFF9F: String(Self.ofFullWidth[Int(value) - 0xFF61])
        case 0xFB00...0xFB06, 0xFB13...0xFB17: properties.uppercaseMapping.lowercased()
        case 0xFB50...0xFDFB, 0xFE80...0xFEFC: Self.ofArabicShapes[self]
        case 0x2160...0x217F: Self.romanNumerals[Int(value) % 16]
        case 0x1D400...0x1D6A3: letters([(value - 0x1D400) % 26 + 0x61])
        case 0x1D7CE...0x1D7FF: letters([(value - 0x1D7CE) % 10 + 0x30])
        case 0xAA...0x2E3, 0x1D2C...0x1DBB, 0x2070...0x209C, 0x2102...0x2134, 0x2C7C, 0x2C7D:
            Self.ofLetterForms[self]
        default: nil
        }
    }

    private func letters(_ values: [UInt32]) -> String {
        String(String.UnicodeScalarView(values.compactMap(Unicode.Scalar.init))).lowercased()
    }

    /// From U+FF61; voicing marks are the combining ones, so that NFC joins them to their letters.
    private static let ofFullWidth = Array(
        ("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソ"
            + "タチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}")
            .unicodeScalars)

    private static let romanNumerals = [
        "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "l", "c", "d",
        "m",
    ]

    /// Superscripts, subscripts, letters of mathematics that are not in its alphabets, and two
    /// letters in one.
    private static let ofLetterForms = Dictionary(
        uniqueKeysWithValues: letterForms.flatMap { letter, forms in
            forms.unicodeScalars.map { ($0, letter) }
        })

    private static let letterForms: [(letter: String, forms: String)] = [
        ("0", "⁰₀"), ("1", "¹₁"), ("2", "²₂"), ("3", "³₃"), ("4", "⁴₄"), ("5", "⁵₅"), ("6", "⁶₆"),
        ("7", "⁷₇"), ("8", "⁸₈"), ("9", "⁹₉"), ("a", "ªᵃₐᴬ"), ("b", "ᵇᴮℬ"), ("c", "ᶜℂℭ"),
        ("d", "ᵈᴰ"), ("e", "ᵉₑᴱℯℰ"), ("f", "ᶠℱ"), ("g", "ᵍᴳℊ"), ("h", "ʰₕᴴℎℋℌℍ"), ("i", "ⁱᵢᴵℐℑ"),
        ("j", "ʲⱼᴶ"), ("k", "ᵏₖᴷ"), ("l", "ˡₗᴸℓℒ"), ("m", "ᵐₘᴹℳ"), ("n", "ⁿₙᴺℕ"), ("o", "ºᵒₒᴼℴ"),
        ("p", "ᵖₚᴾℙ"), ("q", "ℚ"), ("r", "ʳᵣᴿℛℜℝ"), ("s", "ˢₛ"), ("t", "ᵗₜᵀ"), ("u", "ᵘᵤᵁ"),
        ("v", "ᵛᵥⱽ"), ("w", "ʷᵂ"), ("x", "ˣₓ"), ("y", "ʸ"), ("z", "ᶻℤℨ"),
        ("dz", "ǳǲǱ"), ("dž", "ǆǅǄ"), ("ij", "ĳĲ"), ("lj", "ǉǈǇ"), ("nj", "ǌǋǊ"),
    ]
}

// MARK: Arabic

extension Unicode.Scalar {
    /// The letters of Arabic Presentation Forms, which old programs and PDF files have in place of
    /// letters that are joined when they are shown.
    private static let ofArabicShapes: [Unicode.Scalar: String] = {
        var letters: [Substring: Unicode.Scalar] = [:]
        for value in 0x621...0x6D3 as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value), let name = scalar.properties.name else {
                continue
            }
            if name.hasPrefix("ARABIC LETTER ") { letters[name.dropFirst(14)] = scalar }
        }
        var shapes: [Unicode.Scalar: String] = [:]
        for value in Array(0xFB50...0xFDFB) + Array(0xFE80...0xFEFC) as [UInt32] {
            guard let scalar = Unicode.Scalar(value), let name = scalar.properties.name,
                let shape = arabicLetters(named: name, letters)
            else { continue }
            shapes[scalar] = shape
        }
        return shapes
    }()

    /// The letters in a name such as `ARABIC LIGATURE LAM WITH ALEF FINAL FORM`; `nil` if it has
    /// anything else.
    private static func arabicLetters(
        named name: String, _ letters: [Substring: Unicode.Scalar]
    ) -> String? {
        guard name.hasSuffix(" FORM"), let start = name.dropFirst(7).firstIndex(of: " "),
            let end = name.dropLast(5).lastIndex(of: " "), start < end
        else { return nil }
        // Without the script, `LETTER` or `LIGATURE`, and the shape.
        var rest = name[name.index(after: start)..<end]
        var found = ""
        while true {
            if let letter = letters[rest] { return found + String(letter) }
            guard let word = rest.firstRange(of: " WITH "),
                let first = letters[rest[..<word.lowerBound]]
            else { return nil }
            found.unicodeScalars.append(first)
            rest = rest[word.upperBound...]
        }
    }
}

extension String {
    /// The text in NFC, with the compatibility forms of its characters.
    package var inCompatibilityForms: String {
        var text = UnicodeScalarView()
        for scalar in inNFC.unicodeScalars {
            if let form = scalar.compatibilityForm {
                text.append(contentsOf: form.unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text).inNFC
    }
}
