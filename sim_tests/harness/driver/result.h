// The result file: 64-bit little-endian words; payloads are 32-bit words, padded to 64 bits.
#pragma once
#include "bench.h"

bool write_result(const char* file, const Bench& bench, const Design& design, Outcome outcome);
