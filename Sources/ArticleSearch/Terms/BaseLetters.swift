/// The letters without the marks over them: `é` is `e`, `ё` is `е`.
///
/// They are the first scalars of canonical decompositions (UAX #15), for lower-case letters of
/// Latin, Greek, Cyrillic, Arabic and Devanagari; and those that Unicode does not decompose:
/// letters with a stroke, the dotless ı, two letters in one, and letters of Arabic that are written
/// for each other.
enum BaseLetters {
    /// The letters below the marks; the scalar itself if it has none, or is of another script.
    static func letters(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] { bases[scalar] ?? [scalar] }

    private static let bases = Dictionary(
        uniqueKeysWithValues: table.flatMap { base, letters in
            letters.unicodeScalars.map { ($0, Array(base.unicodeScalars)) }
        })

    private static let table: [(base: String, letters: String)] = [
        ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
        ("b", "ḃḅḇ"),
        ("c", "çćĉċčḉ"),
        ("d", "ďḋḍḏḑḓ"),
        ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
        ("f", "ḟ"),
        ("g", "ĝğġģǧǵḡ"),
        ("h", "ĥȟḣḥḧḩḫẖ"),
        ("i", "ìíîïĩīĭįǐȉȋḭḯỉị"),
        ("j", "ĵǰ"),
        ("k", "ķǩḱḳḵ"),
        ("l", "ĺļľḷḹḻḽ"),
        ("m", "ḿṁṃ"),
        ("n", "ñńņňǹṅṇṉṋ"),
        ("o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
        ("p", "ṕṗ"),
        ("r", "ŕŗřȑȓṙṛṝṟ"),
        ("s", "śŝşšșṡṣṥṧṩ"),
        ("t", "ţťțṫṭṯṱẗ"),
        ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
        ("v", "ṽṿ"),
        ("w", "ŵẁẃẅẇẉẘ"),
        ("x", "ẋẍ"),
        ("y", "ýÿŷȳẏẙỳỵỷỹ"),
        ("z", "źżžẑẓẕ"),
        ("ſ", "ẛ"),
        ("ʒ", "ǯ"),
        ("α", "άἀἁἂἃἄἅἆἇὰᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
        ("ε", "έἐἑἒἓἔἕὲ"),
        ("η", "ήἠἡἢἣἤἥἦἧὴᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"),
        ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶῐῑῒῖῗ"),
        ("ο", "όὀὁὂὃὄὅὸ"),
        ("ρ", "ῤῥ"),
        ("υ", "ΰϋύὐὑὒὓὔὕὖὗὺῠῡῢῦῧ"),
        ("ω", "ώὠὡὢὣὤὥὦὧὼᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"),
        ("ϒ", "ϓϔ"),
        ("а", "ӑӓ"),
        ("г", "ѓ"),
        ("е", "ѐёӗ"),
        ("ж", "ӂӝ"),
        ("з", "ӟ"),
        ("и", "йѝӣӥ"),
        ("к", "ќ"),
        ("о", "ӧ"),
        ("у", "ўӯӱӳ"),
        ("ч", "ӵ"),
        ("ы", "ӹ"),
        ("э", "ӭ"),
        ("і", "ї"),
        ("ѵ", "ѷ"),
        ("ә", "ӛ"),
        ("ө", "ӫ"),
        ("d", "đð"),
        ("h", "ħ"),
        ("i", "ı"),
        ("l", "ł"),
        ("o", "øǿ"),
        ("t", "ŧ"),
        ("ae", "æǣǽ"),
        ("oe", "œ"),
        ("th", "þ"),
        // Alef with madda, hamza or wasla; waw and yeh with hamza; teh marbuta and other forms of
        // heh; alef maksura and other forms of yeh; and keheh.
        ("\u{627}", "\u{622}\u{623}\u{625}\u{671}"),
        ("\u{648}", "\u{624}"),
        ("\u{647}", "\u{629}\u{6C0}\u{6C1}\u{6C2}\u{6C3}\u{6D5}"),
        ("\u{64A}", "\u{626}\u{649}\u{6CC}\u{6D2}\u{6D3}"),
        ("\u{643}", "\u{6A9}"),
        // Devanagari with a nukta that NFC joins to its letter.
        ("\u{928}", "\u{929}"),
        ("\u{930}", "\u{931}"),
        ("\u{933}", "\u{934}"),
    ]
}
