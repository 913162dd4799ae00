// Watches one AXI4-Stream port for breaches of the rules, whichever side commits them.
#pragma once
#include <vector>

#include "axi_rules.h"
#include "axis_wires.h"

class AxisMonitor {
public:
    // Breaches are added to `found`.
    AxisMonitor(const AxisPort& port, std::vector<Violation>& found)
        : port_(port), found_(found), held_(port.wires.words) {}

    // Looks at the wires as they are just before rising edge `cycle`.
    void step(int64_t cycle, bool reset);

    bool packets = true;  // whether rules of whole packets are watched; not where beats are spoilt on purpose

    // How often each rule could have been broken.
    uint64_t tried[axi_rules] = {};

private:
    const AxisPort& port_;
    std::vector<Violation>& found_;
    std::vector<uint32_t> held_;  // payload that waited for TREADY at the last edge
    bool open_ = false;
    int64_t cycle_ = 0, reset_edges_ = 0;

    void check(AxiRule rule, bool holds);
};
