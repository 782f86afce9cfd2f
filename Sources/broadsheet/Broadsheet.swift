@main
struct Broadsheet {
    static func main() {
        print("broadsheet")
    }
}
