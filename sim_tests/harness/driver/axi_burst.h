// Addresses and byte lanes of the beats of a burst, as A3.4.1 of the AXI specification defines them.
#pragma once
#include <cstdint>

#include "axi_wires.h"

enum BurstType { FIXED = 0, INCR = 1, WRAP = 2 };
enum Response { OKAY = 0, EXOKAY = 1, SLVERR = 2, DECERR = 3 };

// Bytes `address` .. `address + bytes - 1`, on the lanes from `lane` on.
struct Beat {
    uint64_t address;
    uint32_t bytes, lane;

    uint64_t strobes() const { return (bytes == 64 ? ~0ull : (1ull << bytes) - 1) << lane; }
};

struct Burst {
    uint64_t address = 0;
    uint32_t length = 1, bytes = 4, bus = 4;  // beats; bytes of a beat; bytes of the bus
    uint32_t type = INCR, id = 0;
    bool exclusive = false;

    uint64_t aligned() const { return address & ~static_cast<uint64_t>(bytes - 1); }

    Beat beat(uint32_t n) const {
        uint64_t at = address;
        if (type == WRAP) {
            const uint64_t total = static_cast<uint64_t>(bytes) * length, low = address / total * total;
            at += static_cast<uint64_t>(n) * bytes;
            if (at >= low + total) at -= total;
        } else if (type != FIXED && n) {
            at = aligned() + static_cast<uint64_t>(n) * bytes;
        }
        const uint32_t lanes = bytes < bus ? bytes : bus;
        const auto into = static_cast<uint32_t>(at & (lanes - 1));
        return {at, lanes - into, static_cast<uint32_t>(at & (bus - 1))};
    }
};

// What an address channel offers; a port without these signals asks for one beat of the bus's width.
inline Burst burst_of(const Channel& channel, uint32_t bus) {
    Burst b;
    b.bus = bus;
    b.address = channel.get(addr);
    b.length = static_cast<uint32_t>(channel.get(len)) + 1;
    b.bytes = channel.has(size) ? 1u << channel.get(size) : bus;
    b.type = channel.has(burst) ? static_cast<uint32_t>(channel.get(burst)) : uint32_t{INCR};
    b.id = static_cast<uint32_t>(channel.get(id));
    b.exclusive = channel.get(lock) != 0;
    return b;
}
