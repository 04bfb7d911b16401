/* Tests of the game and of its program: `make test`. */

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game.h"
#include "program.h"

static Options options(int heap, int most) {
    return (Options){heap, most};
}

/* How many ways there are to make exactly `depth` moves. */
static long perft(const Options *options, State state, int depth) {
    char moves[MOST_MOVES][MOVE_SIZE];
    if (depth == 0) return 1;
    if (to_move(&state) < 0) return 0;
    int count = legal_moves(options, &state, moves);
    long nodes = 0;
    for (int i = 0; i < count; i++) {
        State next = state;
        apply(&next, moves[i]);
        nodes += perft(options, next, depth - 1);
    }
    return nodes;
}

static void who_takes_the_last_one_wins(void) {
    Options five = options(5, 3);
    State state = start(&five, 0);
    int scores[SEATS];
    apply(&state, "take3");
    apply(&state, "take1");
    assert(to_move(&state) == 0);
    apply(&state, "take1");
    assert(to_move(&state) == -1 && strcmp(end_of_game(&state, scores), "heap_empty") == 0);
    assert(scores[0] == 1 && scores[1] == 0);
}

static void no_more_than_are_left(void) {
    char moves[MOST_MOVES][MOVE_SIZE];
    Options two = options(2, 3), one = options(21, 1);
    State state = start(&two, 0);
    assert(legal_moves(&two, &state, moves) == 2 && strcmp(moves[1], "take2") == 0);
    state = start(&one, 0);
    assert(legal_moves(&one, &state, moves) == 1);
}

static void positions_are_counted(void) {
    static const long expected[] = {1, 3, 8, 10, 5, 1, 0};
    Options five = options(5, 3);
    for (int depth = 0; depth < 7; depth++)
        assert(perft(&five, start(&five, 0), depth) == expected[depth]);
}

/* Each line of `requests` is answered with a line that contains the text beside it. */
static void requests_are_answered(void) {
    static const char *const lines[][2] = {
        {"{\"id\":0,\"op\":\"hello\",\"protocol\":1}", "\"games\":[{\"id\":\"nim\""},
        {"{\"id\":1,\"op\":\"get\"}", "{\"id\":1,\"error\":{\"code\":\"no_game\""},
        {"{\"id\":\"a\",\"op\":\"new\",\"game\":\"nim\",\"options\":{\"heap\":4},\"want\":[\"legal\",\"state\"]}",
         "{\"id\":\"a\",\"ok\":{\"ply\":0,\"to_move\":0,\"result\":null,\"legal\":[\"take1\",\"take2\",\"take3\"],"
         "\"state\":{\"ply\":0,\"to_move\":0,\"left\":4,\"turn\":0}}}"},
        {"{\"op\":\"play\",\"moves\":[\"take1\",\"take4\"]}", "{\"id\":null,\"error\":{\"code\":\"illegal_move\""},
        {"{\"op\":\"play\",\"moves\":[\"take1\",\"take3\"],\"want\":[\"legal\"]}",
         "{\"ply\":2,\"to_move\":null,\"result\":{\"scores\":[0,1],\"reason\":\"heap_empty\"},\"legal\":[]}}"},
        {"{\"op\":\"play\",\"moves\":[\"take1\"]}", "\"game_over\""},
        {"{\"op\":\"new\",\"game\":\"nim\",\"state\":{\"ply\":3,\"to_move\":1,\"left\":2,\"turn\":1}}",
         "{\"ply\":3,\"to_move\":1,\"result\":null}"},
        {"{\"op\":\"new\",\"game\":\"nim\",\"state\":{\"ply\":3,\"left\":2}}", "\"bad_state\""},
        {"{\"op\":\"new\",\"game\":\"nim\",\"options\":{\"heap\":0}}", "option `heap`"},
        {"{\"op\":\"new\",\"game\":\"nim\",\"options\":{\"a\\\"b\":0}}", "option `a\\\"b`"},
        {"{\"op\":\"new\",\"game\":\"chess\"}", "\"unknown_game\""},
        {"{\"op\":\"get\",\"want\":[\"more\"]}", "\"bad_request\""},
        {"{\"op\":\"fly\"}", "\"bad_request\""},
        {"[]", "\"bad_request\""},
        {"", "\"bad_request\""},
    };
    FILE *input = tmpfile(), *output = tmpfile();
    assert(input && output);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) fprintf(input, "%s\n", lines[i][0]);
    rewind(input);
    answer_all(input, output);
    rewind(output);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *line = read_line(output);
        assert(line);
        if (!strstr(line, lines[i][1])) {
            fprintf(stderr, "%s\nis answered with\n%s\n", lines[i][0], line);
            exit(1);
        }
        free(line);
    }
    assert(!read_line(output));
    fclose(input);
    fclose(output);
}

int main(void) {
    who_takes_the_last_one_wins();
    no_more_than_are_left();
    positions_are_counted();
    requests_are_answered();
    puts("4 tests passed");
    return 0;
}
