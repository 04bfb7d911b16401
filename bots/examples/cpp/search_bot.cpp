// Plays every game without knowing a rule: a best-first search on the referee's forward model, which
// says in one answer what all moves lead to and what that is worth. POSIX, for the model's process.
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

/// How much moves that were tried less are preferred.
constexpr double curiosity = 0.1;
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

    /// All legal moves after these moves, which are taken back, with the positions that they lead to.
    /// All is sent before anything is read, which saves waiting.
    Json::Array children_after(const std::vector<std::string>& moves) {
        std::string list;
        for (const std::string& move : moves) list += (list.empty() ? "" : ",") + quote(move);
        send(R"({"op":"play","moves":[)" + list + "]}");
        send(R"({"op":"children","want":["value"]})");
        send(R"({"op":"undo","count":)" + std::to_string(moves.size()) + "}");
        receive();
        Json::Array children = receive()["children"].items();
        receive();
        return children;
    }

private:
    FILE *requests = nullptr, *answers = nullptr;
    char* buffer = nullptr;
    std::size_t room = 0;
    Json answer;
};

/// A move of a seat, the position after it, and the answers to it.
struct Node {
    std::string move;
    std::size_t seat, to_move;
    bool over;
    /// What each seat can expect.
    std::vector<double> values;
    /// What its seat expects, summed up over all looks at it and beyond.
    double sum, looks = 1;
    std::vector<Node> children;

    Node(const std::string& move, std::size_t seat, const Json& position)
        : move(move),
          seat(seat),
          to_move(static_cast<std::size_t>(position["to_move"].number())),
          over(position["to_move"].is_null()) {
        for (const Json& value : position["value"].items()) values.push_back(value.number());
        sum = values.at(seat);
    }

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
        for (const Node& child : children) total += child.looks;
        total = std::log(total);
        return best([total](const Node& child) {
            return child.sum / child.looks + curiosity * std::sqrt(total / child.looks);
        });
    }

    /// Gives the node its children, with one request, and returns the best of them.
    Node* expand(Model& model, const std::vector<std::string>& moves) {
        for (const Json& child : model.children_after(moves)) children.emplace_back(child["move"].text(), to_move, child);
        return best([](const Node& child) { return child.sum; });
    }
};

/// Follows the most promising moves, looks at all answers to the last one, and remembers what the best
/// of them leads to.
void try_line(Model& model, Node& root) {
    std::vector<Node*> line;
    std::vector<std::string> moves;
    Node* last = &root;
    while (!last->children.empty()) {
        last = last->pick();
        line.push_back(last);
        moves.push_back(last->move);
    }
    if (!last->over) last = last->expand(model, moves);
    for (Node* passed : line) {
        passed->sum += last->values.at(passed->seat);
        passed->looks += 1;
    }
}

/// One match after the other.
class SearchBot {
public:
    void start(const Json& message) {
        game = message["game"].text();
        options = message["options"].raw();
        seat = static_cast<std::size_t>(message["seat"].number());
    }

    /// The answer to a turn that began at that time.
    std::string choose(const Json& turn, Clock::time_point began) {
        auto end = began + std::chrono::duration<double, std::milli>(budget(turn["clock"]));
        std::string state(turn["state"].raw()), ply(turn["ply"].raw());
        model.send(R"({"op":"new","game":)" + quote(game) + R"(,"options":)" + options + R"(,"state":)" + state +
                   R"(,"want":["value"]})");
        Node root("", seat, model.receive());
        root.expand(model, {});
        long tried = 0;
        for (; root.children.size() > 1 && Clock::now() < end; tried++) try_line(model, root);
        // Of those that were looked at as often, the better one.
        const Node* best = root.best([](const Node& child) { return child.looks + child.sum / child.looks / 2; });
        return R"({"type":"move","move":)" + quote(best->move) + R"(,"ply":)" + ply + R"(,"info":{"value":)" +
               std::to_string(best->sum / best->looks) + R"(,"nodes":)" + std::to_string(tried) + "}}";
    }

private:
    Model model;
    std::string game, options;
    std::size_t seat = 0;

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
