extension SocketAddress {
    /// True for an address of the public Internet: globally reachable by IANA's registries of
    /// special-purpose addresses (RFC 6890), and not one at which a provider of machines serves
    /// their metadata.
    ///
    /// Requests to an address that a third party chose, as in a URL or a DNS record, are only sent
    /// to these: everything else may be a service of this machine or of its network. Of IPv6, only
    /// global unicast counts (2000::/3), and translated IPv4 (64:ff9b::/96) if the IPv4 address
    /// does. Tunnels that contain IPv4 addresses (6to4, Teredo) never count.
    public var isPublic: Bool {
        guard let octets = networkOctets else { return false }
        if octets.count == 4 { return !SpecialNetworks.v4.contains(self) }
        if SpecialNetworks.translated.contains(self) {
            return SocketAddress.v4(Array(octets[12...]), port: port).isPublic
        }
        return SpecialNetworks.global.contains(self) && !SpecialNetworks.v6.contains(self)
    }
}

/// The networks whose addresses are not those of public services.
private enum SpecialNetworks {
    /// IANA IPv4 Special-Purpose Address Registry, multicast, and Azure's platform address, which
    /// looks like a public one.
    static let v4 = list([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16",
    ])

    /// Global unicast (RFC 4291 §2.4), as far as it is assigned.
    static let global = list(["2000::/3"])

    /// The part of IANA's IPv6 Special-Purpose Address Registry that is in 2000::/3: protocol
    /// assignments with Teredo, documentation, 6to4, and the nameservers of AS112.
    static let v6 = list([
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    ])

    /// IPv4 addresses behind a translator (RFC 6052 §2.1).
    static let translated = list(["64:ff9b::/96"])

    private static func list(_ networks: [String]) -> NetworkList {
        var list = NetworkList()
        for network in networks {
            precondition(list.add(network), "programmer error: \(network) is not a network")
        }
        return list
    }
}
