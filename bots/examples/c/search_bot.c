/* Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward model.
 * POSIX, for the model's process.
 *
 *     cc -O2 -o search_bot search_bot.c json.c -lm
 */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"

enum {
    HORIZON = 80, /* random games stop after this many plies: longer ones say less */
    BATCH = 4,    /* random games at a time */
    READY = 8,    /* after this many games with a move, the replies to it are searched, too */
    DEEPEST = 64  /* no line of moves is followed further */
};
/* How much moves that were tried less are preferred. */
static const double CURIOSITY = 0.4;

/* A move, what games after it came to for the seat that made it, and the answers to it. */
typedef struct Node Node;
struct Node {
    char *move;
    int seat;
    double sum, games;
    Node *children;
    size_t count;
};

/* What `start` said. */
static struct {
    char game[64], *options;
    int seat;
    double max_plies;
} match;

/* `referee model` as a child process, which holds one position. */
static FILE *requests, *answers;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* The referee gives its bots its own path in REFEREE; otherwise it must be on the PATH. */
static void start_model(void) {
    int to[2], from[2];
    const char *program = getenv("REFEREE");
    if (pipe(to) < 0 || pipe(from) < 0) fail("pipe");
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execlp(program ? program : "referee", "referee", "model", (char *)NULL);
        fail("referee model");
    }
    close(to[0]);
    close(from[1]);
    signal(SIGPIPE, SIG_IGN);
    requests = fdopen(to[1], "w");
    answers = fdopen(from[0], "r");
}

/* The next answer; the caller frees it, and the line that it was read from. */
static Json *receive(char **line) {
    fflush(requests);
    *line = read_line(answers);
    Json *answer = *line ? json_parse(*line) : NULL;
    if (!json_get(answer, "ok")) {
        fprintf(stderr, "the forward model: %s\n", *line ? *line : "has ended");
        exit(1);
    }
    return answer;
}

static void pass_over(void) {
    char *line;
    json_free(receive(&line));
    free(line);
}

/* Asks for `op` after a line of moves, and takes them back; returns the seat to move there. All is
 * sent before anything is read, which saves waiting. */
static Json *ask_after(Node *const *moves, size_t count, const char *op, int games, long seed, int *seat, char **line) {
    fputs("{\"op\":\"play\",\"moves\":[", requests);
    for (size_t i = 0; i < count; i++) fprintf(requests, "%s\"%s\"", i ? "," : "", moves[i]->move);
    fprintf(requests, "]}\n{\"op\":\"%s\",\"count\":%d,\"seed\":%ld}\n", op, games, seed);
    fprintf(requests, "{\"op\":\"undo\",\"count\":%zu}\n", count);
    Json *position = receive(line);
    *seat = (int)json_number(json_get(json_get(position, "ok"), "to_move"), 0);
    json_free(position);
    free(*line);
    return receive(line);
}

/* What an outcome, a list of numbers, is for a seat. */
static double outcome_of(const Json *outcome, int seat) {
    const Json *value = outcome->first;
    while (seat-- > 0 && value) value = value->next;
    return json_number(value, 0);
}

/* Gives a node its children, each of which begins with one random game. */
static void expand(Node *node, Node *const *moves, size_t count) {
    char *line;
    int seat;
    Json *answer = ask_after(moves, count, "playouts", 1, (long)node->games, &seat, &line);
    const Json *means = json_get(json_get(answer, "ok"), "moves");
    node->children = calloc(means->count + 1, sizeof *node->children);
    if (!node->children) fail("memory");
    for (const Json *mean = means->first; mean; mean = mean->next) {
        Node *child = &node->children[node->count++];
        child->move = strdup(mean->key);
        child->seat = seat;
        child->sum = outcome_of(mean, seat);
        child->games = 1;
    }
    json_free(answer);
    free(line);
    pass_over(); /* of `undo` */
}

static void free_children(Node *node) {
    for (size_t i = 0; i < node->count; i++) {
        free_children(&node->children[i]);
        free(node->children[i].move);
    }
    free(node->children);
}

/* The child to try next: a good one, or one that is not known well (UCB1). */
static Node *pick(const Node *node) {
    double total = 1, highest = -1;
    Node *best = NULL;
    for (size_t i = 0; i < node->count; i++) total += node->children[i].games;
    for (size_t i = 0; i < node->count; i++) {
        Node *child = &node->children[i];
        /* As if half a game more had been won and half a game lost. */
        double mean = (child->sum + 0.5) / (child->games + 1);
        double promise = mean + CURIOSITY * sqrt(log(total) / child->games);
        if (promise > highest) {
            best = child;
            highest = promise;
        }
    }
    return best;
}

/* Follows the most promising moves, plays on at random, and remembers what that gave. */
static void try_line(Node *root, long seed) {
    Node *moves[DEEPEST] = {0}, *leaf = root;
    size_t count = 0;
    char *line;
    int seat;
    while (leaf->count && count < DEEPEST) moves[count++] = leaf = pick(leaf);
    if (leaf->games >= READY && !leaf->children) expand(leaf, moves, count);
    Json *answer = ask_after(moves, count, "playout", BATCH, seed, &seat, &line);
    const Json *outcome = json_get(json_get(answer, "ok"), "outcome");
    for (size_t i = 0; i < count; i++) {
        moves[i]->sum += BATCH * outcome_of(outcome, moves[i]->seat);
        moves[i]->games += BATCH;
    }
    json_free(answer);
    free(line);
    pass_over(); /* of `undo` */
}

static double usable(double limit) {
    return fmax(0, 0.8 * limit - 10);
}

/* Milliseconds to spend on a move: a safe part of what is allowed. */
static double budget(const Json *clock) {
    double limit = json_number(json_get(clock, "move_ms"), INFINITY);
    const Json *remaining = json_get(clock, "remaining_ms");
    remaining = remaining ? remaining->first : NULL;
    for (int seat = match.seat; seat > 0 && remaining; seat--) remaining = remaining->next;
    double left = usable(json_number(remaining, INFINITY));
    double increment = json_number(json_get(clock, "increment_ms"), 0);
    /* As if 25 moves were still to come. */
    double part = fmin(left / 25 + 0.8 * increment, left);
    double least = fmin(usable(limit), part);
    return isinf(least) ? 1000 : least;
}

static void start_match(const Json *start) {
    const Json *options = json_get(start, "options");
    snprintf(match.game, sizeof match.game, "%s", json_text(json_get(start, "game")));
    free(match.options);
    match.options = options ? strndup(options->raw, options->raw_length) : strdup("{}");
    match.seat = (int)json_number(json_get(start, "seat"), 0);
    match.max_plies = json_number(json_get(json_get(start, "limits"), "max_plies"), INFINITY);
}

static void answer_turn(const Json *turn, double began) {
    double end = began + budget(json_get(turn, "clock"));
    double ply = json_number(json_get(turn, "ply"), 0);
    const Json *state = json_get(turn, "state");
    fprintf(requests, "{\"op\":\"new\",\"game\":\"%s\",\"options\":%s,\"state\":%.*s,\"max_plies\":%.0f}\n",
            match.game, match.options, (int)state->raw_length, state->raw, fmin(match.max_plies, ply + HORIZON));
    pass_over();
    Node root = {0};
    root.seat = match.seat;
    expand(&root, NULL, 0);
    long playouts = (long)root.count;
    for (; root.count > 1 && now_ms() < end; playouts += BATCH) try_line(&root, playouts);
    const Node *best = root.children;
    for (size_t i = 1; i < root.count; i++)
        if (root.children[i].games > best->games) best = &root.children[i];
    printf("{\"type\":\"move\",\"move\":\"%s\",\"ply\":%.0f,\"info\":{\"value\":%.3f,\"nodes\":%ld}}\n", best->move,
           ply, best->sum / best->games, playouts);
    free_children(&root);
}

int main(void) {
    int going_on = 1;
    char *line;
    start_model();
    for (; going_on && (line = read_line(stdin)); free(line)) {
        double began = now_ms();
        Json *message = json_parse(line);
        const char *type = json_text(json_get(message, "type"));
        if (strcmp(type, "hello") == 0) {
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"search-c\",\"wants\":{\"state\":true,\"legal\":false}}");
        } else if (strcmp(type, "start") == 0) {
            start_match(message);
            puts("{\"type\":\"ready\"}");
        } else if (strcmp(type, "turn") == 0) {
            answer_turn(message, began);
        } else if (strcmp(type, "error") == 0) {
            fprintf(stderr, "lost by %s\n", json_text(json_get(message, "code")));
        }
        going_on = strcmp(type, "quit") != 0;
        fflush(stdout);
        json_free(message);
    }
    free(match.options);
    return 0;
}
