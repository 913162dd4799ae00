// What the driver sees of a compiled design: wires as arrays of 32-bit words, a clock, and evaluation.
#pragma once
#include <cstdint>
#include <vector>

// Payload words are little-endian, bit 0 first; bits above `bits` are zero on outputs and ignored on inputs.
// `valid` is null for a stream that has a beat in every cycle, `ready` for one that cannot be held up.
struct StreamWires {
    bool input;
    uint32_t words;
    uint32_t* payload;
    uint8_t* valid;
    uint8_t* ready;
};

enum class PlainKind { constant, sampled, must_stay_zero };

struct PlainWires {
    PlainKind kind;
    uint32_t words;
    uint32_t* data;
};

struct Design {
    uint64_t interface_id = 0;
    uint8_t* clock = nullptr;
    uint8_t* reset = nullptr;
    std::vector<StreamWires> streams;
    std::vector<PlainWires> plains;

    virtual ~Design() = default;
    virtual void evaluate() = 0;
    virtual bool finished() const = 0;       // the design called $finish or $stop
    virtual bool open_trace(const char* file) = 0;
    virtual void trace(uint64_t time, int64_t cycle) = 0;
};

// Defined by the file that is generated for each build.
Design* make_design(int seed);
