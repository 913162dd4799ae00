#include "result.h"

#include <cstdio>

namespace {
constexpr int64_t magic = 0x31307365722d7774ll;  // "tw-res01"

class Writer {
public:
    explicit Writer(const char* file) : out_(std::fopen(file, "wb")), good_(out_ != nullptr) {}
    ~Writer() {
        if (out_) std::fclose(out_);
    }
    void put(int64_t value) { raw(&value, 8); }
    void put(const std::vector<int64_t>& values, int64_t count) { raw(values.data(), static_cast<size_t>(count) * 8); }
    void put(const uint32_t* words, size_t count) {
        const uint32_t padding = 0;
        raw(words, count * 4);
        if (count % 2) raw(&padding, 4);
    }
    bool close() {
        if (!out_) return false;
        good_ = std::fclose(out_) == 0 && good_;
        out_ = nullptr;
        return good_;
    }

private:
    FILE* out_;
    bool good_;
    void raw(const void* data, size_t bytes) {
        if (good_ && bytes) good_ = std::fwrite(data, 1, bytes, out_) == bytes;
    }
};
}  // namespace

bool write_result(const char* file, const Bench& bench, const Design& design, Outcome outcome) {
    Writer out(file);
    out.put(magic);
    out.put(static_cast<int64_t>(outcome));
    out.put(bench.culprit);
    out.put(bench.cycle);
    out.put(bench.nanoseconds);
    for (const auto& plain : design.plains)
        if (plain.kind != PlainKind::constant) out.put(plain.data, plain.words);
    for (const auto& s : bench.streams) {
        for (const int64_t value : {s.count, s.stalled, s.waited, s.refused, int64_t{s.valid}, int64_t{s.ready}, int64_t{s.waiting}})
            out.put(value);
        out.put(s.accepted, s.count);
        out.put(s.offered, s.count);
        out.put(s.wall, s.count);
        if (s.wires.input) continue;
        out.put(s.payload.data(), s.payload.size());
        out.put(s.held.data(), s.held.size());
        out.put(s.wires.payload, s.wires.words);
    }
    return out.close();
}
