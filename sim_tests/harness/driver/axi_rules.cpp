#include "axi_rules.h"

#include "axi_wires.h"

const AxiRuleText& axi_rule(int rule) {
    static const AxiRuleText texts[axi_rules] = {
#define AXI_RULE_TEXT(name, section, text) {#name, section, text},
        AXI_RULES(AXI_RULE_TEXT)
#undef AXI_RULE_TEXT
    };
    return texts[rule];
}

std::string Violation::line() const {
    return std::to_string(cycle) + ' ' + port + ' ' + kind_name(kind) + ' ' + axi_rule(rule).name + ' ' + detail;
}
