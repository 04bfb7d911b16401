// Plays every game, at random.
//
//     c++ -std=c++17 -O2 -o random_bot random_bot.cpp

#include <iostream>
#include <random>
#include <string>

#include "json.hpp"

int main() {
    std::mt19937 random(std::random_device{}());
    for (std::string line; std::getline(std::cin, line);) {
        Json message = Json::parse(line);
        const std::string& type = message["type"].text();
        if (type == "hello") {
            std::cout << R"({"type":"hello","protocol":1,"name":"random-cpp"})" << std::endl;
        } else if (type == "start") {
            std::cout << R"({"type":"ready"})" << std::endl;
        } else if (type == "turn") {
            const Json::Array& legal = message["legal"].items();
            std::uniform_int_distribution<std::size_t> any(0, legal.size() - 1);
            std::cout << R"({"type":"move","move":)" << legal[any(random)].raw() << "}" << std::endl;
        } else if (type == "quit") {
            break;
        }
    }
}
