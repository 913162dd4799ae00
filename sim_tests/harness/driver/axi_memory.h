// A memory behind a manager port: bursts in order, a beat a cycle, with latency, stalls, errors.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "axi_burst.h"
#include "axi_wires.h"
#include "stall.h"

enum class WriteOrder { any, address_first, data_first };

// Bytes `first` .. `last` answer with an error.
struct ErrorRange {
    uint64_t first, last;
    int response;
};

struct MemorySettings {
    // Cycles from the edge that accepts AR to the first one at which R may be accepted; from the edge that accepts the
    // last of AW and W to B. Jitter adds 0 .. jitter cycles.
    uint64_t read_latency = 1, read_jitter = 0, write_latency = 1, write_jitter = 0;
    uint64_t outstanding = 8;  // bursts accepted and not yet answered, reads and writes each
    WriteOrder order = WriteOrder::any;
    bool hold_reads = false, hold_writes = false;  // no new R, no new B
    uint64_t seed = 1;
    StallPattern stalls[kinds];
    std::vector<ErrorRange> errors;
};

struct MemoryCounters {
    uint64_t read_bursts = 0, read_beats = 0, read_bytes = 0, write_bursts = 0, write_beats = 0, write_bytes = 0;
    uint64_t read_waits = 0;   // cycles in which R was offered and not taken
    uint64_t write_waits = 0;  // cycles in which W was offered and not taken
    uint64_t most_reads = 0, most_writes = 0;  // accepted and not yet answered at once
    uint64_t errors = 0;       // answers other than OKAY
};

class AxiMemory {
public:
    AxiMemory(AxiPort& port, uint8_t* bytes, uint64_t size, uint64_t base);

    void configure(const MemorySettings& settings);
    void drive(int64_t cycle, bool reset);  // sets the wires for edge `cycle`
    void sample(int64_t cycle);             // takes what is transferred at edge `cycle`

    MemoryCounters counters;
    uint64_t reads() const { return reads_.size(); }
    uint64_t writes() const { return writes_.size(); }

private:
    struct Read {
        Burst burst;
        int64_t ready;      // first cycle of its data
        uint32_t beat = 0;  // next one
    };
    struct Write {
        Burst burst;
        uint64_t end;        // number of W beats, of all writes, with which it is complete
        int64_t ready = -1;  // first cycle of its response, known when it is complete
    };
    struct Data {
        uint64_t strobes;
        uint8_t bytes[64];
    };

    AxiPort& port_;
    uint8_t* bytes_;
    uint64_t size_, base_;
    MemorySettings settings_;
    std::vector<Stall> stalls_;
    Random random_{1};
    std::deque<Read> reads_;
    std::deque<Write> writes_;
    std::deque<Data> data_;        // W beats not yet in memory
    uint64_t arrived_ = 0;         // W beats
    uint64_t addressed_ = 0;       // W beats that accepted AWs ask for
    bool open_[kinds] = {};        // AR, AW, W: valid was seen; R, B: offered
    bool noisy_[kinds] = {};       // R, B: the payload is noise already

    bool room(int kind) const;
    void offer(int kind, bool now);
    void offer_read();
    void offer_response();
    int response(const Beat& beat) const;
    int store(const Write& write);
    void scramble(int kind);
    int64_t later(int64_t cycle, uint64_t latency, uint64_t jitter);
};
