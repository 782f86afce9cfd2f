/// The letters without the marks over them: `é` is `e`, `ё` is `е`.
///
/// They are the first scalars of canonical decompositions (UAX #15), for lower-case letters of
/// Latin, Greek and Cyrillic; and letters with a stroke, and the dotless ı, which Unicode does not
/// decompose.
enum BaseLetters {
    /// The letter below the marks; the scalar itself if it has none, or is of another script.
    static func letter(_ scalar: Unicode.Scalar) -> Unicode.Scalar { bases[scalar] ?? scalar }

    private static let bases = Dictionary(
        uniqueKeysWithValues: table.flatMap { base, letters in
            letters.unicodeScalars.map { ($0, base) }
        })

    static let table: [(base: Unicode.Scalar, letters: String)] = [
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
        ("æ", "ǣǽ"),
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
        ("d", "đ"),
        ("h", "ħ"),
        ("i", "ı"),
        ("l", "ł"),
        ("o", "øǿ"),
        ("t", "ŧ"),
    ]
}
