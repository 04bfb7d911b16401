/* A small reader of JSON: a text becomes a tree of values. C99, nothing else. */

#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct Json Json;
struct Json {
    JsonKind kind;
    char *key;          /* in an object: the name of the field */
    char *text;         /* of a text, in UTF-8; else NULL */
    double number;      /* of a number */
    const char *raw;    /* the value as it was written, in the text that was parsed */
    size_t raw_length;
    size_t count;       /* children of an array or object */
    Json *first, *next; /* its first child; the next child of the same parent */
};

/* The value that a text holds, NULL if it is not JSON. `raw` points into the text. */
Json *json_parse(const char *text);
void json_free(Json *value);

/* A field of an object, NULL if there is none (or `value` is NULL or no object). */
const Json *json_get(const Json *value, const char *key);
/* The text of a value, "" if it is none. */
const char *json_text(const Json *value);
/* The number of a value, `otherwise` if it is none. */
double json_number(const Json *value, double otherwise);

/* A line of any length without its end, NULL after the last one; the caller frees it. */
char *read_line(FILE *input);

#endif
