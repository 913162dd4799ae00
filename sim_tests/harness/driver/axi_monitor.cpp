#include "axi_monitor.h"

#include <algorithm>
#include <cstdio>

namespace {
std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string told(const Burst& b) {
    return "address " + hex(b.address) + ", " + std::to_string(b.length) + " beats of " + std::to_string(b.bytes) +
           " bytes, burst type " + std::to_string(b.type);
}

// Which beat of a transaction it is.
std::string told(uint32_t beat, uint32_t length) {
    return "beat " + std::to_string(beat) + " of " + std::to_string(length);
}

bool power_of_2(uint64_t value) { return value && !(value & (value - 1)); }
}  // namespace

AxiMonitor::AxiMonitor(const AxiPort& port, std::vector<Violation>& found) : port_(port), found_(found) {
    for (int kind = 0; kind < kinds; ++kind) held_[kind].resize(port.channels[kind].wires.words);
}

// A synchronous reset works at its first edge, so the levels before that edge may still be any.
void AxiMonitor::in_reset() {
    if (++reset_edges_ > 1)
        for (int kind = 0; kind < kinds; ++kind) check(rule_reset_low, kind, !port_.channels[kind].valid());
    std::fill(open_, open_ + kinds, false);
    reads_.clear();
    writes_.clear();
    early_.clear();
    exclusive_.clear();
}

bool AxiMonitor::offered(int kind) {
    const Channel& c = port_.channels[kind];
    const bool valid = c.valid(), again = open_[kind];
    if (again) {
        check(rule_valid_stays, kind, valid);
        if (valid) check(rule_payload_stable, kind, !std::memcmp(held_[kind].data(), c.wires.payload, c.payload_bytes()));
    }
    open_[kind] = valid && !c.ready();
    if (valid && !again && open_[kind]) std::memcpy(held_[kind].data(), c.wires.payload, c.payload_bytes());
    return valid && !again;
}

void AxiMonitor::step(int64_t cycle, bool reset) {
    cycle_ = cycle;
    if (!sized_ && port_.lite) check(rule_lite_bus, AW, port_.bus_bytes == 4 || port_.bus_bytes == 8);
    sized_ = true;
    if (reset) return in_reset();
    if (reset_edges_) {
        for (const int kind : {AW, W, AR}) check(rule_reset_end, kind, !port_.channels[kind].valid());
        reset_edges_ = 0;
    }
    // Answers first: what is transferred at this edge is answered after it at the earliest.
    const Channel* c = port_.channels;
    if (offered(R)) read_data();
    if (offered(B)) response();
    if (offered(AR)) address(AR);
    if (offered(AW)) address(AW);
    offered(W);

    if (c[R].valid() && c[R].ready())
        if (Transfer* t = waiting(reads_, R)) {
            if (++t->done == t->burst.length || c[R].get(last)) reads_.erase(reads_.begin() + (t - reads_.data()));
        }
    if (c[B].valid() && c[B].ready())
        if (Transfer* t = waiting(writes_, B)) {
            if (t->complete) writes_.erase(writes_.begin() + (t - writes_.data()));
        }
    if (c[AR].valid() && c[AR].ready()) {
        const Burst b = burst_of(c[AR], port_.bus_bytes);
        reads_.push_back({b});
        if (b.exclusive) exclusive_[b.id] = b;
    }
    if (c[AW].valid() && c[AW].ready()) {
        writes_.push_back({burst_of(c[AW], port_.bus_bytes)});
        while (!early_.empty() && !writes_.back().complete) {
            match(early_.front());
            early_.pop_front();
        }
    }
    if (c[W].valid() && c[W].ready()) {
        const Data beat{c[W].get(strb), c[W].has(last) ? c[W].get(last) != 0 : true};
        if (!writes_.empty() && !writes_.back().complete) match(beat);
        else early_.push_back(beat);
    }
}

void AxiMonitor::address(int kind) {
    const Channel& c = port_.channels[kind];
    if (port_.lite) return;
    const Burst b = burst_of(c, port_.bus_bytes);
    const auto detail = [&] { return told(b); };
    check(rule_burst_reserved, kind, b.type != 3, detail);
    check(rule_size_bus, kind, b.bytes <= b.bus, detail);
    if (b.type == INCR) {
        const uint64_t end = b.aligned() + static_cast<uint64_t>(b.length) * b.bytes - 1;
        check(rule_page, kind, b.address >> 12 == end >> 12, detail);
    } else if (b.type == WRAP) {
        check(rule_wrap_length, kind, b.length > 1 && b.length <= 16 && power_of_2(b.length), detail);
        check(rule_wrap_aligned, kind, b.address == b.aligned(), detail);
    } else if (b.type == FIXED) {
        check(rule_fixed_length, kind, b.length <= 16, detail);
    }
    // Allocation is only for what may be modified.
    if (c.has(cache)) check(rule_cache_reserved, kind, (c.get(cache) & 2) || !(c.get(cache) >> 2));
    if (b.exclusive) exclusive(kind, b);
}

void AxiMonitor::exclusive(int kind, const Burst& b) {
    const uint64_t bytes = static_cast<uint64_t>(b.length) * b.bytes;
    const auto detail = [&] { return told(b); };
    check(rule_exclusive_bytes, kind, power_of_2(bytes) && bytes <= 128, detail);
    check(rule_exclusive_aligned, kind, b.address % bytes == 0, detail);
    check(rule_exclusive_length, kind, b.length <= 16, detail);
    if (kind != AW) return;
    const auto reads = [&](const Transfer& t) { return t.burst.exclusive && t.burst.id == b.id; };
    check(rule_exclusive_order, kind, std::none_of(reads_.begin(), reads_.end(), reads));
    const auto read = exclusive_.find(b.id);
    if (read == exclusive_.end()) return;
    const Burst& r = read->second;
    const bool same = r.address == b.address && r.length == b.length && r.bytes == b.bytes && r.type == b.type;
    check(rule_exclusive_pair, kind, same, detail);
}

// Write data belongs to the oldest write that lacks some.
void AxiMonitor::match(const Data& beat) {
    auto write = std::find_if(writes_.begin(), writes_.end(), [](const Transfer& t) { return !t.complete; });
    const bool end = write->done + 1 == write->burst.length;
    const auto place = [&] { return told(write->done, write->burst.length); };
    if (!port_.lite) {
        if (end) check(rule_wlast_set, W, beat.last, place);
        else check(rule_w_beats, W, !beat.last, place);
        const uint64_t lanes = write->burst.beat(write->done).strobes();
        check(rule_strobe_lanes, W, !(beat.strobes & ~lanes),
              [&] { return told(write->done, write->burst.length) + ": strobes " + hex(beat.strobes) + ", lanes " + hex(lanes); });
    }
    ++write->done;
    write->complete = end || beat.last;
}

// The oldest transfer to which what R or B offers can belong.
AxiMonitor::Transfer* AxiMonitor::waiting(std::vector<Transfer>& all, int kind) {
    const auto wanted = static_cast<uint32_t>(port_.channels[kind].get(id));
    const auto it = std::find_if(all.begin(), all.end(), [&](const Transfer& t) { return t.burst.id == wanted; });
    return it == all.end() ? nullptr : &*it;
}

void AxiMonitor::answered(int kind, const Transfer& transfer) {
    const bool exokay = port_.channels[kind].get(resp) == EXOKAY;
    if (port_.lite) check(rule_lite_exokay, kind, !exokay);
    else check(rule_exokay, kind, !exokay || transfer.burst.exclusive);
}

void AxiMonitor::read_data() {
    const Transfer* t = waiting(reads_, R);
    check(rule_r_after_ar, R, !reads_.empty());
    if (!reads_.empty() && port_.channels[R].has(id)) check(rule_r_id, R, t != nullptr);
    if (!t) return;
    answered(R, *t);
    if (port_.lite) return;
    const bool ends = port_.channels[R].get(last) != 0, end = t->done + 1 == t->burst.length;
    const auto place = [&] { return told(t->done, t->burst.length); };
    if (end) check(rule_rlast_set, R, ends, place);
    else check(rule_r_beats, R, !ends, place);
}

void AxiMonitor::response() {
    const Transfer* t = waiting(writes_, B);
    check(rule_b_after_aw, B, !writes_.empty());
    if (!writes_.empty() && port_.channels[B].has(id)) check(rule_b_id, B, t != nullptr);
    if (!t) return;
    check(rule_b_after_w, B, t->complete);
    answered(B, *t);
}
