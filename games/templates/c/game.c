/* Nim: a heap, from which two players take in turn. */

#include "game.h"

#include <stdlib.h>
#include <string.h>

enum { HEAP = 21, MOST_HEAP = 100, MOST = 3 };

const char *const game_id = "nim";

const char *const game_entry =
    "{\"id\":\"nim\",\"title\":\"Nim\","
    "\"summary\":\"Take from the heap; taking the last one wins.\","
    "\"roles\":[\"first\",\"second\"],\"symmetric\":true,\"hidden\":false,"
    "\"options\":{"
    "\"heap\":{\"type\":\"int\",\"min\":1,\"max\":100,\"default\":21,"
    "\"help\":\"How many there are at the start.\"},"
    "\"most\":{\"type\":\"int\",\"min\":1,\"max\":10,\"default\":3,"
    "\"help\":\"How many a player may take at a time.\"}},"
    "\"notation\":[[\"take2\",\"take two of the heap\"]],"
    "\"limits\":{\"max_plies\":null,\"repetition\":null},"
    "\"guide\":\"# Nim\\n\\nThere is one heap. Two players take from it in turn, at least one and at most"
    " three at a time.\\nWhoever takes the last one wins.\\n\"}";

/* Whether a value is a whole number from `least` to `most`; if so, it is put into `number`. */
static int read_int(const Json *value, int least, int most, int *number) {
    double given = json_number(value, least - 1.0);
    if (!(given >= least && given <= most) || given != (int)given) return 0;
    *number = (int)given;
    return 1;
}

int read_options(const Json *given, Options *options, char message[MESSAGE_SIZE]) {
    *options = (Options){HEAP, MOST};
    for (const Json *field = given ? given->first : NULL; field; field = field->next) {
        if (strcmp(field->key, "heap") == 0) {
            if (read_int(field, 1, MOST_HEAP, &options->heap)) continue;
            snprintf(message, MESSAGE_SIZE, "option `heap`: it must be a whole number from 1 to %d", MOST_HEAP);
        } else if (strcmp(field->key, "most") == 0) {
            if (read_int(field, 1, MOST_MOVES, &options->most)) continue;
            snprintf(message, MESSAGE_SIZE, "option `most`: it must be a whole number from 1 to %d", MOST_MOVES);
        } else {
            snprintf(message, MESSAGE_SIZE, "option `%.40s`: there is no such option; allowed are `heap`, `most`",
                     field->key);
        }
        return 0;
    }
    return 1;
}

State start(const Options *options, unsigned long seed) {
    (void)seed; /* nothing is random here */
    return (State){options->heap, 0};
}

void write_state(const State *state, FILE *output) {
    fprintf(output, "\"left\":%d,\"turn\":%d", state->left, state->turn);
}

int read_state(const Options *options, const Json *given, State *state, char message[MESSAGE_SIZE]) {
    const char *wrong = NULL;
    if (!read_int(json_get(given, "left"), 0, options->heap, &state->left))
        wrong = "`left` does not fit the heap";
    else if (!read_int(json_get(given, "turn"), 0, 1, &state->turn))
        wrong = "`turn` is neither 0 nor 1";
    if (wrong) snprintf(message, MESSAGE_SIZE, "%s", wrong);
    return !wrong;
}

int to_move(const State *state) {
    return state->left > 0 ? state->turn : -1;
}

int legal_moves(const Options *options, const State *state, char moves[MOST_MOVES][MOVE_SIZE]) {
    int count = options->most < state->left ? options->most : state->left;
    for (int i = 0; i < count; i++) snprintf(moves[i], MOVE_SIZE, "take%d", i + 1);
    return count;
}

void apply(State *state, const char *move) {
    state->left -= atoi(move + strlen("take"));
    state->turn = 1 - state->turn;
}

const char *end_of_game(const State *state, int scores[SEATS]) {
    for (int seat = 0; seat < SEATS; seat++) scores[seat] = seat != state->turn;
    return "heap_empty";
}
