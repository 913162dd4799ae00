// Watches one AXI port for breaches of the rules, whichever side commits them.
#pragma once
#include <deque>
#include <map>
#include <vector>

#include "axi_burst.h"
#include "axi_rules.h"
#include "axi_wires.h"

class AxiMonitor {
public:
    // Breaches are added to `found`, of which no more than `most` are kept.
    AxiMonitor(const AxiPort& port, std::vector<Violation>& found);

    // Looks at the wires as they are just before rising edge `cycle`.
    void step(int64_t cycle, bool reset);

    // How often each rule could have been broken.
    uint64_t tried[axi_rules] = {};

    static constexpr size_t most = 1000;

private:
    struct Transfer {
        Burst burst;
        uint32_t done = 0;      // beats that were transferred
        bool complete = false;  // writes: all of them
    };
    struct Data {
        uint64_t strobes;
        bool last;
    };

    const AxiPort& port_;
    std::vector<Violation>& found_;
    int64_t cycle_ = 0;
    int64_t reset_edges_ = 0;  // so far in this reset
    bool sized_ = false;
    bool open_[kinds] = {};             // valid waited for ready at the last edge
    std::vector<uint32_t> held_[kinds];  // its payload
    std::vector<Transfer> reads_, writes_;
    std::deque<Data> early_;  // W beats whose AW was not accepted yet
    std::map<uint32_t, Burst> exclusive_;  // last exclusive read of each ID

    void in_reset();
    bool offered(int kind);  // a new beat; also checks the handshake
    template <class Detail>  // what makes the text, called only for a breach
    void check(AxiRule rule, int kind, bool holds, Detail detail) {
        ++tried[rule];
        if (!holds && found_.size() < most) found_.push_back({cycle_, rule, kind, port_.name, detail()});
    }
    void check(AxiRule rule, int kind, bool holds) {
        check(rule, kind, holds, [] { return std::string(); });
    }
    void address(int kind);
    void exclusive(int kind, const Burst& b);
    void read_data();
    void response();
    void match(const Data& beat);
    Transfer* waiting(std::vector<Transfer>& all, int kind);
    void answered(int kind, const Transfer& transfer);
};
