// The program: the bot is in one_ply_bot.hpp.
//
//     c++ -std=c++17 -O2 -o one_ply_bot one_ply_bot.cpp

#include "one_ply_bot.hpp"

int main() {
    Random random(std::random_device{}());
    play(std::cin, std::cout, random);
}
