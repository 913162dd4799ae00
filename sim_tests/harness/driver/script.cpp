#include "script.h"

#include <cstdio>

namespace {
constexpr uint64_t magic = 0x31306e75722d7774ull;  // "tw-run01"
}

bool Script::take(uint64_t& value) {
    if (at_ >= words_.size()) return false;
    value = words_[at_++];
    return true;
}

bool Script::take(int64_t& value) {
    uint64_t raw = 0;
    if (!take(raw)) return false;
    value = static_cast<int64_t>(raw);
    return true;
}

const uint32_t* Script::take_payload(uint64_t words) {
    const uint64_t padded = (words + 1) / 2;
    if (padded > words_.size() - at_) return nullptr;
    const auto* data = reinterpret_cast<const uint32_t*>(words_.data() + at_);
    at_ += padded;
    return data;
}

std::string Script::load(const char* file) {
    FILE* in = std::fopen(file, "rb");
    if (!in) return "the run script cannot be opened";
    std::fseek(in, 0, SEEK_END);
    words_.resize(static_cast<size_t>(std::ftell(in)) / 8);
    std::rewind(in);
    const bool whole = std::fread(words_.data(), 8, words_.size(), in) == words_.size();
    std::fclose(in);
    uint64_t mark = 0;
    if (!whole || !take(mark) || mark != magic) return "the run script is not one of this driver";
    if (!take(interface_id_) || !take(seed)) return "the run script is cut short";
    return "";
}

std::string Script::fit(const Design& design) {
    const std::string cut = "the run script is cut short";
    if (interface_id_ != design.interface_id) return "the run script was written for another design";
    int64_t count = 0;
    if (!take(reset_cycles) || !take(linger) || !take(quiet_limit) || !take(cycle_limit) || !take(count)) return cut;
    pulses.resize(static_cast<size_t>(count));
    for (auto& pulse : pulses)
        if (!take(pulse.cycle) || !take(pulse.length)) return cut;
    for (const auto& plain : design.plains) {
        constants.push_back(nullptr);
        if (plain.kind == PlainKind::constant && !(constants.back() = take_payload(plain.words))) return cut;
    }
    for (const auto& wires : design.streams) {
        StreamScript stream;
        auto& stall = stream.stall;
        if (!take(stall.single) || !take(stall.burst) || !take(stall.shortest) || !take(stall.longest) ||
            !take(stall.wait_for_valid) || !take(stall.seed) || !take(stream.beats) || !take(count))
            return cut;
        stream.conditions.resize(static_cast<size_t>(count));
        for (auto& condition : stream.conditions)
            if (!take(condition.beat) || !take(condition.source) || !take(condition.count)) return cut;
        if (wires.input && !(stream.payload = take_payload(static_cast<uint64_t>(stream.beats) * wires.words)))
            return cut;
        streams.push_back(std::move(stream));
    }
    return at_ == words_.size() ? "" : "the run script has words left over";
}
