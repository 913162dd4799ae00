// Plays a DMA between a memory and AXI4-Stream ports: sends packets out of memory, puts those that come into it.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "axis_wires.h"
#include "stall.h"

enum AxisRole { axis_program, axis_load, axis_store, axis_roles };

// `size` bytes of memory from `address` on; or, where it is `filling`, values of `width` bytes, each `value`.
struct AxisPiece {
    bool filling;
    uint64_t address, size;
    uint32_t width = 1;
    uint64_t value = 0;
};

struct AxisPacket {
    std::vector<AxisPiece> pieces;
    uint64_t after = 0;    // packets that must have come, and be in memory, before this one is read there
    int64_t longer = 0;    // bytes that are sent too much, or, negative, too few
    int64_t hole = -1;     // beat without its lowest byte

    uint64_t size() const {
        uint64_t total = 0;
        for (const auto& piece : pieces) total += piece.size;
        return total;
    }
};

struct AxisSettings {
    // Cycles from when a packet can be read to its first beat; from its last beat to when it is in memory.
    uint64_t latency = 1;
    bool hold = false;  // sends no load
    uint64_t seed = 1;
    StallPattern stalls[axis_roles];
};

class AxisDma {
public:
    AxisDma(AxisPort* const ports[axis_roles], uint8_t* bytes, uint64_t size, uint64_t base);

    void configure(const AxisSettings& settings);
    void add(int role, const AxisPacket& packet) { queues_[role].push_back(packet); }
    void begin() { in_memory_ = 0; }  // a run: packets that come are counted anew
    // Forgets packets that have not begun, and what is left of one that has, but for a beat that is offered.
    void forget();
    void drive(int64_t cycle, bool reset);
    void sample(int64_t cycle);

    uint64_t done[axis_roles] = {};           // packets that were moved
    uint64_t beats[axis_roles] = {};
    std::vector<uint64_t> sizes;              // bytes of those that came
    uint64_t surplus = 0;                     // of these, packets that nobody waited for
    uint64_t waiting(int role) const { return queues_[role].size(); }
    uint64_t arriving() const { return arriving_.size(); }  // packets that have come and are not in memory yet

private:
    AxisPort* ports_[axis_roles];
    uint8_t* bytes_;
    uint64_t size_, base_;
    AxisSettings settings_;
    std::vector<Stall> stalls_;
    Random random_{1};
    struct Moved {
        int64_t from;  // first cycle in which it can be sent, or is in memory
        std::vector<uint8_t> data;
        AxisPacket packet;
    };
    static constexpr size_t most_ahead = 16;  // packets that are read before they are sent

    std::deque<AxisPacket> queues_[axis_roles];
    std::deque<Moved> ahead_[axis_roles];  // what was read of the first packets of a queue
    std::deque<Moved> arriving_;
    std::vector<uint8_t> coming_;
    uint64_t at_[axis_roles] = {};  // bytes of the first packet that were offered
    bool open_[axis_roles] = {}, orphan_[axis_roles] = {};  // a beat is offered; its packet is forgotten
    uint64_t in_memory_ = 0;

    void offer(int role, int64_t cycle);
    std::vector<uint8_t> read(const AxisPacket& packet) const;
    void write(const Moved& moved);
    void take(int64_t cycle);
    void scramble(int role);
    void clear(int role);
};
