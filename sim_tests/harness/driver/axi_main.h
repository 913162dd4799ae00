// sim axi COMMANDS ANSWERS: an interactive run. Reads lines from one file descriptor and answers each with a line on
// the other; ends when the first is closed. What the design prints goes to standard error.
#pragma once

int axi_main(int commands, int answers);
