/* Plays every game without knowing a rule: a best-first search on the referee's forward model, which
 * says in one answer what all moves lead to and what that is worth. POSIX, for the model's process.
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
    SEATS = 4,   /* no game has more */
    DEEPEST = 64 /* no line of moves is followed further */
};
/* How much moves that were tried less are preferred. */
static const double CURIOSITY = 0.1;

/* A move of a seat, the position after it, and the answers to it. */
typedef struct Node Node;
struct Node {
    char *move;
    int seat, to_move, over;
    double values[SEATS]; /* what each seat can expect */
    double sum, looks;    /* what its seat expects, summed up over all looks at it and beyond */
    Node *children;
    size_t count;
};

/* What `start` said. */
static struct {
    char game[64], *options;
    int seat;
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

/* Sets a node up from a position that the model describes. */
static void read_node(Node *node, int seat, const Json *position) {
    const Json *to_move = json_get(position, "to_move"), *value = json_get(position, "value");
    value = value ? value->first : NULL;
    for (int i = 0; i < SEATS && value; i++, value = value->next) node->values[i] = json_number(value, 0);
    node->seat = seat;
    node->over = !to_move || to_move->kind == JSON_NULL;
    node->to_move = (int)json_number(to_move, 0);
    node->sum = node->values[seat];
    node->looks = 1;
}

/* Gives a node its children, and returns the best of them. All is sent before anything is read, which
 * saves waiting. */
static Node *expand(Node *node, Node *const *moves, size_t count) {
    char *line;
    fputs("{\"op\":\"play\",\"moves\":[", requests);
    for (size_t i = 0; i < count; i++) fprintf(requests, "%s\"%s\"", i ? "," : "", moves[i]->move);
    fputs("]}\n{\"op\":\"children\",\"want\":[\"value\"]}\n", requests);
    fprintf(requests, "{\"op\":\"undo\",\"count\":%zu}\n", count);
    pass_over(); /* of `play` */
    Json *answer = receive(&line);
    const Json *children = json_get(json_get(answer, "ok"), "children");
    Node *best = node->children = calloc(children->count + 1, sizeof *node->children);
    if (!node->children) fail("memory");
    for (const Json *position = children->first; position; position = position->next) {
        Node *child = &node->children[node->count++];
        child->move = strdup(json_text(json_get(position, "move")));
        read_node(child, node->to_move, position);
        if (child->sum > best->sum) best = child;
    }
    json_free(answer);
    free(line);
    pass_over(); /* of `undo` */
    return best;
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
    for (size_t i = 0; i < node->count; i++) total += node->children[i].looks;
    for (size_t i = 0; i < node->count; i++) {
        Node *child = &node->children[i];
        double promise = child->sum / child->looks + CURIOSITY * sqrt(log(total) / child->looks);
        if (promise > highest) {
            best = child;
            highest = promise;
        }
    }
    return best;
}

/* Follows the most promising moves, looks at all answers to the last one, and remembers what the best
 * of them leads to. */
static void try_line(Node *root) {
    Node *moves[DEEPEST] = {0}, *last = root;
    size_t count = 0;
    while (last->count && count < DEEPEST) moves[count++] = last = pick(last);
    if (!last->over && !last->count) last = expand(last, moves, count);
    for (size_t i = 0; i < count; i++) {
        moves[i]->sum += last->values[moves[i]->seat];
        moves[i]->looks++;
    }
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
}

static void answer_turn(const Json *turn, double began) {
    double end = began + budget(json_get(turn, "clock"));
    double ply = json_number(json_get(turn, "ply"), 0);
    const Json *state = json_get(turn, "state");
    fprintf(requests, "{\"op\":\"new\",\"game\":\"%s\",\"options\":%s,\"state\":%.*s,\"want\":[\"value\"]}\n",
            match.game, match.options, (int)state->raw_length, state->raw);
    char *line;
    Json *position = receive(&line);
    Node root = {0};
    read_node(&root, match.seat, json_get(position, "ok"));
    json_free(position);
    free(line);
    expand(&root, NULL, 0);
    long tried = 0;
    for (; root.count > 1 && now_ms() < end; tried++) try_line(&root);
    const Node *best = root.children;
    for (size_t i = 1; i < root.count; i++) {
        const Node *child = &root.children[i];
        if (child->looks > best->looks || (child->looks == best->looks && child->sum > best->sum)) best = child;
    }
    printf("{\"type\":\"move\",\"move\":\"%s\",\"ply\":%.0f,\"info\":{\"value\":%.3f,\"nodes\":%ld}}\n", best->move,
           ply, best->sum / best->looks, tried);
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
