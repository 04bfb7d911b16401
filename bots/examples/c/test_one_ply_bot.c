/* Tests of the bot and of the reader of JSON: `make test`. */

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "one_ply_bot.h"

static void check_choice(const char *state_text, const char *legal_text, const char *expected) {
    Json *state = json_parse(state_text), *legal = json_parse(legal_text);
    const char *move = choose(state, legal);
    if (strcmp(move, expected) != 0) {
        fprintf(stderr, "%s instead of %s\n", move, expected);
        exit(1);
    }
    json_free(state);
    json_free(legal);
}

static void captures_and_pushes_come_first(void) {
    check_choice("{}", "[\"c1-c2\", \"c3xe3\", \"c3xe3xg5\"]", "c3xe3xg5");
    check_choice("{}", "[\"+c1n\", \"c1-out\", \"c2>c3\"]", "c2>c3");
}

static void then_the_most_fish(void) {
    const char *fish = "{\"fish\": [\"132\", \"11\", \"12.\"]}";
    check_choice(fish, "[\"a1-b1\", \"a1-c3\", \"a1-b3\", \"a1-c1\"]", "a1-b3");
    check_choice(fish, "[\"a1\", \"b1\", \"c1\"]", "b1");
}

static void then_the_loneliest_shot(void) {
    check_choice("{}", "[\"a1-b1/b2\", \"a1-b2/b1\", \"a1-b1/c7\"]", "a1-b1/c7");
}

static void a_match_is_answered(void) {
    FILE *input = tmpfile(), *output = tmpfile();
    assert(input && output);
    fputs("{\"type\":\"hello\",\"protocol\":1}\n"
          "{\"type\":\"start\",\"match\":\"m-000001\",\"game\":\"run\",\"seat\":0}\r\n"
          "{\"type\":\"turn\",\"ply\":4,\"moves\":[],\"state\":{},\"legal\":[\"e4-e5\"],\"clock\":{}}\n"
          "{\"type\":\"quit\"}\n",
          input);
    rewind(input);
    play(input, output);
    rewind(output);
    static const char *const expected[] = {"\"type\":\"hello\"", "\"type\":\"ready\"",
                                           "\"move\":\"e4-e5\",\"ply\":4"};
    for (size_t i = 0; i < 3; i++) {
        char *line = read_line(output);
        assert(line && strstr(line, expected[i]));
        free(line);
    }
    assert(!read_line(output));
    fclose(input);
    fclose(output);
}

static void json_is_read(void) {
    Json *value = json_parse(" {\"a\": [1, -2.5e1, \"\\u00e9\\n\\ud83d\\ude00\"], \"b\": {\"c\": null}} ");
    const Json *list = json_get(value, "a");
    assert(list->count == 3 && list->first->number == 1 && list->first->next->number == -25);
    assert(strcmp(json_text(list->first->next->next), "\xc3\xa9\n\xf0\x9f\x98\x80") == 0);
    const Json *object = json_get(value, "b");
    assert(object->raw_length == 11 && memcmp(object->raw, "{\"c\": null}", 11) == 0);
    assert(json_get(object, "c")->kind == JSON_NULL && !json_get(object, "d"));
    json_free(value);
    static const char *const wrong[] = {"", "{", "[1,]", "{\"a\"}", "\"a", "\"\\x\"", "nul", "1 2", "{1:2}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert(!json_parse(wrong[i]));
}

int main(void) {
    captures_and_pushes_come_first();
    then_the_most_fish();
    then_the_loneliest_shot();
    a_match_is_answered();
    json_is_read();
    puts("5 tests passed");
    return 0;
}
