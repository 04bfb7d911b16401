// Tests of the bot and of the reader of JSON: `make test`.

#include <cstdlib>
#include <sstream>

#include "one_ply_bot.hpp"

template <typename T>
void check_equal(const T& expected, const T& found) {
    if (expected == found) return;
    std::cerr << found << " instead of " << expected << "\n";
    std::exit(1);
}

void check_choice(const std::string& state, const std::vector<std::string>& legal, const std::string& expected) {
    Random random(1);
    check_equal(expected, choose(Json::parse(state), legal, random));
}

void captures_and_pushes_come_first() {
    check_choice("{}", {"c1-c2", "c3xe3", "c3xe3xg5"}, "c3xe3xg5");
    check_choice("{}", {"+c1n", "c1-out", "c2>c3"}, "c2>c3");
}

void then_the_most_fish() {
    const std::string fish = R"({"fish": ["132", "11", "12."]})";
    check_choice(fish, {"a1-b1", "a1-c3", "a1-b3", "a1-c1"}, "a1-b3");
    check_choice(fish, {"a1", "b1", "c1"}, "b1");
}

void then_the_loneliest_shot() {
    check_choice("{}", {"a1-b1/b2", "a1-b2/b1", "a1-b1/c7"}, "a1-b1/c7");
}

void a_match_is_answered() {
    std::istringstream input(
        R"({"type":"hello","protocol":1,"referee":"referee 0.1.0"}
{"type":"start","match":"m-000001","game":"run","seat":0}
{"type":"turn","ply":4,"moves":[],"state":{},"legal":["e4-e5"],"clock":{}}
{"type":"end","moves":[],"result":{}}
{"type":"quit"}
)");
    std::stringstream output;
    Random random(1);
    play(input, output, random);
    std::string line;
    std::getline(output, line);
    check_equal(std::string("hello"), Json::parse(line)["type"].text());
    std::getline(output, line);
    check_equal(std::string(R"({"type":"ready"})"), line);
    std::getline(output, line);
    check_equal(std::string(R"({"type":"move","move":"e4-e5","ply":4})"), line);
    check_equal(false, static_cast<bool>(std::getline(output, line)));
}

void json_is_read() {
    const std::string text = R"( {"a": [1, -2.5e1, "\u00e9\n\ud83d\ude00"], "b": {"c": null}} )";
    Json value = Json::parse(text);
    check_equal(-25.0, value["a"].items().at(1).number());
    check_equal(std::string("é\n😀"), value["a"].items().at(2).text());
    check_equal(std::string(R"({"c": null})"), std::string(value["b"].raw()));
    for (const char* wrong : {"", "{", "[1,]", "{\"a\"}", "\"a", "\"\\x\"", "nul", "1 2", "{1:2}", "-"}) {
        try {
            Json::parse(wrong);
        } catch (const std::invalid_argument&) {
            continue;
        }
        std::cerr << wrong << " was taken for JSON\n";
        std::exit(1);
    }
}

int main() {
    captures_and_pushes_come_first();
    then_the_most_fish();
    then_the_loneliest_shot();
    a_match_is_answered();
    json_is_read();
    std::cout << "5 tests passed\n";
}
