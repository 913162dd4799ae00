// axi_trace: runs the rules on a trace written by hand. No design takes part.
//   axi_trace --rules      prints "name section text" of every rule
//   axi_trace              reads a port and a trace from standard input, prints every breach, then what was tried
// Input: "port LITE NAME", "channel KIND WORDS ROLE OFFSET WIDTH ...", then for each cycle "cycle RESET" and five times
// "valid ready word ..." in the order of `Kind`. Or "stream WORDS BYTES NAME" and the same once for each cycle.
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "axi_monitor.h"
#include "axis_monitor.h"

namespace {
struct Levels {
    std::vector<uint32_t> payload;
    uint8_t valid = 0, ready = 0;
};

void take(Levels& levels, std::istringstream& words, uint32_t count) {
    int valid = 0, ready = 0;
    words >> valid >> ready;
    levels.valid = static_cast<uint8_t>(valid), levels.ready = static_cast<uint8_t>(ready);
    for (uint32_t w = 0; w < count; ++w) words >> levels.payload[w];
}
}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--rules") {
        for (int rule = 0; rule < axi_rules; ++rule)
            std::printf("%s %s %s\n", axi_rule(rule).name, axi_rule(rule).section, axi_rule(rule).text);
        return 0;
    }
    AxiPort port;
    Levels levels[kinds];
    std::vector<Violation> found;
    std::unique_ptr<AxiMonitor> monitor;
    AxisPort stream;
    std::unique_ptr<AxisMonitor> stream_monitor;
    int64_t cycle = 0;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string command, role;
        words >> command;
        if (command == "port") {
            words >> port.lite >> port.name;
        } else if (command == "channel") {
            int kind = 0;
            size_t count = 0;
            words >> kind >> count;
            Levels& l = levels[kind];
            l.payload.resize(count + 2);  // a field that ends within a word is read as a longer one
            port.channels[kind].wires = {false, static_cast<uint32_t>(count), l.payload.data(), &l.valid, &l.ready};
            for (uint32_t offset = 0, width = 0; words >> role >> offset >> width;) port.place(kind, role, offset, width);
        } else if (command == "stream") {
            size_t count = 0;
            words >> count >> stream.bytes >> stream.name;
            Levels& l = levels[0];
            l.payload.resize(count);
            stream.wires = {false, static_cast<uint32_t>(count), l.payload.data(), &l.valid, &l.ready};
            stream_monitor = std::make_unique<AxisMonitor>(stream, found);
        } else if (command == "cycle" && stream_monitor) {
            int reset = 0;
            words >> reset;
            take(levels[0], words, stream.wires.words);
            stream_monitor->step(cycle++, reset);
        } else if (command == "cycle") {
            if (!monitor) monitor = std::make_unique<AxiMonitor>(port, found);
            int reset = 0;
            words >> reset;
            for (int kind = 0; kind < kinds; ++kind) {
                take(levels[kind], words, port.channels[kind].wires.words);
            }
            monitor->step(cycle++, reset);
        }
    }
    for (const auto& v : found) std::printf("%s\n", v.line().c_str());
    std::printf("tried");
    const uint64_t* tried = monitor ? monitor->tried : stream_monitor ? stream_monitor->tried : nullptr;
    for (int rule = 0; tried && rule < axi_rules; ++rule)
        std::printf(" %s %llu", axi_rule(rule).name, static_cast<unsigned long long>(tried[rule]));
    std::printf("\n");
}
