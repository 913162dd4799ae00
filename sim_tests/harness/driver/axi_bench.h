// Runs a design with AXI ports, cycle by cycle: a memory behind its manager ports, accesses to its registers.
//
// Cycle t is rising edge t; edge 0 is the first with reset inactive. Within a cycle:
//   1. just after edge t-1: inputs for edge t are set, from what was transferred up to edge t-1;
//   2. the clock falls, the design settles, and just before edge t every output is sampled, every rule checked;
//   3. a beat whose valid and ready are both high is transferred at edge t; then the clock rises.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "axi_lite.h"
#include "axi_memory.h"
#include "axi_monitor.h"
#include "axi_wires.h"
#include "axis_dma.h"
#include "axis_monitor.h"
#include "design.h"

enum class Stop { none, violation, zero, finished };

class AxiBench {
public:
    explicit AxiBench(Design& design) : design_(design) {}

    // Before the first cycle. Each manager port has a way to the same bytes that behaves by itself.
    void add_memory(const AxiPort& port, uint8_t* bytes, uint64_t size, uint64_t base);
    void add_registers(const AxiPort& port, uint64_t seed);
    // Ports by `AxisRole`; those without a name are not there.
    void add_streams(const AxisPort ports[axis_roles], uint8_t* bytes, uint64_t size, uint64_t base);
    bool trace(const char* file);

    // One cycle. What stops a run is told once in every call until the caller gives up.
    Stop step(bool reset);

    int64_t cycle = 0;            // the next rising edge
    bool stops = true;            // at a breach of a rule
    const uint32_t* interrupt_wire = nullptr;
    bool interrupt = false;       // as sampled last
    int64_t interrupt_since = -1;  // edge at which it was first high in this stretch
    int64_t zero = -1;            // plain wire that is not zero

    std::vector<Violation> violations;
    std::vector<std::unique_ptr<AxiMemory>> memories;
    std::unique_ptr<AxiLite> registers;
    std::vector<std::unique_ptr<AxiMonitor>> monitors;
    std::unique_ptr<AxisDma> dma;
    std::vector<std::unique_ptr<AxisMonitor>> stream_monitors;

private:
    Design& design_;
    std::vector<std::unique_ptr<AxiPort>> ports_;
    std::vector<std::unique_ptr<AxisPort>> streams_;
    bool tracing_ = false;
    uint64_t time_ = 0;
    void dump(uint64_t offset);
    AxiPort& watch(const AxiPort& port);
};
