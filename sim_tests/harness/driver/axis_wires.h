// An AXI4-Stream port: TDATA of whole bytes, TKEEP and TLAST, one behind the other in the payload of its stream.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

#include "design.h"

struct AxisPort {
    std::string name;
    uint32_t bytes = 4;  // of a beat
    StreamWires wires{};

    bool valid() const { return *wires.valid; }
    bool ready() const { return *wires.ready; }
    bool moves() const { return valid() && ready(); }
    // The host is little-endian.
    uint8_t* data() const { return reinterpret_cast<uint8_t*>(wires.payload); }
    uint64_t keep() const {
        uint64_t value = 0;
        for (uint32_t byte = 0; byte < bytes; ++byte) value |= static_cast<uint64_t>(bit(8 * bytes + byte)) << byte;
        return value;
    }
    bool last() const { return bit(9 * bytes); }
    void set(uint64_t keep, bool last) {
        for (uint32_t byte = 0; byte < bytes; ++byte) set_bit(8 * bytes + byte, keep >> byte & 1);
        set_bit(9 * bytes, last);
    }
    size_t payload_bytes() const { return wires.words * sizeof(uint32_t); }

private:
    bool bit(uint32_t at) const { return wires.payload[at / 32] >> (at % 32) & 1; }
    void set_bit(uint32_t at, bool value) {
        uint32_t& word = wires.payload[at / 32];
        word = (word & ~(1u << at % 32)) | static_cast<uint32_t>(value) << at % 32;
    }
};
