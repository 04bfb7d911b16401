/* A small reader of JSON: see json.h. */

#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

static Json *parse_value(const char **at, int depth);

static void skip_space(const char **at) {
    *at += strspn(*at, " \t\r\n");
}

static int take(const char **at, char wanted) {
    skip_space(at);
    if (**at != wanted) return 0;
    ++*at;
    return 1;
}

/* Four hexadecimal digits, -1 if they are not. */
static long parse_hex(const char *at) {
    char digits[5] = {0};
    if (strspn(at, "0123456789abcdefABCDEF") < 4) return -1;
    memcpy(digits, at, 4);
    return strtol(digits, NULL, 16);
}

static char *put_utf8(char *out, long code) {
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = (char)(lead[more] | code >> (6 * more));
    while (more-- > 0) *out++ = (char)(0x80 | (code >> (6 * more) & 0x3F));
    return out;
}

/* What follows a backslash; returns where to write on, NULL if it is wrong. */
static char *parse_escape(const char **at, char *out) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char name = *(*at)++;
    if (name == 'u') {
        long code = parse_hex(*at);
        if (code < 0) return NULL;
        *at += 4;
        if (code >= 0xD800 && code < 0xDC00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
            long low = parse_hex(*at + 2);
            if (low < 0xDC00 || low > 0xDFFF) return NULL;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            *at += 6;
        }
        return put_utf8(out, code);
    }
    const char *found = name ? strchr(names, name) : NULL;
    if (!found) return NULL;
    *out++ = values[found - names];
    return out;
}

/* A text after its first quote. */
static char *parse_text(const char **at) {
    const char *end = *at;
    while (*end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
    char *text = malloc((size_t)(end - *at) + 1), *out = text;
    while (text && *at < end) {
        char c = *(*at)++;
        if (c != '\\') {
            *out++ = c;
        } else if (!(out = parse_escape(at, out))) {
            free(text);
            return NULL;
        }
    }
    if (!text || *end != '"') {
        free(text);
        return NULL;
    }
    *out = '\0';
    *at = end + 1;
    return text;
}

/* The children of an array or an object, with its closing bracket. */
static int parse_children(const char **at, Json *parent, int depth) {
    char close = parent->kind == JSON_OBJECT ? '}' : ']';
    Json **last = &parent->first;
    if (take(at, close)) return 1;
    do {
        char *key = NULL;
        if (parent->kind == JSON_OBJECT) {
            if (!take(at, '"') || !(key = parse_text(at))) return 0;
            if (!take(at, ':')) {
                free(key);
                return 0;
            }
        }
        Json *child = parse_value(at, depth + 1);
        if (!child) {
            free(key);
            return 0;
        }
        child->key = key;
        *last = child;
        last = &child->next;
        parent->count++;
    } while (take(at, ','));
    return take(at, close);
}

static int parse_content(const char **at, Json *value, int depth) {
    static const struct {
        const char *word;
        JsonKind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    if (take(at, '"')) {
        value->kind = JSON_TEXT;
        return (value->text = parse_text(at)) != NULL;
    }
    if (**at == '{' || **at == '[') {
        value->kind = *(*at)++ == '{' ? JSON_OBJECT : JSON_ARRAY;
        return depth < DEEPEST && parse_children(at, value, depth);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(*at, words[i].word, length) == 0) {
            value->kind = words[i].kind;
            *at += length;
            return 1;
        }
    }
    char *end;
    if (!strchr("-0123456789", **at) || !**at) return 0;
    value->kind = JSON_NUMBER;
    value->number = strtod(*at, &end);
    *at = end;
    return 1;
}

static Json *parse_value(const char **at, int depth) {
    Json *value = calloc(1, sizeof *value);
    if (!value) return NULL;
    skip_space(at);
    value->raw = *at;
    if (!parse_content(at, value, depth)) {
        json_free(value);
        return NULL;
    }
    value->raw_length = (size_t)(*at - value->raw);
    return value;
}

Json *json_parse(const char *text) {
    Json *value = parse_value(&text, 0);
    skip_space(&text);
    if (value && *text) {
        json_free(value);
        return NULL;
    }
    return value;
}

void json_free(Json *value) {
    while (value) {
        Json *next = value->next;
        json_free(value->first);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

const Json *json_get(const Json *value, const char *key) {
    if (!value || value->kind != JSON_OBJECT) return NULL;
    for (const Json *child = value->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

const char *json_text(const Json *value) {
    return value && value->kind == JSON_TEXT ? value->text : "";
}

double json_number(const Json *value, double otherwise) {
    return value && value->kind == JSON_NUMBER ? value->number : otherwise;
}

char *read_line(FILE *input) {
    size_t size = 0, room = 4096;
    char *line = malloc(room);
    while (line && fgets(line + size, (int)(room - size), input)) {
        size += strlen(line + size);
        if (size && line[size - 1] == '\n') {
            line[size - 1] = '\0';
            return line;
        }
        char *more = size + 1 < room ? line : realloc(line, room *= 2);
        if (!more) break;
        line = more;
    }
    if (line && size) return line;
    free(line);
    return NULL;
}
