/// Queries as people type them, and the articles that they look for.
enum RecallQuery {
    static let all: [(text: String, wanted: [String])] = korean + english + mixed + mistyped

    private static let korean: [(text: String, wanted: [String])] = [
        ("구조체", ["structs"]), ("구조", ["structs"]), ("구조체 클래스", ["structs"]),
        ("구조체와클래스", ["structs"]), ("값 타입", ["structs"]), ("값타입", ["structs"]),
        ("순환참조", ["memory"]), ("순환 참조", ["memory"]), ("메모리 누수", ["memory"]),
        ("메모리누수", ["memory"]), ("메모리", ["memory", "lifecycle", "instruments"]),
        ("옵셔널", ["옵셔널"]), ("옵셔널바인딩", ["옵셔널"]), ("강제 추출", ["옵셔널"]),
        ("비동기", ["동시성"]), ("데이터 경쟁", ["actors"]), ("데이터경쟁", ["actors"]),
        ("액터", ["actors"]), ("제네릭", ["generics"]), ("프로토콜", ["generics"]),
        ("프로토콜지향", ["generics"]), ("컴파일러", ["컴파일러"]), ("타입 검사", ["컴파일러"]),
        ("뷰컨트롤러", ["lifecycle"]), ("뷰 컨트롤러", ["lifecycle"]),
        ("생명주기", ["lifecycle"]), ("화면전환", ["navigation", "lifecycle"]),
        ("화면 전환", ["navigation", "lifecycle"]), ("테이블 뷰", ["tableview"]),
        ("테이블뷰 셀", ["tableview"]), ("셀 재사용", ["tableview"]), ("다크모드", ["darkmode"]),
        ("푸시알림", ["push"]), ("푸시 알림", ["push"]), ("알림 권한", ["push"]),
        ("성능 측정", ["instruments"]), ("현지화", ["localization"]),
        ("심사 거절", ["appstore"]), ("정규 표현식", ["정규식"]), ("정규표현식", ["정규식"]),
        ("브랜치", ["git"]), ("김치", ["kimchi", "kimchistew"]), ("김치찌개", ["kimchistew"]),
        ("김치 찌개", ["kimchistew"]), ("배추 김치", ["kimchi"]), ("양념장", ["noodles"]),
        ("비빔밥", ["bibimbap"]), ("커피 온도", ["coffee"]), ("치즈 케이크", ["cheesecake"]),
        ("부산 여행", ["busan"]), ("부산여행", ["busan"]), ("한라산", ["jeju"]),
        ("서울 식당", ["seoulfood"]), ("캠핑 준비물", ["camping"]), ("비자 신청", ["visa"]),
        ("워킹 홀리데이", ["visa"]), ("회", ["busan"]), ("뷰컨", ["lifecycle"]),
        ("생명 주ㄱ", ["lifecycle"]), ("컨트로", ["lifecycle", "navigation"]),
        ("\"데이터 경쟁\"", ["actors"]), ("김치 -찌개", ["kimchi"]), ("喫茶店", ["tokyo"]),
        ("珈琲", ["tokyo"]), ("京都", ["kyoto"]),
    ]

    private static let english: [(text: String, wanted: [String])] = [
        ("optional", ["optionals"]), ("optionals", ["optionals"]), ("unwrap", ["optionals"]),
        ("task groups", ["concurrency"]), ("actor", ["concurrency", "actors"]),
        ("actors", ["concurrency", "actors"]), ("macro", ["swift59"]),
        ("5.9", ["swift59"]), ("swift 5.9", ["swift59"]), ("swift5.9", ["swift59"]),
        ("swift 6", ["swift6", "swift62"]), ("6.2", ["swift62"]), ("6.2.1", ["swift62"]),
        ("c++", ["cpp", "swift59"]), ("c++ swift", ["cpp", "swift59"]), ("c#", ["cpp"]),
        ("utf8", ["utf8"]), ("utf-8", ["utf8"]), ("typed throws", ["errors"]),
        ("packages", ["packages", "swift6"]), ("package", ["packages", "swift6"]),
        ("parameterized test", ["testing"]), ("xctest", ["testing"]), ("debian", ["linux"]),
        ("migration", ["coredata"]), ("core data", ["coredata"]), ("sqlite", ["sqlite"]),
        ("write-ahead log", ["sqlite"]), ("\"prepared statements\"", ["sqlite"]),
        ("keychain tokens", ["keychain"]), ("timeout", ["network"]),
        ("ios 17", ["widgets"]), ("ios17", ["widgets"]), ("widget", ["widgets"]),
        ("debounce", ["combine"]), ("email", ["email"]), ("e-mail", ["email"]),
        ("node.js", ["nodejs"]), ("docker", ["docker"]), ("voiceover", ["accessibility"]),
        ("sourdough", ["sourdough"]), ("rye bread", ["ryebread"]),
        ("\"rye flour\"", ["ryebread", "sourdough"]), ("rye -caraway", ["sourdough"]),
        ("crepe", ["crepes"]), ("crepes", ["crepes"]), ("CRÊPES", ["crepes"]),
        ("tomato", ["tomatoes"]), ("cherry tomato", ["tomatoes"]), ("knife", ["knives"]),
        ("sao paulo", ["saopaulo"]), ("pasteis", ["lisbon"]), ("kyoto garden", ["kyoto"]),
        ("night train", ["nighttrain"]), ("trains", ["nighttrain"]), ("airport", ["airports"]),
        ("budget trip", ["budget"]), ("dutch coast", ["bikes"]), ("bicycle", ["bikes"]),
        ("chickpea curry", ["curry"]), ("what's new", ["swift59"]),
    ]

    private static let mixed: [(text: String, wanted: [String])] = [
        ("swift 구조체", ["structs"]), ("weak 참조", ["memory"]), ("async 네트워크", ["동시성"]),
        ("async/await", ["동시성", "concurrency"]), ("ios 화면 전환", ["navigation", "lifecycle"]),
        ("app store 심사", ["appstore"]), ("appstore 심사", ["appstore"]),
        ("git 브랜치", ["git"]), ("guard let 옵셔널", ["옵셔널"]), ("cpu 메모리", ["instruments"]),
        ("actor 공유 상태", ["actors"]), ("swift 컴파일러", ["컴파일러"]),
        ("2박 3일", ["busan"]), ("92도", ["coffee"]),
        // As it is typed.
        ("conc", ["concurrency"]), ("struc", ["concurrency"]), ("sourd", ["sourdough"]),
        ("rye br", ["ryebread"]), ("keyc", ["keychain"]), ("l", ["lisbon"]),
        ("swift 5", ["swift59"]),
        ("async/aw", ["concurrency", "동시성"]), ("node.j", ["nodejs"]),
        ("accessib", ["accessibility"]),
        // With the marks of other languages.
        ("sqlite AND transactions", ["sqlite"]), ("sourdough*", ["sourdough"]),
        ("\"night trains", ["nighttrain"]), ("docker (image)", ["docker"]),
        ("keychain?", ["keychain"]),
    ]

    private static let mistyped: [(text: String, wanted: [String])] = [
        ("concurency", ["concurrency", "swift6"]), ("sourdogh", ["sourdough"]),
        ("optoinals", ["optionals"]),
        ("migratoin", ["coredata"]), ("accesibility", ["accessibility"]), ("debain", ["linux"]),
        ("tomatos", ["tomatoes"]), ("lisbom", ["lisbon"]), ("anmations", ["animations"]),
        ("keychian token", ["keychain"]), ("wigdets", ["widgets"]),
    ]
}
