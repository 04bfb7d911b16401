// Plays every game without knowing a rule: Monte Carlo tree search on the referee's forward model.
// POSIX, for the model's process.
//
//     c++ -std=c++17 -O2 -o search_bot search_bot.cpp

#include <csignal>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "json.hpp"

using Clock = std::chrono::steady_clock;

/// Random games stop after this many plies: longer ones say less.
constexpr double horizon = 80;
/// Random games at a time.
constexpr int batch = 4;
/// After this many games with a move, the replies to it are searched, too.
constexpr int ready = 8;
/// How much moves that were tried less are preferred.
constexpr double curiosity = 0.4;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// `referee model` as a child process, which holds one position.
class Model {
public:
    /// The referee gives its bots its own path in REFEREE; otherwise it must be on the PATH.
    Model() {
        int to[2], from[2];
        const char* program = std::getenv("REFEREE");
        if (pipe(to) < 0 || pipe(from) < 0) throw std::runtime_error("no pipe");
        pid_t child = fork();
        if (child < 0) throw std::runtime_error("no process");
        if (child == 0) {
            dup2(to[0], 0);
            dup2(from[1], 1);
            close(to[1]);
            close(from[0]);
            execlp(program ? program : "referee", "referee", "model", static_cast<char*>(nullptr));
            std::perror("referee model");
            _exit(1);
        }
        close(to[0]);
        close(from[1]);
        std::signal(SIGPIPE, SIG_IGN);
        requests = fdopen(to[1], "w");
        answers = fdopen(from[0], "r");
    }

    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    ~Model() {
        std::fclose(requests);
        std::fclose(answers);
        std::free(buffer);
    }

    void send(const std::string& request) { std::fputs((request + "\n").c_str(), requests); }

    /// What the next answer holds; it is there until the next one is received.
    const Json& receive() {
        std::fflush(requests);
        if (getline(&buffer, &room, answers) < 0) throw std::runtime_error("the forward model has ended");
        answer = Json::parse(buffer);
        if (!answer["error"].is_null()) throw std::runtime_error(answer["error"]["message"].text());
        return answer["ok"];
    }

    /// Asks something after these moves, and takes them back; `read` gets the seat to move there and
    /// the answer. All is sent before anything is read, which saves waiting.
    template <typename Read>
    void after(const std::vector<std::string>& moves, const std::string& request, Read read) {
        std::string list;
        for (const std::string& move : moves) list += (list.empty() ? "" : ",") + quote(move);
        send(R"({"op":"play","moves":[)" + list + "]}");
        send(request);
        send(R"({"op":"undo","count":)" + std::to_string(moves.size()) + "}");
        auto seat = static_cast<std::size_t>(receive()["to_move"].number());
        read(seat, receive());
        receive();
    }

private:
    FILE *requests = nullptr, *answers = nullptr;
    char* buffer = nullptr;
    std::size_t room = 0;
    Json answer;
};

/// A move, what games after it came to for the seat that made it, and the answers to it.
struct Node {
    std::string move;
    std::size_t seat;
    double sum = 0, games = 0;
    std::vector<Node> children;

    /// The child that is worth most.
    Node* best(const std::function<double(const Node&)>& worth) {
        Node* best = nullptr;
        double most = -infinity;
        for (Node& child : children) {
            double value = worth(child);
            if (value > most) {
                best = &child;
                most = value;
            }
        }
        return best;
    }

    /// The child to try next: a good one, or one that is not known well (UCB1).
    Node* pick() {
        double total = 1;
        for (const Node& child : children) total += child.games;
        total = std::log(total);
        return best([total](const Node& child) {
            // As if half a game more had been won and half a game lost.
            double mean = (child.sum + 0.5) / (child.games + 1);
            return mean + curiosity * std::sqrt(total / child.games);
        });
    }

    /// Gives the node its children, each of which begins with one random game.
    void expand(Model& model, const std::vector<std::string>& moves) {
        std::string request = R"({"op":"playouts","count":1,"seed":)" + std::to_string(long(games)) + "}";
        model.after(moves, request, [this](std::size_t seat, const Json& answer) {
            for (const auto& [move, outcome] : answer["moves"].fields())
                children.push_back({move, seat, outcome.items().at(seat).number(), 1, {}});
        });
    }
};

/// Follows the most promising moves, plays on at random, and remembers what that gave.
void try_line(Model& model, Node& root, long seed) {
    std::vector<Node*> line;
    std::vector<std::string> moves;
    Node* leaf = &root;
    while (!leaf->children.empty()) {
        leaf = leaf->pick();
        line.push_back(leaf);
        moves.push_back(leaf->move);
    }
    if (leaf->games >= ready) leaf->expand(model, moves);
    std::string request = R"({"op":"playout","count":)" + std::to_string(batch);
    request += R"(,"seed":)" + std::to_string(seed) + "}";
    model.after(moves, request, [&line](std::size_t, const Json& answer) {
        const Json::Array& outcome = answer["outcome"].items();
        for (Node* node : line) {
            node->sum += batch * outcome.at(node->seat).number();
            node->games += batch;
        }
    });
}

/// One match after the other.
class SearchBot {
public:
    void start(const Json& message) {
        game = message["game"].text();
        options = message["options"].raw();
        seat = static_cast<std::size_t>(message["seat"].number());
        max_plies = message["limits"]["max_plies"].number(infinity);
    }

    /// The answer to a turn that began at that time.
    std::string choose(const Json& turn, Clock::time_point began) {
        auto end = began + std::chrono::duration<double, std::milli>(budget(turn["clock"]));
        std::string state(turn["state"].raw()), ply(turn["ply"].raw());
        double limit = std::min(max_plies, turn["ply"].number() + horizon);
        model.send(R"({"op":"new","game":)" + quote(game) + R"(,"options":)" + options + R"(,"state":)" + state +
                   R"(,"max_plies":)" + std::to_string(long(limit)) + "}");
        model.receive();
        Node root{"", seat, 0, 0, {}};
        root.expand(model, {});
        long playouts = long(root.children.size());
        for (; root.children.size() > 1 && Clock::now() < end; playouts += batch) try_line(model, root, playouts);
        const Node* best = root.best([](const Node& child) { return child.games; });
        return R"({"type":"move","move":)" + quote(best->move) + R"(,"ply":)" + ply + R"(,"info":{"value":)" +
               std::to_string(best->sum / best->games) + R"(,"nodes":)" + std::to_string(playouts) + "}}";
    }

private:
    Model model;
    std::string game, options;
    std::size_t seat = 0;
    double max_plies = infinity;

    /// Milliseconds to spend on a move: a safe part of what is allowed.
    double budget(const Json& clock) const {
        auto usable = [](double limit) { return std::max(0.0, 0.8 * limit - 10); };
        double least = usable(clock["move_ms"].number(infinity));
        const Json::Array& remaining = clock["remaining_ms"].items();
        if (seat < remaining.size()) {
            double left = usable(remaining[seat].number(infinity));
            // As if 25 moves were still to come.
            least = std::min({least, left / 25 + 0.8 * clock["increment_ms"].number(), left});
        }
        return std::isinf(least) ? 1000 : least;
    }
};

int main() {
    SearchBot bot;
    for (std::string line; std::getline(std::cin, line);) {
        auto began = Clock::now();
        Json message = Json::parse(line);
        const std::string& type = message["type"].text();
        if (type == "hello") {
            std::cout << R"({"type":"hello","protocol":1,"name":"search-cpp",)"
                      << R"("wants":{"state":true,"legal":false}})" << std::endl;
        } else if (type == "start") {
            bot.start(message);
            std::cout << R"({"type":"ready"})" << std::endl;
        } else if (type == "turn") {
            std::cout << bot.choose(message, began) << std::endl;
        } else if (type == "error") {
            std::cerr << "lost by " << message["code"].text() << ": " << message["message"].text() << "\n";
        } else if (type == "quit") {
            break;
        }
    }
}
