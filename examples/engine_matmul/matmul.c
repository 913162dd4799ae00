#include "matmul.h"

#include <string.h>

enum { A_SLOT, B_SLOT };       /* tensors of loads; stores have slots of their own */
enum { A_IN, B_IN, C_READY };  /* tokens */
#define TOKEN(t) (1u << (t))

/* A plain matrix: rows of `cols` values, `pitch` bytes apart. */
static void tensor(instruction i, unsigned opcode, unsigned slot, unsigned cols, unsigned pitch) {
  memset(i, 0, sizeof(instruction));
  ENGINE4_PUT(i, HEAD_OPCODE, opcode);
  ENGINE4_PUT(i, TENSOR_SLOT, slot);
  ENGINE4_PUT(i, TENSOR_LINE, cols);
  ENGINE4_PUT(i, TENSOR_TAP_X_COUNT, 1);
  ENGINE4_PUT(i, TENSOR_OUT_X_COUNT, 65535);
  ENGINE4_PUT(i, TENSOR_OUT_X_STRIDE, pitch);
  ENGINE4_PUT(i, TENSOR_OUT_Y_COUNT, 1);
  ENGINE4_PUT(i, TENSOR_X_SIZE, 1);
  ENGINE4_PUT(i, TENSOR_Y_SIZE, 1);
}

/* All of a matrix at `address`, to or from word 0 of its scratchpad. */
static void box(instruction i, unsigned opcode, unsigned target, unsigned slot, uint64_t address, unsigned rows,
                unsigned cols, unsigned waits, unsigned gives) {
  memset(i, 0, sizeof(instruction));
  ENGINE4_PUT(i, HEAD_OPCODE, opcode);
  ENGINE4_PUT(i, HEAD_WAITS, waits);
  ENGINE4_PUT(i, HEAD_GIVES, gives);
  ENGINE4_PUT(i, BOX_TARGET, target);
  ENGINE4_PUT(i, BOX_SLOT, slot);
  ENGINE4_PUT(i, BOX_ADDRESS, address);
  ENGINE4_PUT(i, BOX_ROWS, rows);
  ENGINE4_PUT(i, BOX_COLS, cols);
}

void matmul_program(instruction program[MATMUL_INSTRUCTIONS], const struct product *p) {
  instruction *i = program;
  tensor(*i++, ENGINE4_OPCODE_LOAD_TENSOR, A_SLOT, p->k, p->k * ENGINE4_A_BYTES);
  tensor(*i++, ENGINE4_OPCODE_LOAD_TENSOR, B_SLOT, p->n, p->n * ENGINE4_B_BYTES);
  tensor(*i++, ENGINE4_OPCODE_STORE_TENSOR, 0, p->n, p->n * ENGINE4_ACC_BYTES);
  box(*i++, ENGINE4_OPCODE_LOAD, ENGINE4_TARGET_A, A_SLOT, p->a, p->m, p->k, 0, TOKEN(A_IN));
  box(*i++, ENGINE4_OPCODE_LOAD, ENGINE4_TARGET_B, B_SLOT, p->b, p->k, p->n, 0, TOKEN(B_IN));

  memset(*i, 0, sizeof(instruction));
  ENGINE4_PUT(*i, HEAD_OPCODE, ENGINE4_OPCODE_GEMM);
  ENGINE4_PUT(*i, HEAD_WAITS, TOKEN(A_IN) | TOKEN(B_IN));
  ENGINE4_PUT(*i, HEAD_GIVES, TOKEN(C_READY));
  ENGINE4_PUT(*i, GEMM_M, p->m);
  ENGINE4_PUT(*i, GEMM_N, p->n);
  ENGINE4_PUT(*i, GEMM_K, p->k);
  ENGINE4_PUT(*i, GEMM_DATAFLOW, ENGINE4_DATAFLOW_WS);
  ENGINE4_PUT(*i, GEMM_START, ENGINE4_START_ZERO);
  i++;

  box(*i++, ENGINE4_OPCODE_STORE, ENGINE4_STORE_RAW, 0, p->c, p->m, p->n, TOKEN(C_READY), 0);
  memset(*i, 0, sizeof(instruction)); /* END */
}

int64_t matmul_run(volatile uint32_t *registers, uint64_t at, unsigned instructions) {
#define REGISTER(name) registers[ENGINE4_REG_##name / 4]
  if (REGISTER(IDENTIFICATION) != ENGINE4_VALUE_IDENTIFICATION || REGISTER(DIGEST) != ENGINE4_VALUE_DIGEST) return -1;
  REGISTER(PROGRAM_LOW) = (uint32_t)at;
  REGISTER(PROGRAM_HIGH) = (uint32_t)(at >> 32);
  REGISTER(PROGRAM_COUNT) = instructions;
  REGISTER(WATCHDOG) = 1000000; /* cycles */
  /* Whatever the caches of the processor hold of A, B and the program must be in memory by now. */
  REGISTER(CONTROL) = 1u << ENGINE4_CONTROL_START_SHIFT;
  while (!(REGISTER(INTERRUPT) >> ENGINE4_INTERRUPT_ENDED_SHIFT & ENGINE4_INTERRUPT_ENDED_MASK)) {
  }
  REGISTER(INTERRUPT) = 1;
  uint32_t status = REGISTER(STATUS);
  return status >> ENGINE4_STATUS_DONE_SHIFT & ENGINE4_STATUS_DONE_MASK ? 0 : (int64_t)status;
#undef REGISTER
}
