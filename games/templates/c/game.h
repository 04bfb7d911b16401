/* The rules, as program.c needs them. To make a game of your own, change these types and game.c. */

#ifndef GAME_H
#define GAME_H

#include <stdio.h>

#include "json.h"

enum { SEATS = 2, MOST_MOVES = 10, MOVE_SIZE = 16, MESSAGE_SIZE = 200 };

typedef struct {
    int heap, most;
} Options;

typedef struct {
    int left, turn;
} State;

/* The game's id, and its entry in the answer to `hello`. */
extern const char *const game_id, *const game_entry;

/* Reads options, NULL for none. Returns 0 if one is wrong, and says which in `message`. */
int read_options(const Json *given, Options *options, char message[MESSAGE_SIZE]);

/* The state at the start. Only `seed` may make one start differ from another. */
State start(const Options *options, unsigned long seed);

/* Writes the fields of a state as JSON, without `ply` and `to_move`. */
void write_state(const State *state, FILE *output);

/* Reads them back. Returns 0 if they make no sense, and says why in `message`. */
int read_state(const Options *options, const Json *given, State *state, char message[MESSAGE_SIZE]);

/* The seat to move, -1 when the game is over. */
int to_move(const State *state);

/* Writes all legal moves and returns their number. */
int legal_moves(const Options *options, const State *state, char moves[MOST_MOVES][MOVE_SIZE]);

/* Plays a move, which is legal. */
void apply(State *state, const char *move);

/* The scores of a game that is over, and why it ended. */
const char *end_of_game(const State *state, int scores[SEATS]);

#endif
