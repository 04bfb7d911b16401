/* What the bot's test needs of it. */

#ifndef ONE_PLY_BOT_H
#define ONE_PLY_BOT_H

#include <stdio.h>

#include "json.h"

/* The move of `legal` (a list of texts, not empty) to play in the position `state`. */
const char *choose(const Json *state, const Json *legal);
/* Answers the referee's messages until `quit` or the end of the input. */
void play(FILE *input, FILE *output);

#endif
