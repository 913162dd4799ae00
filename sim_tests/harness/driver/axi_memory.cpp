#include "axi_memory.h"

#include <algorithm>
#include <cstring>

namespace {
constexpr uint64_t most_early = 512;  // W beats that are taken before their AW
}

AxiMemory::AxiMemory(AxiPort& port, uint8_t* bytes, uint64_t size, uint64_t base)
    : port_(port), bytes_(bytes), size_(size), base_(base) {
    configure({});
}

void AxiMemory::configure(const MemorySettings& settings) {
    settings_ = settings;
    random_ = Random(settings.seed);
    stalls_.clear();
    for (const auto& pattern : settings.stalls) stalls_.emplace_back(pattern);
}

int64_t AxiMemory::later(int64_t cycle, uint64_t latency, uint64_t jitter) {
    return cycle + static_cast<int64_t>(latency + (jitter ? random_.next() % (jitter + 1) : 0));
}

bool AxiMemory::room(int kind) const {
    if (kind == AR) return reads_.size() < settings_.outstanding;
    if (kind == AW)
        return writes_.size() < settings_.outstanding &&
               (settings_.order != WriteOrder::data_first || arrived_ > addressed_);
    if (arrived_ < addressed_) return true;
    return settings_.order != WriteOrder::address_first && arrived_ - addressed_ < most_early;
}

void AxiMemory::drive(int64_t cycle, bool reset) {
    if (reset) {
        reads_.clear();
        writes_.clear();
        data_.clear();
        arrived_ = addressed_ = 0;
        std::fill(open_, open_ + kinds, false);
        for (const int kind : {AR, AW, W}) *port_.channels[kind].wires.ready = 0;
        for (const int kind : {R, B}) offer(kind, false);
        return;
    }
    for (const int kind : {AR, AW, W}) {
        const bool shy = settings_.stalls[kind].wait_for_valid && !open_[kind];
        *port_.channels[kind].wires.ready = room(kind) && !stalls_[kind].now() && !shy;
    }
    if (!open_[R])
        offer(R, !reads_.empty() && reads_.front().ready <= cycle && !settings_.hold_reads && !stalls_[R].now());
    if (!open_[B]) {
        const bool complete = !writes_.empty() && writes_.front().ready >= 0 && writes_.front().ready <= cycle;
        offer(B, complete && !settings_.hold_writes && !stalls_[B].now());
    }
}

void AxiMemory::offer(int kind, bool now) {
    *port_.channels[kind].wires.valid = open_[kind] = now;
    if (!now) {
        if (!noisy_[kind]) scramble(kind);
        noisy_[kind] = true;
        return;
    }
    noisy_[kind] = false;
    if (kind == R) offer_read();
    else offer_response();
}

// A design must not look at what is not valid, nor at lanes that carry no data: it finds noise there.
void AxiMemory::scramble(int kind) {
    const StreamWires& wires = port_.channels[kind].wires;
    for (uint32_t i = 0; i < wires.words; ++i) wires.payload[i] = static_cast<uint32_t>(random_.next());
}

int AxiMemory::response(const Beat& beat) const {
    if (beat.address < base_ || beat.address - base_ > size_ - std::min<uint64_t>(size_, beat.bytes)) return DECERR;
    for (const auto& error : settings_.errors)
        if (beat.address <= error.last && beat.address + beat.bytes - 1 >= error.first) return error.response;
    return OKAY;
}

void AxiMemory::offer_read() {
    const Read& read = reads_.front();
    const Beat beat = read.burst.beat(read.beat);
    Channel& c = port_.channels[R];
    const int answer = response(beat);
    if (answer != OKAY || beat.bytes != port_.bus_bytes) scramble(R);
    if (answer == OKAY) std::memcpy(c.bytes() + beat.lane, bytes_ + (beat.address - base_), beat.bytes);
    else ++counters.errors;
    c.set(resp, static_cast<uint64_t>(answer));
    c.set(last, read.beat + 1 == read.burst.length);
    c.set(id, read.burst.id);
}

// A write is in memory when its response is offered, no earlier: whoever reads before that finds old bytes.
void AxiMemory::offer_response() {
    Channel& c = port_.channels[B];
    const Write& write = writes_.front();
    scramble(B);
    c.set(resp, static_cast<uint64_t>(store(write)));
    c.set(id, write.burst.id);
}

int AxiMemory::store(const Write& write) {
    int worst = OKAY;
    for (uint32_t n = 0; n < write.burst.length; ++n) {
        const Beat beat = write.burst.beat(n);
        const Data& d = data_[n];
        const int answer = response(beat);
        worst = std::max(worst, answer);
        if (answer != OKAY) continue;
        uint8_t* to = bytes_ + (beat.address - base_);
        const uint64_t wanted = beat.strobes(), strobes = d.strobes & wanted;
        if (strobes == wanted) {
            std::memcpy(to, d.bytes + beat.lane, beat.bytes);
            counters.write_bytes += beat.bytes;
        } else {
            for (uint32_t i = 0; i < beat.bytes; ++i)
                if (strobes >> (beat.lane + i) & 1) {
                    to[i] = d.bytes[beat.lane + i];
                    ++counters.write_bytes;
                }
        }
    }
    data_.erase(data_.begin(), data_.begin() + write.burst.length);
    if (worst != OKAY) ++counters.errors;
    return worst;
}

void AxiMemory::sample(int64_t cycle) {
    const Channel* c = port_.channels;
    for (const int kind : {AR, AW, W}) open_[kind] = c[kind].valid() && !c[kind].ready();
    if (open_[W]) ++counters.write_waits;
    if (open_[R]) {
        if (c[R].ready()) {
            Read& read = reads_.front();
            open_[R] = false;
            ++counters.read_beats;
            counters.read_bytes += read.burst.beat(read.beat).bytes;
            if (++read.beat == read.burst.length) reads_.pop_front();
        } else {
            ++counters.read_waits;
        }
    }
    if (open_[B] && c[B].ready()) {
        open_[B] = false;
        writes_.pop_front();
    }
    if (c[AR].valid() && c[AR].ready()) {
        reads_.push_back({burst_of(c[AR], port_.bus_bytes), later(cycle, settings_.read_latency, settings_.read_jitter)});
        ++counters.read_bursts;
        counters.most_reads = std::max<uint64_t>(counters.most_reads, reads_.size());
    }
    if (c[AW].valid() && c[AW].ready()) {
        const Burst b = burst_of(c[AW], port_.bus_bytes);
        addressed_ += b.length;
        writes_.push_back({b, addressed_});
        ++counters.write_bursts;
        counters.most_writes = std::max<uint64_t>(counters.most_writes, writes_.size());
    }
    if (c[W].valid() && c[W].ready()) {
        data_.emplace_back();
        Data& d = data_.back();
        d.strobes = c[W].get(strb);
        std::memcpy(d.bytes, c[W].bytes(), port_.bus_bytes);
        ++arrived_;
        ++counters.write_beats;
    }
    // Data may complete several writes, if their addresses came later.
    for (auto& write : writes_) {
        if (write.ready >= 0) continue;
        if (arrived_ < write.end) break;
        write.ready = later(cycle, settings_.write_latency, settings_.write_jitter);
    }
}
