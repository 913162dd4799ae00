#include "bench.h"

#include <algorithm>
#include <cstring>

StreamState::StreamState(const StreamWires& w, const StreamScript& s, uint64_t noise_seed)
    : wires(w), script(s), stall(s.stall), noise(noise_seed), held(w.words) {
    const auto expected = static_cast<size_t>(std::max<int64_t>(s.beats, 0));
    accepted.reserve(expected);
    offered.reserve(expected);
    wall.reserve(expected);
    if (!w.input) payload.reserve(expected * w.words);
}

// Whether all conditions of the next beat hold; clock_only tells if only the cycle number is missing.
bool StreamState::fits(int64_t cycle, const std::vector<StreamState>& all, bool& clock_only) const {
    bool fit = true;
    clock_only = true;
    for (size_t i = condition; i < script.conditions.size() && script.conditions[i].beat == count; ++i) {
        const auto& c = script.conditions[i];
        if ((c.source < 0 ? cycle : all[static_cast<size_t>(c.source)].count) >= c.count) continue;
        fit = false;
        if (c.source >= 0) clock_only = false;
    }
    return fit;
}

void StreamState::accept(int64_t cycle, int64_t now) {
    accepted.push_back(cycle);
    wall.push_back(now);
    while (condition < script.conditions.size() && script.conditions[condition].beat <= count) ++condition;
    ++count;
    open = false;
}

// A design must not look at a payload whose valid is low: it finds noise there.
void StreamState::scramble() {
    for (uint32_t i = 0; i < wires.words; ++i) wires.payload[i] = static_cast<uint32_t>(noise.next());
}

Bench::Bench(Design& design, const Script& script) : design_(design), script_(script) {
    for (size_t i = 0; i < design.streams.size(); ++i)
        streams.emplace_back(design.streams[i], script.streams[i], static_cast<uint64_t>(script.seed) * 64 + i);
    for (size_t i = 0; i < design.plains.size(); ++i)
        if (script.constants[i])
            std::memcpy(design.plains[i].data, script.constants[i], design.plains[i].words * 4);
}

void Bench::trace(const char* file, int64_t first, int64_t last) {
    tracing_ = design_.open_trace(file);
    first_traced_ = first;
    last_traced_ = last;
}

bool Bench::in_reset() const {
    if (cycle < 0) return true;
    for (const auto& pulse : script_.pulses)
        if (cycle >= pulse.cycle && cycle < pulse.cycle + pulse.length) return true;
    return false;
}

void Bench::drive(bool reset) {
    *design_.reset = reset;
    for (auto& s : streams) {
        if (!s.wires.input) {
            const bool shy = s.script.stall.wait_for_valid && !s.open;
            s.ready = !reset && !s.stall.now() && !shy;
            if (s.wires.ready) *s.wires.ready = s.ready;
            else s.ready = !reset;
            continue;
        }
        if (s.open && !reset) continue;
        bool offer = false;
        s.waiting = false;
        if (!reset && s.count < s.script.beats) {
            bool clock_only = false;
            if (!s.fits(cycle, streams, clock_only)) {
                s.waiting = true;
                ++s.waited;
                if (clock_only) progress_ = cycle;
            } else if (s.stall.now()) {
                ++s.stalled;
            } else {
                offer = true;
            }
        }
        if (offer) {
            std::memcpy(s.wires.payload, s.script.payload + s.count * s.wires.words, s.wires.words * 4);
            // A beat that a reset drove away is offered a second time.
            if (static_cast<int64_t>(s.offered.size()) == s.count) s.offered.push_back(cycle);
            else s.offered.back() = cycle;
        } else if (s.wires.valid) {
            if (s.valid || cycle == -script_.reset_cycles) s.scramble();
        } else {
            std::memset(s.wires.payload, 0, s.wires.words * 4);
        }
        s.open = s.valid = offer;
        if (s.wires.valid) *s.wires.valid = offer;
    }
}

Outcome Bench::sample_output(StreamState& s, int64_t& now) {
    s.valid = s.wires.valid ? *s.wires.valid : true;
    if (s.open) {
        if (!s.valid) return Outcome::valid_withdrawn;
        if (std::memcmp(s.held.data(), s.wires.payload, s.wires.words * 4) != 0) return Outcome::payload_changed;
    }
    if (!s.valid) return Outcome::passed;
    if (!s.open) {
        if (s.script.beats >= 0 && s.count >= s.script.beats) return s.wires.valid ? Outcome::unexpected_beat : Outcome::passed;
        if (static_cast<int64_t>(s.offered.size()) == s.count) s.offered.push_back(cycle);
        else s.offered.back() = cycle;
    }
    if (s.ready) {
        s.payload.insert(s.payload.end(), s.wires.payload, s.wires.payload + s.wires.words);
        if (now < 0) now = elapsed();
        s.accept(cycle, now);
        // A port that has a beat in every cycle, and of which any number will do, shows no progress.
        if (s.wires.valid || s.script.beats >= 0) progress_ = cycle;
    } else {
        ++s.stalled;
        if (!s.open) std::memcpy(s.held.data(), s.wires.payload, s.wires.words * 4);
        s.open = true;
    }
    return Outcome::passed;
}

Outcome Bench::sample() {
    int64_t now = -1;  // one reading of the wall clock serves all transfers of a cycle
    for (size_t i = 0; i < streams.size(); ++i) {
        auto& s = streams[i];
        if (!s.wires.input) {
            const Outcome outcome = sample_output(s, now);
            if (outcome != Outcome::passed) return culprit = static_cast<int64_t>(i), outcome;
            continue;
        }
        s.ready = s.wires.ready ? *s.wires.ready : true;
        if (!s.open) continue;
        if (s.ready) {
            if (now < 0) now = elapsed();
            s.accept(cycle, now);
            progress_ = cycle;
        } else {
            ++s.refused;
        }
    }
    for (size_t i = 0; i < design_.plains.size(); ++i) {
        const auto& plain = design_.plains[i];
        if (plain.kind != PlainKind::must_stay_zero) continue;
        for (uint32_t w = 0; w < plain.words; ++w)
            if (plain.data[w]) return culprit = static_cast<int64_t>(i), Outcome::nonzero_output;
    }
    return Outcome::passed;
}

void Bench::dump(int64_t offset) {
    if (tracing_ && cycle >= first_traced_ && cycle <= last_traced_)
        design_.trace(static_cast<uint64_t>((cycle + script_.reset_cycles) * 10 + offset), cycle);
}

int64_t Bench::elapsed() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
}

// Whether the run is over in this cycle; called before its edge, so that the last outputs are the sampled ones.
bool Bench::over(Outcome& outcome) {
    if (outcome != Outcome::passed) return true;
    if (cycle < 0) return false;
    if (last_ < 0) {
        const bool resets_over = std::all_of(script_.pulses.begin(), script_.pulses.end(), [&](const ResetPulse& p) {
            return cycle >= p.cycle + p.length - 1;
        });
        const bool done = std::all_of(streams.begin(), streams.end(), [](const StreamState& s) { return s.complete(); });
        if (done && resets_over) last_ = cycle + script_.linger;
        else if (cycle - progress_ >= script_.quiet_limit) outcome = Outcome::deadlock;
        else if (cycle + 1 >= script_.cycle_limit) outcome = Outcome::cycle_limit;
    }
    return outcome != Outcome::passed || (last_ >= 0 && cycle >= last_);
}

Outcome Bench::run() {
    start_ = std::chrono::steady_clock::now();
    Outcome outcome = Outcome::passed;
    *design_.clock = 1;
    for (cycle = -script_.reset_cycles;; ++cycle) {
        const bool reset = in_reset();
        drive(reset);
        if (tracing_) {  // a waveform shows inputs change after one edge and the clock fall between two
            design_.evaluate();
            dump(1);
        }
        *design_.clock = 0;
        design_.evaluate();
        dump(5);
        if (reset) {
            for (auto& s : streams) s.open = false;
            progress_ = cycle;
        } else {
            outcome = sample();
        }
        if (over(outcome)) break;
        *design_.clock = 1;
        design_.evaluate();
        dump(10);
        if (design_.finished()) {
            outcome = Outcome::design_finished;
            break;
        }
    }
    nanoseconds = elapsed();
    return outcome;
}
