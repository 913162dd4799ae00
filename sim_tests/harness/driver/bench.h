// Runs a script on a design, cycle by cycle.
//
// Cycle t is rising edge t; edge 0 is the first with reset low, the edges before it are negative. Within a cycle:
//   1. just after edge t-1: inputs and readies for edge t are set, from what was transferred up to edge t-1;
//   2. the clock falls, the design settles, and just before edge t every output is sampled;
//   3. a beat whose valid and ready are both high is transferred at edge t; then the clock rises.
// While reset is high the driver offers nothing, accepts nothing and checks nothing.
#pragma once
#include <chrono>
#include <cstdint>
#include <vector>

#include "design.h"
#include "script.h"
#include "stall.h"

enum class Outcome : int64_t {
    passed = 0,
    valid_withdrawn = 1,
    payload_changed = 2,
    unexpected_beat = 3,
    nonzero_output = 4,
    deadlock = 5,
    cycle_limit = 6,
    design_finished = 7,
};

struct StreamState {
    StreamState(const StreamWires& wires, const StreamScript& script, uint64_t noise_seed);

    StreamWires wires;
    const StreamScript& script;
    Stall stall;
    Random noise;
    size_t condition = 0;     // first one that concerns the next beat
    int64_t count = 0;        // transferred beats
    bool open = false;        // a beat was offered and not yet accepted
    bool waiting = false;     // input: the next beat's conditions do not hold
    bool valid = false, ready = false;  // as last sampled
    int64_t stalled = 0, waited = 0, refused = 0;
    std::vector<int64_t> accepted, offered, wall;
    std::vector<uint32_t> payload;  // of outputs
    std::vector<uint32_t> held;     // the offered beat

    bool complete() const { return script.beats < 0 || count >= script.beats; }
    bool fits(int64_t cycle, const std::vector<StreamState>& all, bool& clock_only) const;
    void accept(int64_t cycle, int64_t now);
    void scramble();
};

class Bench {
public:
    Bench(Design& design, const Script& script);
    void trace(const char* file, int64_t first, int64_t last);
    Outcome run();

    std::vector<StreamState> streams;
    int64_t culprit = -1;      // index of the stream or plain wire that ended the run
    int64_t cycle = 0;         // cycle in which the run ended
    int64_t nanoseconds = 0;   // wall time of the loop

private:
    Design& design_;
    const Script& script_;
    bool tracing_ = false;
    int64_t first_traced_ = 0, last_traced_ = 0;
    int64_t progress_ = 0;     // last cycle with a transfer, or in which one was put off on purpose
    int64_t last_ = -1;        // last cycle to run, known when all transfers are done
    std::chrono::steady_clock::time_point start_;

    bool in_reset() const;
    void drive(bool reset);
    Outcome sample();
    Outcome sample_output(StreamState& stream, int64_t& now);
    bool over(Outcome& outcome);
    void dump(int64_t offset);
    int64_t elapsed() const;
};
