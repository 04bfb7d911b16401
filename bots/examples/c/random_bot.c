/* Plays every game, at random.
 *
 *     cc -O2 -o random_bot random_bot.c json.c
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"

int main(void) {
    char *line;
    srand((unsigned)time(NULL));
    for (; (line = read_line(stdin)); free(line)) {
        Json *message = json_parse(line);
        const char *type = json_text(json_get(message, "type"));
        if (strcmp(type, "hello") == 0) {
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"random-c\"}");
        } else if (strcmp(type, "start") == 0) {
            puts("{\"type\":\"ready\"}");
        } else if (strcmp(type, "turn") == 0) {
            const Json *legal = json_get(message, "legal"), *move = legal->first;
            for (size_t skip = (size_t)rand() % legal->count; skip > 0; skip--) move = move->next;
            printf("{\"type\":\"move\",\"move\":\"%s\"}\n", move->text);
        } else if (strcmp(type, "quit") == 0) {
            return 0;
        }
        fflush(stdout); /* not a detail: a message that waits in a buffer is a timeout */
        json_free(message);
    }
    return 0;
}
