#include "axi_wires.h"

const char* kind_name(int kind) {
    static const char* const names[kinds + 1] = {"aw", "w", "b", "ar", "r", "t"};
    return names[kind];
}

void Channel::set(Role role, uint64_t value) {
    const Field f = fields[role];
    for (uint32_t done = 0; done < f.width;) {
        const uint32_t at = f.offset + done, shift = at % 32;
        const uint32_t bits = f.width - done < 32 - shift ? f.width - done : 32 - shift;
        const uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << shift;
        uint32_t& word = wires.payload[at / 32];
        word = (word & ~mask) | ((static_cast<uint32_t>(value >> done) << shift) & mask);
        done += bits;
    }
}

bool AxiPort::place(int kind, const std::string& role, uint32_t offset, uint32_t width) {
    static const char* const names[roles] = {"addr", "len", "size", "burst", "lock", "cache",
                                             "prot", "id",  "data", "strb",  "last", "resp"};
    for (int r = 0; r < roles; ++r) {
        if (role != names[r]) continue;
        channels[kind].fields[r] = {offset, width};
        if (r == data) bus_bytes = width / 8;
        return true;
    }
    return false;
}
