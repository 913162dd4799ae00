#include "uart_line.h"

namespace {
constexpr uint64_t cycle = 256;
constexpr int stop_bit = 8;
}  // namespace

void UartLine::send(uint8_t byte) {
    levels_.push_back({false, period});
    for (int bit = 0; bit < 8; ++bit) levels_.push_back({(byte >> bit & 1) != 0, period});
    levels_.push_back({true, period});
}

void UartLine::hold(uint64_t cycles) {
    levels_.push_back({false, cycles * cycle});
    levels_.push_back({true, 2 * period});
}

bool UartLine::drive() {
    if (levels_.empty()) return true;
    const bool level = levels_.front().high;
    spent_ += cycle;
    while (!levels_.empty() && spent_ >= levels_.front().lasts) {
        spent_ -= levels_.front().lasts;
        levels_.pop_front();
    }
    if (levels_.empty()) spent_ = 0;
    return level;
}

void UartLine::sample(bool level) {
    if (bit_ < 0) {
        released_ = released_ || level;
        if (level || !released_) return;
        bit_ = 0;
        left_ = receive_period + receive_period / 2;
        byte_ = 0;
        return;
    }
    left_ -= left_ < cycle ? left_ : cycle;
    if (left_ >= cycle) return;
    if (bit_ < stop_bit) {
        byte_ |= static_cast<unsigned>(level) << bit_++;
        left_ += receive_period;
        return;
    }
    if (level) received.push_back(static_cast<uint8_t>(byte_));
    else ++broken;
    released_ = level;
    bit_ = -1;
}
