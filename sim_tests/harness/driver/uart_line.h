// The far end of a UART's two wires, 8N1, with a clock of its own: a bit takes `period` 1/256 cycles.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

class UartLine {
public:
    uint64_t period = 256 * 16;   // of what is sent; what comes is read at the rate it was begun with
    uint64_t receive_period = 256 * 16;
    std::vector<uint8_t> received;
    uint64_t broken = 0;          // bytes without a stop bit, which are not in `received`

    void send(uint8_t byte);
    void hold(uint64_t cycles);   // the wire is 0 for so long, after what is to be sent before
    bool idle() const { return levels_.empty(); }

    bool drive();                 // the level of this cycle
    void sample(bool level);      // what the design gives in this cycle

private:
    struct Level {
        bool high;
        uint64_t lasts;           // 1/256 cycles
    };
    std::deque<Level> levels_;
    uint64_t spent_ = 0;          // of the first level
    int bit_ = -1;                // that comes next; -1: none has begun
    uint64_t left_ = 0;           // 1/256 cycles to its middle
    unsigned byte_ = 0;
    bool released_ = true;        // the wire has been 1 since the last byte
};
