#include "axi_main.h"

#include <sys/mman.h>

#include <deque>
#include <memory>
#include <sstream>
#include <string>

#include "axi_bench.h"
#include "conversation.h"

namespace {
class Session final : public Conversation {
public:
    using Conversation::Conversation;

    // The bench goes before the ports that it was told of.
    ~Session() override { bench_.reset(); }

private:
    std::unique_ptr<Design> design_;
    std::unique_ptr<AxiBench> bench_;
    std::deque<AxiPort> managers_;
    AxiPort registers_;
    AxiPort* port_ = nullptr;
    AxisPort streams_[axis_roles];
    uint64_t seed_ = 1, size_ = 0, base_ = 0;
    uint8_t* bytes_ = nullptr;

    void answer(const std::string& status, const std::string& rest = "") {
        const int64_t cycle = bench_ ? bench_->cycle : 0;
        const int level = bench_ && bench_->interrupt;
        say(status + ' ' + std::to_string(cycle) + ' ' + std::to_string(level) + (rest.empty() ? "" : " ") + rest);
    }

    static std::string text(const char* stop, int64_t number) { return std::string(stop) + ' ' + std::to_string(number); }

    // Whether all went well; else the answer was given.
    bool going(Stop stop) {
        if (stop == Stop::none) return true;
        if (stop == Stop::violation) answer("violation");
        else if (stop == Stop::finished) answer("finished");
        else answer("zero", std::to_string(bench_->zero));
        return false;
    }

    // Steps until `done`. Answers, and returns false, where something comes in between.
    template <class Done>
    bool until(int64_t limit, Done done) {
        for (int64_t steps = 0; !done(); ++steps) {
            if (steps >= limit) return answer("limit"), false;
            look(steps);
            if (!going(bench_->step(false))) return false;
        }
        return true;
    }

    bool reset(int64_t cycles) {
        for (int64_t i = 0; i < cycles; ++i)
            if (!going(bench_->step(true))) return false;
        return true;
    }

    void act(const std::string& command) override {
        if (command == "seed") {
            seed_ = take<uint64_t>();
            design_.reset(make_design(static_cast<int>(seed_)));
        } else if (command == "memory") {
            const int file = take<int>();
            size_ = take<uint64_t>(), base_ = take<uint64_t>();
            void* at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            bytes_ = at == MAP_FAILED ? nullptr : static_cast<uint8_t*>(at);
        } else if (command == "port") {
            const bool lite = take<int>();
            port_ = lite ? &registers_ : &managers_.emplace_back();
            port_->lite = lite;
            words_ >> port_->name;
        } else if (command == "channel") {
            channel();
        } else if (command == "stream") {
            AxisPort& port = streams_[take<size_t>()];
            port.wires = design_->streams[take<size_t>()];
            words_ >> port.bytes >> port.name;
        } else if (command == "packet") {
            packet();
            answer("ok");
        } else if (command == "dma") {
            configure_dma();
            answer("ok");
        } else if (command == "forget") {
            bench_->dma->forget();
            answer("ok");
        } else if (command == "packets") {
            packets();
        } else if (command == "constant") {
            PlainWires& wires = design_->plains[take<size_t>()];
            for (uint32_t w = 0; w < wires.words; ++w) wires.data[w] = take<uint32_t>();
        } else if (command == "begin") {
            begin();
        } else if (command == "run") {
            const int64_t cycles = take();
            const int64_t end = bench_->cycle + cycles;
            if (until(cycles, [&] { return bench_->cycle >= end; })) answer("ok");
        } else if (command == "interrupt") {
            if (until(take(), [&] { return bench_->interrupt; })) answer("ok", std::to_string(bench_->interrupt_since));
        } else if (command == "write" || command == "read") {
            access(command == "write");
        } else if (command == "configure") {
            configure();
            answer("ok");
        } else if (command == "reset") {
            if (reset(take())) answer("ok");
        } else if (command == "counters") {
            counters();
        } else if (command == "violations") {
            answer("ok", std::to_string(bench_->violations.size()));
            for (const auto& v : bench_->violations) say(v.line());
        } else if (command == "coverage") {
            std::string rest;
            for (int rule = 0; rule < axi_rules; ++rule) {
                uint64_t tried = 0;
                for (const auto& monitor : bench_->monitors) tried += monitor->tried[rule];
                for (const auto& monitor : bench_->stream_monitors) tried += monitor->tried[rule];
                rest += std::string(rule ? " " : "") + axi_rule(rule).name + ' ' + std::to_string(tried);
            }
            answer("ok", rest);
        } else {
            answer("refused", command);
        }
    }

    void channel() {
        const int kind = take<int>();
        port_->channels[kind].wires = design_->streams[take<size_t>()];
        std::string role;
        while (words_ >> role) {
            const auto offset = take<uint32_t>(), width = take<uint32_t>();
            port_->place(kind, role, offset, width);
        }
    }

    // begin RESET STOPS INTERRUPT [WAVEFORM]
    void begin() {
        bench_ = std::make_unique<AxiBench>(*design_);
        const int64_t cycles = take();
        bench_->cycle = -cycles;
        bench_->stops = take<int>();
        const int64_t wire = take();
        if (wire >= 0) bench_->interrupt_wire = design_->plains[static_cast<size_t>(wire)].data;
        std::string waveform;
        std::getline(words_ >> std::ws, waveform);
        if (!waveform.empty() && !bench_->trace(waveform.c_str())) return answer("refused", "the waveform cannot be written");
        if (size_ && !bytes_) return answer("refused", "the memory cannot be mapped");
        for (const AxiPort& port : managers_) bench_->add_memory(port, bytes_, size_, base_);
        if (!registers_.name.empty()) bench_->add_registers(registers_, seed_);
        bench_->add_streams(streams_, bytes_, size_, base_);
        *design_->clock = 1;
        if (reset(cycles)) answer("ok");
    }

    // write|read LIMIT ADDRESS ORDER DELAY PATIENCE [DATA STROBES]
    void access(bool write) {
        const int64_t limit = take();
        RegisterAccess a;
        a.write = write;
        a.address = take<uint64_t>();
        a.order = static_cast<WriteOrder>(take<int>());
        a.delay = take(), a.patience = take();
        if (write) a.data = take<uint64_t>(), a.strobes = take<uint64_t>();
        AxiLite& lite = *bench_->registers;
        if (lite.busy()) return answer("busy");
        lite.begin(a, bench_->cycle);
        if (!until(limit, [&] { return !lite.busy(); })) return;
        std::string rest = std::to_string(lite.data_edge) + ' ' + std::to_string(lite.end_edge);
        answer("ok", rest + ' ' + std::to_string(lite.response) + ' ' + std::to_string(lite.data_read));
    }

    // The manager port's number, latencies and so on, six words for each channel's stalls, then error ranges to the end
    // of the line.
    void configure() {
        const auto port = take<size_t>();
        MemorySettings s;
        for (uint64_t* value : {&s.read_latency, &s.read_jitter, &s.write_latency, &s.write_jitter, &s.outstanding})
            *value = take<uint64_t>();
        s.order = static_cast<WriteOrder>(take<int>());
        s.hold_reads = take<int>(), s.hold_writes = take<int>();
        s.seed = take<uint64_t>();
        for (auto& stall : s.stalls) stall = take_stall();
        ErrorRange range{};
        while (words_ >> range.first >> range.last >> range.response) s.errors.push_back(range);
        if (port < bench_->memories.size()) bench_->memories[port]->configure(s);
    }

    // packet ROLE AFTER LONGER HOLE, then for each piece "m ADDRESS SIZE" or "f SIZE WIDTH VALUE".
    void packet() {
        const int role = take<int>();
        AxisPacket p;
        p.after = take<uint64_t>(), p.longer = take(), p.hole = take();
        std::string kind;
        while (words_ >> kind) {
            AxisPiece piece{};
            piece.filling = kind == "f";
            if (piece.filling) words_ >> piece.size >> piece.width >> piece.value;
            else words_ >> piece.address >> piece.size;
            p.pieces.push_back(piece);
        }
        bench_->dma->add(role, p);
    }

    // dma BEGIN PACKETS LATENCY HOLD SEED, then six words for the stalls of each stream. BEGIN: a run begins. PACKETS:
    // rules of whole packets are watched.
    void configure_dma() {
        AxisSettings s;
        if (take<int>()) bench_->dma->begin();
        const bool whole = take<int>();
        for (auto& monitor : bench_->stream_monitors) monitor->packets = whole;
        s.latency = take<uint64_t>(), s.hold = take<int>(), s.seed = take<uint64_t>();
        for (auto& stall : s.stalls) stall = take_stall();
        bench_->dma->configure(s);
    }

    void packets() {
        const AxisDma& dma = *bench_->dma;
        std::ostringstream rest;
        const char* const names[axis_roles] = {"program", "load", "store"};
        for (int role = 0; role < axis_roles; ++role)
            rest << names[role] << "_done " << dma.done[role] << ' ' << names[role] << "_beats " << dma.beats[role] << ' '
                 << names[role] << "_waiting " << dma.waiting(role) << ' ';
        rest << "arriving " << dma.arriving() << " surplus " << dma.surplus;
        answer("ok", rest.str());
    }

    StallPattern take_stall() {
        StallPattern stall;
        for (uint64_t* value :
             {&stall.single, &stall.burst, &stall.shortest, &stall.longest, &stall.wait_for_valid, &stall.seed})
            *value = take<uint64_t>();
        return stall;
    }

    // Of the manager port of a number.
    void counters() {
        const auto port = take<size_t>();
        if (port >= bench_->memories.size()) return answer("ok");
        const AxiMemory& memory = *bench_->memories[port];
        const MemoryCounters& c = memory.counters;
        std::ostringstream rest;
        rest << "read_bursts " << c.read_bursts << " read_beats " << c.read_beats << " read_bytes " << c.read_bytes
             << " write_bursts " << c.write_bursts << " write_beats " << c.write_beats << " write_bytes "
             << c.write_bytes << " read_waits " << c.read_waits << " write_waits " << c.write_waits << " most_reads "
             << c.most_reads << " most_writes " << c.most_writes << " errors " << c.errors << " open_reads "
             << memory.reads() << " open_writes " << memory.writes();
        answer("ok", rest.str());
    }
};
}  // namespace

int axi_main(int commands, int answers) {
    Session(commands, answers).run();
    return 0;
}
