/* Builds the records that a GEMM core is driven with, from the header that was generated beside it.

     tilewright systolic --config ../matmul_top/gemm4.toml -o out
     cc -Wall -Werror -Iout records.c -o records && ./records

   It prints the words that a driver writes, the lowest first. */
#include <stdint.h>
#include <stdio.h>

#include "gemm4.h"

#define PUT(record, field, value) \
  ((record)[field##_WORD] |= ((uint32_t)(value) & field##_MASK) << field##_SHIFT)
#define GET(record, field) ((record)[field##_WORD] >> field##_SHIFT & field##_MASK)

static void show(const char *name, const uint32_t *record, int words) {
  printf("%s", name);
  for (int word = 0; word < words; word++) printf(" %08x", (unsigned)record[word]);
  printf("\n");
}

int main(void) {
  uint32_t matrix_a[GEMM4_TRANSFER_WORDS] = {0};
  PUT(matrix_a, GEMM4_TRANSFER_BASE, 3);
  PUT(matrix_a, GEMM4_TRANSFER_ROWS, 5);
  PUT(matrix_a, GEMM4_TRANSFER_COLS, 7);
  PUT(matrix_a, GEMM4_TRANSFER_TAG, 1);
  show("load_a", matrix_a, GEMM4_TRANSFER_WORDS);

  uint32_t product[GEMM4_COMMAND_WORDS] = {0};
  PUT(product, GEMM4_COMMAND_M, 5);
  PUT(product, GEMM4_COMMAND_N, 6);
  PUT(product, GEMM4_COMMAND_K, 7);
  PUT(product, GEMM4_COMMAND_A_BASE, 3);
  PUT(product, GEMM4_COMMAND_BIAS_BASE, 20);
  PUT(product, GEMM4_COMMAND_DATAFLOW, GEMM4_DATAFLOW_WS);
  PUT(product, GEMM4_COMMAND_START, GEMM4_START_BIAS);
  PUT(product, GEMM4_COMMAND_REGION, 1);
  PUT(product, GEMM4_COMMAND_TAG, 4);
  show("command", product, GEMM4_COMMAND_WORDS);

  const uint32_t answer[GEMM4_ANSWER_WORDS] = {0x0404}; /* as it came from the core */
  if (GET(answer, GEMM4_ANSWER_STATUS) == GEMM4_STATUS_A_OUT_OF_RANGE)
    printf("command %u: A does not lie in its scratchpad\n", (unsigned)GET(answer, GEMM4_ANSWER_TAG));
  return 0;
}
