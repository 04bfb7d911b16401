/* Plays every game one ply ahead, from nothing but `state` and `legal`. */

#include "one_ply_bot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int column, row; /* counted from 0; a column below 0 is no cell */
} Cell;

enum { COLUMNS = 26, ROWS = 100 };

/* The next cell that a move names (a letter and a number); moves `at` behind it. */
static Cell next_cell(const char **at) {
    for (; **at; ++*at) {
        if (islower((unsigned char)(*at)[0]) && isdigit((unsigned char)(*at)[1])) {
            Cell cell = {**at - 'a', 0};
            cell.row = (int)strtol(*at + 1, (char **)at, 10) - 1;
            if (cell.row >= 0 && cell.row < ROWS) return cell;
        }
    }
    return (Cell){-1, -1};
}

/* The fish or points of a cell, in games that have them: rows of digits, the top row first. */
static int points(const Json *state, Cell cell) {
    const Json *rows = json_get(state, "fish");
    if (!rows) rows = json_get(state, "points");
    if (!rows || cell.column < 0 || cell.row >= (int)rows->count) return 0;
    const Json *row = rows->first;
    for (int skip = (int)rows->count - 1 - cell.row; skip > 0; skip--) row = row->next;
    const char *digits = json_text(row);
    if (cell.column >= (int)strlen(digits) || !isdigit((unsigned char)digits[cell.column])) return 0;
    return digits[cell.column] - '0';
}

/* First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
 * shot (`/`) at the cell that matters to the fewest moves: one number for all three. */
static long worth(const Json *state, const char *move, int named[COLUMNS][ROWS]) {
    long strikes = 0;
    for (const char *c = move; *c; c++) strikes += *c == 'x' || *c == '>';
    /* A move names the cell that it begins on, if there is one, then that where it goes. */
    const char *at = move;
    Cell target = next_cell(&at), last = target, cell = next_cell(&at);
    if (cell.column >= 0) target = cell;
    for (; cell.column >= 0; cell = next_cell(&at)) last = cell;
    long shot = strchr(move, '/') ? named[last.column][last.row] : 0;
    return (strikes * 10 + points(state, target)) * 100000 - shot;
}

const char *choose(const Json *state, const Json *legal) {
    int named[COLUMNS][ROWS] = {0};
    for (const Json *move = legal->first; move; move = move->next) {
        const char *at = json_text(move);
        for (Cell cell = next_cell(&at); cell.column >= 0; cell = next_cell(&at))
            named[cell.column][cell.row]++;
    }
    const char *best = NULL;
    long highest = 0;
    int equal = 0;
    for (const Json *move = legal->first; move; move = move->next) {
        long value = worth(state, json_text(move), named);
        equal = best && value == highest ? equal + 1 : 1;
        /* The n-th of equal moves takes the place of those before with a chance of one in n. */
        if (!best || value > highest || (value == highest && rand() % equal == 0)) {
            best = json_text(move);
            highest = value;
        }
    }
    return best;
}

void play(FILE *input, FILE *output) {
    char *line;
    int going_on = 1;
    for (; going_on && (line = read_line(input)); free(line)) {
        Json *message = json_parse(line);
        const char *type = json_text(json_get(message, "type"));
        if (strcmp(type, "hello") == 0) {
            fputs("{\"type\":\"hello\",\"protocol\":1,\"name\":\"one-ply-c\"}\n", output);
        } else if (strcmp(type, "start") == 0) {
            fputs("{\"type\":\"ready\"}\n", output);
        } else if (strcmp(type, "turn") == 0) {
            const char *move = choose(json_get(message, "state"), json_get(message, "legal"));
            fprintf(output, "{\"type\":\"move\",\"move\":\"%s\",\"ply\":%.0f}\n", move,
                    json_number(json_get(message, "ply"), 0));
        } else if (strcmp(type, "error") == 0) {
            fprintf(stderr, "lost by %s: %s\n", json_text(json_get(message, "code")),
                    json_text(json_get(message, "message")));
        }
        going_on = strcmp(type, "quit") != 0;
        fflush(output); /* not a detail: a message that waits in a buffer is a timeout */
        json_free(message);
    }
}

#ifndef TESTING
int main(void) {
    play(stdin, stdout);
    return 0;
}
#endif
