// sim uart COMMANDS ANSWERS: an interactive run of a design of which two wires are a UART. Reads lines from one file
// descriptor and answers each with a line on the other; ends when the first is closed.
#pragma once

int uart_main(int commands, int answers);
