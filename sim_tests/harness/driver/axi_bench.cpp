#include "axi_bench.h"

AxiPort& AxiBench::watch(const AxiPort& port) {
    ports_.push_back(std::make_unique<AxiPort>(port));
    monitors.push_back(std::make_unique<AxiMonitor>(*ports_.back(), violations));
    return *ports_.back();
}

void AxiBench::add_memory(const AxiPort& port, uint8_t* bytes, uint64_t size, uint64_t base) {
    memories.push_back(std::make_unique<AxiMemory>(watch(port), bytes, size, base));
}

void AxiBench::add_registers(const AxiPort& port, uint64_t seed) {
    registers = std::make_unique<AxiLite>(watch(port), seed);
}

void AxiBench::add_streams(const AxisPort ports[axis_roles], uint8_t* bytes, uint64_t size, uint64_t base) {
    AxisPort* found[axis_roles] = {};
    for (int role = 0; role < axis_roles; ++role) {
        if (ports[role].name.empty()) continue;
        streams_.push_back(std::make_unique<AxisPort>(ports[role]));
        stream_monitors.push_back(std::make_unique<AxisMonitor>(*streams_.back(), violations));
        found[role] = streams_.back().get();
    }
    if (!streams_.empty()) dma = std::make_unique<AxisDma>(found, bytes, size, base);
}

bool AxiBench::trace(const char* file) { return tracing_ = design_.open_trace(file); }

void AxiBench::dump(uint64_t offset) {
    if (tracing_) design_.trace(time_ + offset, cycle);
}

Stop AxiBench::step(bool reset) {
    *design_.reset = reset;
    for (auto& memory : memories) memory->drive(cycle, reset);
    if (dma) dma->drive(cycle, reset);
    if (registers) registers->drive(cycle, reset);
    if (tracing_) {  // a waveform shows inputs change after one edge and the clock fall between two
        design_.evaluate();
        dump(1);
    }
    *design_.clock = 0;
    design_.evaluate();
    dump(5);

    for (auto& monitor : monitors) monitor->step(cycle, reset);
    for (auto& monitor : stream_monitors) monitor->step(cycle, reset);
    if (!reset) {
        for (auto& memory : memories) memory->sample(cycle);
        if (dma) dma->sample(cycle);
        if (registers) registers->sample(cycle);
        for (size_t i = 0; i < design_.plains.size(); ++i) {
            const PlainWires& wires = design_.plains[i];
            if (wires.kind != PlainKind::must_stay_zero) continue;
            for (uint32_t w = 0; w < wires.words; ++w)
                if (wires.data[w]) zero = static_cast<int64_t>(i);
        }
    }
    const bool high = interrupt_wire && !reset && (*interrupt_wire & 1);
    if (high && !interrupt) interrupt_since = cycle;
    interrupt = high;

    *design_.clock = 1;
    design_.evaluate();
    dump(10);
    time_ += 10;
    ++cycle;
    if (stops && !violations.empty()) return Stop::violation;
    if (zero >= 0) return Stop::zero;
    return design_.finished() ? Stop::finished : Stop::none;
}
