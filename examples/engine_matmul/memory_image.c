/* Writes memory.mem, a memory with a product's program and operands, and expected.mem, that memory's C, for
   tb_engine4.v:

     tilewright engine --config engine4.toml -o out
     cc -std=c99 -Wall -Werror -Iout matmul.c memory_image.c -o memory_image && ./memory_image */
#include <stdio.h>
#include <string.h>

#include "matmul.h"

enum { M = 5, N = 6, K = 7 };
enum { PROGRAM = 0x0, A = 0x400, B = 0x800, C = 0xc00, BYTES = 0x1000 };

static uint8_t memory[BYTES];

static void put_word(unsigned at, uint32_t word) {
  for (unsigned byte = 0; byte < 4; byte++) memory[at + byte] = (uint8_t)(word >> 8 * byte);
}

static int write_words(const char *name, unsigned from, unsigned words) {
  FILE *file = fopen(name, "w");
  if (file == NULL) return 1;
  for (unsigned word = 0; word < words; word++) {
    const uint8_t *bytes = memory + from + 4 * word;
    fprintf(file, "%02x%02x%02x%02x\n", bytes[3], bytes[2], bytes[1], bytes[0]);
  }
  return fclose(file);
}

int main(void) {
  for (unsigned i = 0; i < M * K; i++) memory[A + i] = (uint8_t)(37 * i + 11);
  for (unsigned i = 0; i < K * N; i++) memory[B + i] = (uint8_t)(91 * i + 3);
  const struct product product = {A, B, C, M, N, K};
  instruction program[MATMUL_INSTRUCTIONS];
  matmul_program(program, &product);
  for (unsigned i = 0; i < MATMUL_INSTRUCTIONS; i++)
    for (unsigned word = 0; word < ENGINE4_INSTRUCTION_WORDS; word++)
      put_word(PROGRAM + 64 * i + 4 * word, program[i][word]);
  int failed = write_words("memory.mem", 0, BYTES / 4);

  for (unsigned m = 0; m < M; m++)
    for (unsigned n = 0; n < N; n++) {
      int32_t sum = 0;
      for (unsigned k = 0; k < K; k++) sum += (int8_t)memory[A + m * K + k] * (int8_t)memory[B + k * N + n];
      put_word(C + 4 * (m * N + n), (uint32_t)sum);
    }
  return failed | write_words("expected.mem", C, M * N);
}
