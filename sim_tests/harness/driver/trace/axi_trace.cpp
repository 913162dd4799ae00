// axi_trace: runs the rules on a trace written by hand. No design takes part.
//   axi_trace --rules      prints "name section text" of every rule
//   axi_trace              reads a port and a trace from standard input, prints every breach, then what was tried
// Input: "port LITE NAME", "channel KIND WORDS ROLE OFFSET WIDTH ...", then for each cycle "cycle RESET" and five times
// "valid ready word ..." in the order of `Kind`.
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "axi_monitor.h"

namespace {
struct Levels {
    std::vector<uint32_t> payload;
    uint8_t valid = 0, ready = 0;
};
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
        } else if (command == "cycle") {
            if (!monitor) monitor = std::make_unique<AxiMonitor>(port, found);
            int reset = 0;
            words >> reset;
            for (int kind = 0; kind < kinds; ++kind) {
                Levels& l = levels[kind];
                int valid = 0, ready = 0;
                words >> valid >> ready;
                l.valid = static_cast<uint8_t>(valid), l.ready = static_cast<uint8_t>(ready);
                for (uint32_t w = 0; w < port.channels[kind].wires.words; ++w) words >> l.payload[w];
            }
            monitor->step(cycle++, reset);
        }
    }
    for (const auto& v : found) std::printf("%s\n", v.line().c_str());
    std::printf("tried");
    for (int rule = 0; monitor && rule < axi_rules; ++rule)
        std::printf(" %s %llu", axi_rule(rule).name, static_cast<unsigned long long>(monitor->tried[rule]));
    std::printf("\n");
}
