#include "uart_main.h"

#include <memory>
#include <string>

#include "conversation.h"
#include "design.h"
#include "uart_line.h"

namespace {
const char digits[] = "0123456789abcdef";

class Session final : public Conversation {
public:
    using Conversation::Conversation;

private:
    std::unique_ptr<Design> design_;
    uint32_t *rx_ = nullptr, *tx_ = nullptr;
    UartLine line_;
    int64_t cycle_ = 0;
    bool tracing_ = false;

    void act(const std::string& command) override {
        if (command == "begin") begin();
        else if (command == "period") line_.period = take<uint64_t>(), say("ok");
        else if (command == "send") send();
        else if (command == "hold") line_.hold(take<uint64_t>()), say("ok");
        else if (command == "run") run_until();
        else say("refused " + command);
    }

    // begin SEED RX TX PERIOD [WAVEFORM]
    void begin() {
        design_.reset(make_design(take<int>()));
        rx_ = design_->plains[take<size_t>()].data;
        tx_ = design_->plains[take<size_t>()].data;
        line_.period = line_.receive_period = take<uint64_t>();
        std::string waveform;
        std::getline(words_ >> std::ws, waveform);
        tracing_ = !waveform.empty();
        if (tracing_ && !design_->open_trace(waveform.c_str())) return say("refused the waveform cannot be written");
        *design_->clock = 1;
        say("ok");
    }

    // send HEX
    void send() {
        std::string bytes;
        words_ >> bytes;
        for (size_t at = 0; at + 1 < bytes.size(); at += 2)
            line_.send(static_cast<uint8_t>(std::stoi(bytes.substr(at, 2), nullptr, 16)));
        say("ok");
    }

    // run CYCLES COUNT: so many cycles, or until so many bytes have come. Answers the cycle and the bytes.
    void run_until() {
        const int64_t cycles = take();
        const auto count = take<size_t>();
        for (int64_t steps = 0; steps < cycles && line_.received.size() < count; ++steps) {
            look(steps);
            step();
            if (design_->finished()) return say("finished");
        }
        std::string text = "ok " + std::to_string(cycle_) + ' ';
        for (const uint8_t byte : line_.received) text += digits[byte >> 4], text += digits[byte & 15];
        line_.received.clear();
        say(text);
    }

    void dump(uint64_t offset) {
        if (tracing_) design_->trace(static_cast<uint64_t>(cycle_) * 10 + offset, cycle_);
    }

    void step() {
        *rx_ = line_.drive();
        if (tracing_) {  // a waveform shows inputs change after one edge and the clock fall between two
            design_->evaluate();
            dump(1);
        }
        *design_->clock = 0;
        design_->evaluate();
        dump(5);
        line_.sample(*tx_ & 1);
        *design_->clock = 1;
        design_->evaluate();
        dump(10);
        ++cycle_;
    }
};
}  // namespace

int uart_main(int commands, int answers) {
    Session(commands, answers).run();
    return 0;
}
