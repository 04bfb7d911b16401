/* A rules program: reads the referee's requests and answers them for the game of game.c. Each line is
 * a JSON object, and so is each answer. After an error everything is as it was before. */

#define _POSIX_C_SOURCE 200809L

#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "game.h"

/* A position: none while `set_up` is 0. */
typedef struct {
    int set_up;
    long ply;
    Options options;
    State state;
} Position;

/* A request with where its answer goes. */
typedef struct {
    const Json *json;
    FILE *output;
} Request;

static void begin_answer(Request request, const char *kind) {
    const Json *id = json_get(request.json, "id");
    /* It is given back as it was written. */
    if (id)
        fprintf(request.output, "{\"id\":%.*s,\"%s\":", (int)id->raw_length, id->raw, kind);
    else
        fprintf(request.output, "{\"id\":null,\"%s\":", kind);
}

static void write_text(const char *text, FILE *output) {
    putc('"', output);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(output, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(output, "\\u%04x", (unsigned)*text);
        else
            putc(*text, output);
    }
    putc('"', output);
}

static void refuse(Request request, const char *code, const char *message) {
    begin_answer(request, "error");
    fprintf(request.output, "{\"code\":\"%s\",\"message\":", code);
    write_text(message, request.output);
    fputs("}}\n", request.output);
}

static void write_turn(const State *state, FILE *output) {
    int seat = to_move(state);
    if (seat >= 0)
        fprintf(output, "%d", seat);
    else
        fputs("null", output);
}

static void write_result(const State *state, FILE *output) {
    int scores[SEATS];
    if (to_move(state) >= 0) {
        fputs("null", output);
        return;
    }
    const char *reason = end_of_game(state, scores);
    fputs("{\"scores\":[", output);
    for (int seat = 0; seat < SEATS; seat++) fprintf(output, seat ? ",%d" : "%d", scores[seat]);
    fprintf(output, "],\"reason\":\"%s\"}", reason);
}

static void write_legal(const Position *position, FILE *output) {
    char moves[MOST_MOVES][MOVE_SIZE];
    int count = 0;
    if (to_move(&position->state) >= 0) count = legal_moves(&position->options, &position->state, moves);
    putc('[', output);
    for (int i = 0; i < count; i++) {
        if (i) putc(',', output);
        write_text(moves[i], output);
    }
    putc(']', output);
}

/* Whether `want` is missing, or a list of what there is. */
static int want_is_known(const Json *want) {
    if (!want) return 1;
    if (want->kind != JSON_ARRAY) return 0;
    for (const Json *name = want->first; name; name = name->next)
        if (strcmp(json_text(name), "legal") != 0 && strcmp(json_text(name), "state") != 0) return 0;
    return 1;
}

/* Answers with the position, and with what is wanted. */
static void describe(Request request, const Position *position) {
    FILE *output = request.output;
    const State *state = &position->state;
    begin_answer(request, "ok");
    fprintf(output, "{\"ply\":%ld,\"to_move\":", position->ply);
    write_turn(state, output);
    fputs(",\"result\":", output);
    write_result(state, output);
    const Json *want = json_get(request.json, "want");
    for (const Json *name = want ? want->first : NULL; name; name = name->next) {
        if (strcmp(json_text(name), "legal") == 0) {
            fputs(",\"legal\":", output);
            write_legal(position, output);
        } else {
            fprintf(output, ",\"state\":{\"ply\":%ld,\"to_move\":", position->ply);
            write_turn(state, output);
            putc(',', output);
            write_state(state, output);
            putc('}', output);
        }
    }
    fputs("}}\n", output);
}

static void hello(Request request) {
    begin_answer(request, "ok");
    fprintf(request.output,
            "{\"protocol\":1,\"name\":\"%s\",\"version\":\"1\",\"can\":[],\"strict\":true,\"games\":[%s]}}\n",
            game_id, game_entry);
}

/* Reads a state with its `ply`. Returns 0 if it is none, and says why. */
static int read_position(const Json *given, Position *position, char message[MESSAGE_SIZE]) {
    double ply = json_number(json_get(given, "ply"), -1);
    if (!(ply >= 0 && ply < 4294967296.0) || ply != (double)(long)ply) {
        snprintf(message, MESSAGE_SIZE, "`ply` is not the number of plies made so far");
        return 0;
    }
    position->ply = (long)ply;
    if (!read_state(&position->options, given, &position->state, message)) return 0;
    const Json *turn = json_get(given, "to_move");
    if (turn && json_number(turn, -1) != to_move(&position->state)) {
        snprintf(message, MESSAGE_SIZE, "`to_move` does not fit the rest");
        return 0;
    }
    return 1;
}

static void new_position(Request request, Position *position) {
    Position opened = {.set_up = 1};
    char message[MESSAGE_SIZE];
    const Json *options = json_get(request.json, "options"), *state = json_get(request.json, "state");
    if (strcmp(json_text(json_get(request.json, "game")), game_id) != 0) {
        snprintf(message, sizeof message, "there is only the game `%s`", game_id);
        refuse(request, "unknown_game", message);
        return;
    }
    if (options && options->kind != JSON_OBJECT && options->kind != JSON_NULL) {
        refuse(request, "bad_option", "`options` is not an object");
        return;
    }
    if (!read_options(options, &opened.options, message)) {
        refuse(request, "bad_option", message);
        return;
    }
    if (!state || state->kind == JSON_NULL) {
        unsigned long seed = (unsigned long)json_number(json_get(request.json, "seed"), 0);
        opened.state = start(&opened.options, seed);
    } else if (!read_position(state, &opened, message)) {
        refuse(request, "bad_state", message);
        return;
    }
    *position = opened;
    describe(request, position);
}

static int is_legal(const Position *position, const char *move) {
    char moves[MOST_MOVES][MOVE_SIZE];
    int count = legal_moves(&position->options, &position->state, moves);
    for (int i = 0; i < count; i++)
        if (strcmp(moves[i], move) == 0) return 1;
    return 0;
}

/* All moves are played, or none. */
static void play(Request request, Position *position) {
    Position ahead = *position;
    const Json *moves = json_get(request.json, "moves");
    if (!moves || moves->kind != JSON_ARRAY) {
        refuse(request, "bad_request", "`moves` is not a list");
        return;
    }
    for (const Json *move = moves->first; move; move = move->next) {
        if (to_move(&ahead.state) < 0) {
            refuse(request, "game_over", "the game is over");
            return;
        }
        if (!is_legal(&ahead, json_text(move))) {
            char message[MESSAGE_SIZE];
            snprintf(message, sizeof message, "move %ld is not legal", ahead.ply - position->ply + 1);
            refuse(request, "illegal_move", message);
            return;
        }
        apply(&ahead.state, json_text(move));
        ahead.ply++;
    }
    *position = ahead;
    describe(request, position);
}

static void answer(Request request, Position *position) {
    const char *op = json_text(json_get(request.json, "op"));
    int plays = strcmp(op, "play") == 0;
    if (!want_is_known(json_get(request.json, "want")))
        refuse(request, "bad_request", "`want` is not a list of `legal` and `state`");
    else if (strcmp(op, "hello") == 0)
        hello(request);
    else if (strcmp(op, "new") == 0)
        new_position(request, position);
    else if (!plays && strcmp(op, "get") != 0)
        refuse(request, "bad_request", "`op` is not one of `hello`, `new`, `play`, `get`");
    else if (!position->set_up)
        refuse(request, "no_game", "there is no position yet: `new` sets one up");
    else if (plays)
        play(request, position);
    else
        describe(request, position);
}

void answer_all(FILE *input, FILE *output) {
    Position position = {0};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, input)) >= 0) {
        Json *json = strlen(line) == (size_t)length ? json_parse(line) : NULL;
        Request request = {json, output};
        if (json && json->kind == JSON_OBJECT)
            answer(request, &position);
        else
            refuse(request, "bad_request", "a request is a JSON object");
        fflush(output); /* not a detail: what waits in a buffer is waited for */
        json_free(json);
    }
    free(line);
}

#ifndef TESTING
int main(void) {
    answer_all(stdin, stdout);
    return 0;
}
#endif
