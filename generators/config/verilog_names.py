"""Names that Verilog-2005 and SystemVerilog-2017 leave free for modules."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}\Z")

# IEEE 1800-2017, annex B, which contains the words of IEEE 1364-2005.
_WORDS = """
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind
bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config
const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable
dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask
enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin
function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import
incdir include initial inout input inside instance int integer interconnect interface intersect join join_any
join_none large let liblist library local localparam logic longint macromodule matches medium modport module
nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime
s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify
specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table
tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""
KEYWORDS = frozenset(_WORDS.split())

#: No keywords, but in use: Verilator's own module, SystemVerilog's own package, and what ``tilewright verify`` wraps
#: a core in.
TAKEN = ("TOP", "std", "tilewright_bench")


def is_free_identifier(name: str) -> bool:
    """Whether ``name`` can name a module without escaping: a simple identifier of 1..64 characters, not in use."""
    return bool(_IDENTIFIER.match(name)) and not _in_use(name)


def nearest_identifier(name: str) -> str:
    """A free identifier spelt as much like ``name`` as the rules allow."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:63]
    if not plain.strip("_"):
        return "tilewright_gemm"
    if plain[0].isdigit():
        plain = f"_{plain}"
    return f"{plain}_" if _in_use(plain) else plain


def _in_use(name: str) -> bool:
    return name in KEYWORDS or name in TAKEN
