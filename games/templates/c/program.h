/* What the tests need of program.c. */

#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>

/* Answers each line with one line until the end of the input. */
void answer_all(FILE *input, FILE *output);

#endif
