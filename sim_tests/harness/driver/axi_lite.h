// Reads and writes registers through an AXI4-Lite port, one at a time.
#pragma once
#include <cstdint>

#include "axi_memory.h"
#include "axi_wires.h"
#include "stall.h"

struct RegisterAccess {
    bool write = false;
    uint64_t address = 0, data = 0, strobes = 0;
    WriteOrder order = WriteOrder::any;  // `any`: AW and W at once; else the other follows `delay` cycles behind
    int64_t delay = 0;   // reads: cycles until AR
    int64_t patience = 0;  // cycles that an answer waits for ready
};

class AxiLite {
public:
    AxiLite(AxiPort& port, uint64_t seed) : port_(port), random_(seed) {}

    // Begins at edge `cycle`. There must be none under way.
    void begin(const RegisterAccess& access, int64_t cycle);
    bool busy() const { return busy_; }
    void drive(int64_t cycle, bool reset);
    void sample(int64_t cycle);

    int64_t data_edge = -1;  // edge at which W, or AR, was accepted
    int64_t end_edge = -1;   // edge at which B, or R, was accepted
    int response = 0;
    uint64_t data_read = 0;

private:
    AxiPort& port_;
    Random random_;
    RegisterAccess access_;
    bool busy_ = false, fresh_ = true;
    bool noisy_[kinds] = {};
    int64_t from_[kinds] = {};  // first cycle in which each channel is offered
    bool pending_[kinds] = {};  // not yet accepted
    int64_t seen_ = -1;         // edge at which the answer was first valid

    void offer(int kind, bool now);
};
