// The five channels of an AXI port as fields of streams.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

#include "design.h"

enum Kind { AW, W, B, AR, R, kinds, stream_kind = kinds };  // the last: an AXI4-Stream
enum Role { addr, len, size, burst, lock, cache, prot, id, data, strb, last, resp, roles };

const char* kind_name(int kind);

// Place of a signal within the payload of its stream, in bits; width 0 if the port has no such signal.
struct Field {
    uint32_t offset = 0, width = 0;
};

struct Channel {
    StreamWires wires{};
    Field fields[roles];

    bool valid() const { return *wires.valid; }
    bool ready() const { return *wires.ready; }
    bool has(Role role) const { return fields[role].width != 0; }
    size_t payload_bytes() const { return wires.words * sizeof(uint32_t); }

    // Fields of up to 64 bits.
    uint64_t get(Role role) const {
        const Field f = fields[role];
        if (!f.width) return 0;
        const uint32_t* word = wires.payload + f.offset / 32;
        uint32_t got = 32 - f.offset % 32;
        uint64_t value = *word >> (f.offset % 32);
        for (; got < f.width; got += 32) value |= static_cast<uint64_t>(*++word) << got;
        return f.width == 64 ? value : value & ((1ull << f.width) - 1);
    }
    void set(Role role, uint64_t value);

    // Bytes of `data`, which begins at a whole byte; the host is little-endian.
    uint8_t* bytes() const { return reinterpret_cast<uint8_t*>(wires.payload) + fields[data].offset / 8; }
};

struct AxiPort {
    std::string name;  // empty if the design has no such port
    bool lite = false;
    uint32_t bus_bytes = 4;
    Channel channels[kinds];

    // A word of a channel's description: a role and its place. Returns whether there is such a role.
    bool place(int kind, const std::string& role, uint32_t offset, uint32_t width);
};
