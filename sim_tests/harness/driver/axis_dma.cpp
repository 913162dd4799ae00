#include "axis_dma.h"

#include <algorithm>

AxisDma::AxisDma(AxisPort* const ports[axis_roles], uint8_t* bytes, uint64_t size, uint64_t base)
    : bytes_(bytes), size_(size), base_(base) {
    std::copy(ports, ports + axis_roles, ports_);
    configure({});
}

void AxisDma::configure(const AxisSettings& settings) {
    settings_ = settings;
    random_ = Random(settings.seed);
    stalls_.clear();
    for (const auto& pattern : settings.stalls) stalls_.emplace_back(pattern);
}

void AxisDma::clear(int role) {
    queues_[role].clear();
    ahead_[role].clear();
    at_[role] = 0;
}

// An offered beat may not be taken back; it is the last that is sent of its packet.
void AxisDma::forget() {
    for (int role = 0; role < axis_roles; ++role) {
        clear(role);
        orphan_[role] = role != axis_store && open_[role];
    }
    coming_.clear();
}

void AxisDma::drive(int64_t cycle, bool reset) {
    for (; !arriving_.empty() && arriving_.front().from <= cycle; arriving_.pop_front(), ++in_memory_)
        write(arriving_.front());
    if (reset) coming_.clear();
    for (int role = 0; role < axis_roles; ++role) {
        if (!ports_[role]) continue;
        StreamWires& wires = ports_[role]->wires;
        if (reset) {
            clear(role);
            open_[role] = orphan_[role] = false;
            *(wires.input ? wires.valid : wires.ready) = 0;
        } else if (!wires.input) {
            const bool shy = settings_.stalls[role].wait_for_valid && !open_[role];
            *wires.ready = !stalls_[role].now() && !shy;
        } else if (!open_[role]) {
            offer(role, cycle);
        }
    }
}

// Packets are read as early as they may be.
void AxisDma::offer(int role, int64_t cycle) {
    AxisPort& port = *ports_[role];
    auto& queue = queues_[role];
    auto& ahead = ahead_[role];
    for (size_t at = ahead.size(); at < queue.size() && at < most_ahead && queue[at].after <= in_memory_; ++at)
        ahead.push_back({cycle + static_cast<int64_t>(settings_.latency), read(queue[at]), {}});
    scramble(role);
    const bool held = role == axis_load && settings_.hold && !at_[role];
    *port.wires.valid = open_[role] = !ahead.empty() && ahead.front().from <= cycle && !held && !stalls_[role].now();
    if (!open_[role]) return;
    const auto& data = ahead.front().data;
    const uint64_t left = data.size() - at_[role], count = std::min<uint64_t>(left, port.bytes);
    std::memcpy(port.data(), data.data() + at_[role], count);
    uint64_t keep = count == 64 ? ~0ull : (1ull << count) - 1;
    if (queue.front().hole == static_cast<int64_t>(at_[role] / port.bytes)) keep &= ~1ull;
    at_[role] += count;
    port.set(keep, count == left);
}

// A design must not look at what is not valid, nor at bytes that are not kept: it finds noise there.
void AxisDma::scramble(int role) {
    const StreamWires& wires = ports_[role]->wires;
    for (uint32_t word = 0; word < wires.words; ++word) wires.payload[word] = static_cast<uint32_t>(random_.next());
}

std::vector<uint8_t> AxisDma::read(const AxisPacket& packet) const {
    std::vector<uint8_t> to;
    to.reserve(packet.size());
    for (const auto& piece : packet.pieces) {
        const size_t start = to.size();
        to.resize(start + piece.size);
        if (piece.filling) {
            for (uint64_t i = 0; i < piece.size; ++i)
                to[start + i] = static_cast<uint8_t>(piece.value >> 8 * (i % piece.width));
        } else if (piece.address >= base_ && piece.address - base_ + piece.size <= size_) {
            std::memcpy(to.data() + start, bytes_ + (piece.address - base_), piece.size);
        }
    }
    to.resize(static_cast<size_t>(std::max<int64_t>(1, static_cast<int64_t>(to.size()) + packet.longer)));
    return to;
}

void AxisDma::write(const Moved& moved) {
    uint64_t start = 0;
    for (const auto& piece : moved.packet.pieces) {
        const uint64_t there = moved.data.size() > start ? std::min<uint64_t>(piece.size, moved.data.size() - start) : 0;
        if (!piece.filling && piece.address >= base_ && piece.address - base_ + there <= size_)
            std::memcpy(bytes_ + (piece.address - base_), moved.data.data() + start, there);
        start += piece.size;
    }
}

void AxisDma::sample(int64_t cycle) {
    for (const int role : {axis_program, axis_load}) {
        if (!ports_[role] || !ports_[role]->moves()) continue;
        ++beats[role];
        open_[role] = false;
        if (orphan_[role] || !ports_[role]->last()) {
            orphan_[role] = false;
            continue;
        }
        ++done[role];
        at_[role] = 0;
        queues_[role].pop_front();
        ahead_[role].pop_front();
    }
    if (!ports_[axis_store]) return;
    open_[axis_store] = ports_[axis_store]->valid() && !ports_[axis_store]->ready();
    if (ports_[axis_store]->moves()) take(cycle);
}

void AxisDma::take(int64_t cycle) {
    const AxisPort& port = *ports_[axis_store];
    ++beats[axis_store];
    const uint64_t keep = port.keep();
    for (uint32_t byte = 0; byte < port.bytes; ++byte)
        if (keep >> byte & 1) coming_.push_back(port.data()[byte]);
    if (!port.last()) return;
    ++done[axis_store];
    sizes.push_back(coming_.size());
    auto& queue = queues_[axis_store];
    if (queue.empty()) {
        ++surplus;
    } else {
        arriving_.push_back({cycle + static_cast<int64_t>(settings_.latency), coming_, queue.front()});
        queue.pop_front();
    }
    coming_.clear();
}
