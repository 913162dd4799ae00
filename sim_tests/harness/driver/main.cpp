// sim SCRIPT RESULT [TRACE FIRST LAST]: runs the script, writes the result file, exit code 0 even if the run failed;
// exit code 2 with one line on standard error if script and design do not fit.
// sim axi COMMANDS ANSWERS, sim uart COMMANDS ANSWERS: interactive runs, see axi_main.h and uart_main.h.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#ifdef __linux__
#include <sys/prctl.h>

#include <csignal>
#endif

#include "axi_main.h"
#include "bench.h"
#include "result.h"
#include "uart_main.h"

namespace {
int refuse(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 2;
}
}  // namespace

int main(int argc, char** argv) {
    // It notices by itself when nobody is left: its parent is a thread that may end before it.
    if (argc == 4 && !std::strcmp(argv[1], "axi")) return axi_main(std::atoi(argv[2]), std::atoi(argv[3]));
    if (argc == 4 && !std::strcmp(argv[1], "uart")) return uart_main(std::atoi(argv[2]), std::atoi(argv[3]));
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed test leaves no simulation running
#endif
    if (argc != 3 && argc != 6) return refuse("usage: sim SCRIPT RESULT [TRACE FIRST LAST]");
    Script script;
    std::string wrong = script.load(argv[1]);
    if (!wrong.empty()) return refuse(wrong);
    const std::unique_ptr<Design> design(make_design(static_cast<int>(script.seed)));
    wrong = script.fit(*design);
    if (!wrong.empty()) return refuse(wrong);
    Bench bench(*design, script);
    if (argc == 6) bench.trace(argv[3], std::atoll(argv[4]), std::atoll(argv[5]));
    const Outcome outcome = bench.run();
    return write_result(argv[2], bench, *design, outcome) ? 0 : refuse("the result file cannot be written");
}
