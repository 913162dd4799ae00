// The run script: everything a run does, decided beforehand and written by the Python side.
// The file is a sequence of 64-bit little-endian words; payloads are 32-bit words, padded to 64 bits.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "design.h"
#include "stall.h"

// A beat waits until `source` (a stream, or -1 for the cycle number) has reached `count`.
struct Condition {
    int64_t beat, source, count;
};

struct StreamScript {
    StallPattern stall;
    int64_t beats = 0;  // inputs: to be sent; outputs: expected, -1 for any number
    std::vector<Condition> conditions;
    const uint32_t* payload = nullptr;
};

struct ResetPulse {
    int64_t cycle, length;
};

struct Script {
    int64_t seed = 1, reset_cycles = 0, linger = 0, quiet_limit = 0, cycle_limit = 0;
    std::vector<ResetPulse> pulses;
    std::vector<StreamScript> streams;
    std::vector<const uint32_t*> constants;  // one for each plain wire, null where it is an output

    // Reads the file; the design says how many streams and words there are. Returns "" or what is wrong with it.
    std::string load(const char* file);
    std::string fit(const Design& design);

private:
    std::vector<uint64_t> words_;
    size_t at_ = 0;
    uint64_t interface_id_ = 0;
    bool take(int64_t& value);
    bool take(uint64_t& value);
    const uint32_t* take_payload(uint64_t words);
};
