// Random stalls: single cycles with a probability, and long runs that start with another probability.
#pragma once
#include <cstdint>

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    // splitmix64: full period, any seed will do.
    uint64_t next() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    bool chance(uint64_t of_two_to_32) { return (next() >> 32) < of_two_to_32; }

private:
    uint64_t state_;
};

struct StallPattern {
    uint64_t single = 0;  // probability times 2^32
    uint64_t burst = 0;   // probability times 2^32 that a run starts
    uint64_t shortest = 1, longest = 1;
    uint64_t wait_for_valid = 0;  // outputs: ready rises only after valid was seen
    uint64_t seed = 0;
};

class Stall {
public:
    explicit Stall(const StallPattern& pattern)
        : pattern_(pattern), random_(pattern.seed), never_(!pattern.single && !pattern.burst) {}

    // One decision; call it once for each cycle in which a transfer would be possible.
    bool now() {
        if (never_) return false;
        if (left_) return --left_, true;
        if (pattern_.burst && random_.chance(pattern_.burst)) {
            left_ = pattern_.shortest - 1 + random_.next() % (pattern_.longest - pattern_.shortest + 1);
            return true;
        }
        return random_.chance(pattern_.single);
    }

private:
    StallPattern pattern_;
    Random random_;
    uint64_t left_ = 0;
    bool never_;
};
