/* One matrix product on a GEMM engine, C = A @ B: int8 matrices in, int32 out, all row by row without gaps. */
#ifndef MATMUL_H
#define MATMUL_H

#include <stdint.h>

#include "engine4.h"

#define MATMUL_INSTRUCTIONS 8

typedef uint32_t instruction[ENGINE4_INSTRUCTION_WORDS];

/* Sizes, and the byte addresses of the matrices as the engine sees them. Each must fit into its scratchpad. */
struct product {
  uint64_t a, b, c;
  unsigned m, n, k;
};

/* Makes the program of a product. */
void matmul_program(instruction program[MATMUL_INSTRUCTIONS], const struct product *p);

/* Runs a program that lies at byte address `at`; `registers` are those of the engine. 0, or why the run has failed:
   the register `status`; -1: this is not the engine that the header describes. */
int64_t matmul_run(volatile uint32_t *registers, uint64_t at, unsigned instructions);

#endif
