#include "axis_monitor.h"

#include "axi_monitor.h"

void AxisMonitor::check(AxiRule rule, bool holds) {
    ++tried[rule];
    if (!holds && found_.size() < AxiMonitor::most) found_.push_back({cycle_, rule, stream_kind, port_.name, ""});
}

void AxisMonitor::step(int64_t cycle, bool reset) {
    cycle_ = cycle;
    const bool valid = port_.valid();
    if (reset) {
        // A synchronous reset works at its first edge, so the levels before that edge may still be any.
        if (++reset_edges_ > 1) check(rule_t_reset_low, !valid);
        open_ = false;
        return;
    }
    if (reset_edges_) check(rule_t_reset_end, !valid);
    reset_edges_ = 0;
    if (open_) {
        check(rule_t_valid_stays, valid);
        if (valid) check(rule_t_payload_stable, !std::memcmp(held_.data(), port_.wires.payload, port_.payload_bytes()));
    }
    const bool fresh = valid && !open_;
    open_ = valid && !port_.ready();
    if (open_) std::memcpy(held_.data(), port_.wires.payload, port_.payload_bytes());
    if (!fresh || !packets) return;
    const uint64_t keep = port_.keep(), all = port_.bytes == 64 ? ~0ull : (1ull << port_.bytes) - 1;
    if (!port_.last()) check(rule_t_keep_full, keep == all);
    else check(rule_t_keep_low, !(keep & (keep + 1)));
    check(rule_t_keep_some, keep != 0);
}
