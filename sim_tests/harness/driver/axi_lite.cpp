#include "axi_lite.h"

void AxiLite::begin(const RegisterAccess& access, int64_t cycle) {
    access_ = access;
    busy_ = true;
    data_edge = end_edge = seen_ = -1;
    for (const int kind : {AW, W, AR}) {
        pending_[kind] = access.write == (kind != AR);
        const bool second = access.order == (kind == W ? WriteOrder::address_first : WriteOrder::data_first);
        from_[kind] = cycle + (kind == AR || second ? access.delay : 0);
    }
}

void AxiLite::offer(int kind, bool now) {
    Channel& c = port_.channels[kind];
    if (*c.wires.valid && now) return;  // it waits for ready
    *c.wires.valid = now;
    if (!now) {
        if (!noisy_[kind])
            for (uint32_t i = 0; i < c.wires.words; ++i) c.wires.payload[i] = static_cast<uint32_t>(random_.next());
        noisy_[kind] = true;
        return;
    }
    noisy_[kind] = false;
    c.set(addr, access_.address);
    c.set(prot, 0);
    c.set(data, access_.data);
    c.set(strb, access_.strobes);
}

void AxiLite::drive(int64_t cycle, bool reset) {
    if (reset) busy_ = false;
    const bool quiet = reset || fresh_;  // a manager is quiet at the first edge after reset, too
    fresh_ = reset;
    for (const int kind : {AW, W, AR}) offer(kind, !quiet && busy_ && pending_[kind] && cycle >= from_[kind]);
    const bool patient = seen_ < 0 ? access_.patience > 0 : cycle - seen_ < access_.patience;
    for (const int kind : {B, R}) *port_.channels[kind].wires.ready = busy_ && !patient;
}

void AxiLite::sample(int64_t cycle) {
    if (!busy_) return;
    const Channel* c = port_.channels;
    for (const int kind : {AW, W, AR})
        if (c[kind].valid() && c[kind].ready()) {
            pending_[kind] = false;
            if (kind != AW) data_edge = cycle;
        }
    const Channel& answer = c[access_.write ? B : R];
    if (!answer.valid()) return;
    if (seen_ < 0) seen_ = cycle;
    if (!answer.ready()) return;
    end_edge = cycle;
    response = static_cast<int>(answer.get(resp));
    data_read = answer.get(data);
    busy_ = false;
}
