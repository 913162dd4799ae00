// The rules of the AMBA AXI specification (IHI 0022, issue H) for AXI4 and AXI4-Lite ports, and of the AMBA AXI4-Stream
// specification (IHI 0051A). Those of TKEEP are stricter than that: packets of the engine have no null bytes inside.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

// name, section, what must hold
#define AXI_RULES(rule) \
    rule(reset_low, "A3.1.2", "valid is low in reset") \
    rule(reset_end, "A3.1.2", "a manager's valid rises no earlier than after the first edge without reset") \
    rule(valid_stays, "A3.2.1", "valid stays until ready") \
    rule(payload_stable, "A3.2.1", "payload stable while valid waits for ready") \
    rule(page, "A3.4.1", "no burst crosses 4 KB") \
    rule(burst_reserved, "A3.4.1", "burst type is not the reserved one") \
    rule(wrap_length, "A3.4.1", "WRAP length is 2, 4, 8 or 16") \
    rule(wrap_aligned, "A3.4.1", "WRAP address is aligned to the size") \
    rule(fixed_length, "A3.4.1", "FIXED length is 16 at most") \
    rule(size_bus, "A3.4.1", "size not wider than the bus") \
    rule(cache_reserved, "A4.4", "cache value is not a reserved one") \
    rule(wlast_set, "A3.2.2", "wlast on the last beat") \
    rule(w_beats, "A3.4.1", "W has length beats: no wlast before the last one") \
    rule(strobe_lanes, "A3.4.4", "strobes only in lanes of the transfer") \
    rule(b_after_aw, "A3.3.1", "B only after its AW was accepted") \
    rule(b_after_w, "A3.3.1", "B only after its last W was accepted") \
    rule(r_after_ar, "A3.3.1", "R only after its AR was accepted") \
    rule(rlast_set, "A3.2.2", "rlast on the last beat") \
    rule(r_beats, "A3.4.1", "R has length beats: no rlast before the last one") \
    rule(b_id, "A5.1", "B has the ID of a write that waits for it") \
    rule(r_id, "A5.2.1", "R has the ID of a read that waits for it; reads of one ID are answered in order") \
    rule(exokay, "A3.4.5", "EXOKAY only for exclusive accesses") \
    rule(exclusive_bytes, "A7.2.4", "an exclusive access has 1, 2, 4 .. 128 bytes") \
    rule(exclusive_aligned, "A7.2.4", "an exclusive access is aligned to its bytes") \
    rule(exclusive_length, "A7.2.4", "an exclusive access has 16 beats at most") \
    rule(exclusive_order, "A7.2.2", "an exclusive write starts after the exclusive read of its ID has ended") \
    rule(exclusive_pair, "A7.2.4", "an exclusive write is like the exclusive read of its ID") \
    rule(lite_bus, "B1.1.2", "an AXI4-Lite bus has 32 or 64 bits") \
    rule(lite_exokay, "B1.1.1", "AXI4-Lite has no EXOKAY") \
    rule(t_reset_low, "IHI0051A-2.7.2", "TVALID is low in reset") \
    rule(t_reset_end, "IHI0051A-2.7.2", "TVALID rises no earlier than after the first edge without reset") \
    rule(t_valid_stays, "IHI0051A-2.2.1", "TVALID stays until TREADY") \
    rule(t_payload_stable, "IHI0051A-2.2.1", "payload stable while TVALID waits for TREADY") \
    rule(t_keep_full, "IHI0051A-2.4.3", "all bytes are kept before the last beat of a packet") \
    rule(t_keep_low, "IHI0051A-2.4.3", "bytes are kept from the lowest on, without a gap") \
    rule(t_keep_some, "IHI0051A-2.4.3", "a beat has a byte that is kept")

enum AxiRule {
#define AXI_RULE_NAME(name, section, text) rule_##name,
    AXI_RULES(AXI_RULE_NAME)
#undef AXI_RULE_NAME
    axi_rules
};

struct AxiRuleText {
    const char *name, *section, *text;
};

// The rule of number `rule`.
const AxiRuleText& axi_rule(int rule);

struct Violation {
    int64_t cycle;
    int rule, kind;
    std::string port, detail;

    // "cycle port channel rule detail", the detail being the rest of the line.
    std::string line() const;
};
