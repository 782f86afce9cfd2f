/// The words of dates, in lower case, as far as no language contradicts another one.
enum DateNames {
    /// The month or the weekday that a word names; both if languages differ.
    struct Meaning: Hashable {
        var month: Int?
        var isWeekday = false
        /// 0 for Sunday; `nil` if it may be several days.
        var weekday: Int?
    }

    /// `nil` if the word names neither.
    static func meaning(of word: String) -> Meaning? {
        let month = months[word] ?? wholeMonths[word] ?? monthOfStart(word)
        guard let weekday = weekdays[word] else {
            return month.flatMap { $0 == several ? nil : Meaning(month: $0) }
        }
        return Meaning(
            month: month == several ? nil : month, isWeekday: true,
            weekday: weekday == several ? nil : weekday)
    }

    /// Misspelled names begin right (`Febuary`).
    private static func monthOfStart(_ word: String) -> Int? {
        let start = String(word.prefix(3))
        return word.count > 3 && start != "mar" && weekdays[start] == nil
            ? english.firstIndex(of: start).map { $0 + 1 } : nil
    }

    static func half(_ word: String) -> ClockTime.Half? {
        switch word {
        case "am", "오전", "上午", "午前": .morning
        case "pm", "오후", "下午", "午後": .afternoon
        default: nil
        }
    }

    /// The endings of the number of a day.
    static let ordinals: Set<String> = ["st", "nd", "rd", "th", "er", "e", "º", "ª", "ste"]

    /// Words without a meaning of their own.
    static let fillers: Set<String> = endings.union([
        "at", "um", "à", "a", "às", "as", "om", "alle", "ore", "kl", "klo", "den", "der", "the",
        "le", "la", "el", "il", "d", "feira",
    ])
    /// Those that may follow a time.
    static let endings: Set<String> = [
        "de", "del", "of", "on", "г", "год", "года", "р", "року", "h", "hrs", "uhr",
    ]

    static let separators: Set<Unicode.Scalar> = [
        ".", ",", "-", "/", "–", "—", "|", "·", "'", "’", ";",
    ]

    // MARK: Names

    private static let several = -1
    private static let english = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static let months = starts(
        of: [
            "january february march april may june july august september october november december",
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
            "januar februar märz april mai juni juli august september oktober november dezember",
            "jänner feber maerz april mai juni juli august september oktober november dezember",
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
                + "diciembre",
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
                + "dicembre",
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
                + "dezembro",
            "januari februari maart april mei juni juli augustus september oktober november "
                + "december",
            "januari februari mars april maj juni juli augusti september oktober november december",
            "januar februar marts april maj juni juli august september oktober november december",
            "januar februar mars april mai juni juli august september oktober november desember",
            "januari februari maret april mei juni juli agustus september oktober november "
                + "desember",
            "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
            "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie "
                + "noiembrie decembrie",
            "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
            "január február március április május június július augusztus szeptember október "
                + "november december",
            "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
            "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
            "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου "
                + "οκτωβρίου νοεμβρίου δεκεμβρίου",
            "ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ",
        ], from: 1
    ).merging(english.enumerated().map { ($1, $0 + 1) }) { $1 }

    /// Names whose beginnings mean other months elsewhere. `listopada` is November in Polish, and
    /// October in Croatian.
    private static let wholeMonths = names(
        in: [
            "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta "
                + "elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
            "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października - "
                + "grudnia",
            "ledna února března dubna května června července srpna září října listopadu prosince",
            "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада "
                + "грудня",
            "- - mrt - - - - - setiembre - - -",
        ], from: 1)

    private static let weekdays = starts(
        of: [
            "sunday monday tuesday wednesday thursday friday saturday",
            "dimanche lundi mardi mercredi jeudi vendredi samedi",
            "sonntag montag dienstag mittwoch donnerstag freitag samstag",
            "domingo lunes martes miércoles jueves viernes sábado",
            "domingo lunes martes miercoles jueves viernes sabado",
            "domenica lunedì martedì mercoledì giovedì venerdì sabato",
            "domingo segunda terça quarta quinta sexta sábado",
            "zondag maandag dinsdag woensdag donderdag vrijdag zaterdag",
            "söndag måndag tisdag onsdag torsdag fredag lördag",
            "søndag mandag tirsdag onsdag torsdag fredag lørdag",
            "sunnuntaina maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina",
            "duminică luni marți miercuri joi vineri sâmbătă",
            "pazar pazartesi salı çarşamba perşembe cuma cumartesi",
            "minggu senin selasa rabu kamis jumat sabtu",
            "vasárnap hétfő kedd szerda csütörtök péntek szombat",
            "niedziela poniedziałek wtorek środa czwartek piątek sobota",
            "neděle pondělí úterý středa čtvrtek pátek sobota",
            "воскресенье понедельник вторник среда четверг пятница суббота",
            "неділя понеділок вівторок середа четвер п'ятниця субота",
            "κυριακή δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο",
        ], from: 0
    ).merging(
        names(
            in: [
                "- - - weds - - sonnabend", "so mo di mi do fr sa", "zo ma di wo do vr za",
                "вс пн вт ср чт пт сб", "нд пн вт ср чт пт сб", "κυρ δευ τρι τετ πεμ παρ σαβ",
                "星期日 星期一 星期二 星期三 星期四 星期五 星期六", "星期天 - - - - - -",
                "周日 周一 周二 周三 周四 周五 周六", "週日 週一 週二 週三 週四 週五 週六",
                "日曜日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日", "日 月 火 水 木 金 土",
                "일요일 월요일 화요일 수요일 목요일 금요일 토요일", "일 월 화 수 목 금 토",
            ], from: 0)
    ) { $1 }

    /// Returns the number of each name, which is its position in its list, counted from `first`;
    /// `-` stands for none.
    private static func names(in lists: [String], from first: Int) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for list in lists {
            for (index, name) in list.split(separator: " ").enumerated() where name != "-" {
                numbers[String(name)] = index + first
            }
        }
        return numbers
    }

    /// Returns the numbers of the names, and of their beginnings of three letters and more:
    /// `several` if they differ. A whole name takes precedence over the beginning of another one.
    private static func starts(of lists: [String], from first: Int) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (name, number) in lists.flatMap({ names(in: [$0], from: first) }) {
            for length in 3..<max(3, name.count) {
                let start = String(name.prefix(length))
                numbers[start] = numbers[start, default: number] == number ? number : several
            }
        }
        return numbers.merging(names(in: lists, from: first)) { $1 }
    }
}
