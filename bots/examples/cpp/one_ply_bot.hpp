// Plays every game one ply ahead, from nothing but `state` and `legal`.

#ifndef ONE_PLY_BOT_HPP
#define ONE_PLY_BOT_HPP

#include <algorithm>
#include <iostream>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "json.hpp"

using Random = std::mt19937;

/// The cells that a move names: a letter and a number each.
inline std::vector<std::string> cells_of(const std::string& move) {
    static const std::string letters = "abcdefghijklmnopqrstuvwxyz", digits = "0123456789";
    std::vector<std::string> cells;
    for (std::size_t at = 0; (at = move.find_first_of(letters, at)) < move.size(); ++at) {
        std::size_t end = std::min(move.find_first_not_of(digits, at + 1), move.size());
        if (end > at + 1) cells.push_back(move.substr(at, end - at));
    }
    return cells;
}

/// The fish or points of a cell, in games that have them: rows of digits, the top row first.
inline int points(const Json& state, const std::string& cell) {
    const Json& fish = state["fish"];
    const Json::Array& rows = (fish.is_null() ? state["points"] : fish).items();
    std::size_t number = std::stoul(cell.substr(1)), column = static_cast<std::size_t>(cell[0] - 'a');
    if (number < 1 || number > rows.size()) return 0;
    const std::string& row = rows[rows.size() - number].text();
    return column < row.size() && '0' <= row[column] && row[column] <= '9' ? row[column] - '0' : 0;
}

using Worth = std::tuple<long, int, int>;

/// What makes a move good, the most important first.
inline Worth worth(const Json& state, const std::string& move, const std::map<std::string, int>& named) {
    std::vector<std::string> cells = cells_of(move);
    long strikes = std::count(move.begin(), move.end(), 'x') + std::count(move.begin(), move.end(), '>');
    // A move names the cell that it begins on, if there is one, then that where it goes.
    int gain = cells.empty() ? 0 : points(state, cells[cells.size() > 1]);
    int shot = move.find('/') == move.npos || cells.empty() ? 0 : -named.at(cells.back());
    return {strikes, gain, shot};
}

/// First what captures (`x`) or pushes (`>`) most, then the cell with the most points, then the
/// shot (`/`) at the cell that matters to the fewest moves.
inline std::string choose(const Json& state, const std::vector<std::string>& legal, Random& random) {
    std::map<std::string, int> named;
    for (const std::string& move : legal)
        for (const std::string& cell : cells_of(move)) ++named[cell];
    std::vector<std::string> best;
    Worth highest;
    for (const std::string& move : legal) {
        Worth value = worth(state, move, named);
        if (best.empty() || value > highest) {
            best.clear();
            highest = value;
        }
        if (value == highest) best.push_back(move);
    }
    return best.at(std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(random));
}

/// Answers the referee's messages until `quit` or the end of the input.
inline void play(std::istream& input, std::ostream& output, Random& random) {
    for (std::string line; std::getline(input, line);) {
        Json message = Json::parse(line);
        const std::string& type = message["type"].text();
        if (type == "hello") {
            output << R"({"type":"hello","protocol":1,"name":"one-ply-cpp"})" << std::endl;
        } else if (type == "start") {
            output << R"({"type":"ready"})" << std::endl;
        } else if (type == "turn") {
            std::vector<std::string> legal;
            for (const Json& move : message["legal"].items()) legal.push_back(move.text());
            std::string move = quote(choose(message["state"], legal, random));
            // `std::endl` is not a detail: a message that waits in a buffer is a timeout.
            output << R"({"type":"move","move":)" << move << R"(,"ply":)" << message["ply"].raw() << "}" << std::endl;
        } else if (type == "error") {
            std::cerr << "lost by " << message["code"].text() << ": " << message["message"].text() << "\n";
        } else if (type == "quit") {
            break;
        }
    }
}

#endif
