// Lines that come on one file descriptor, and are answered on another.
#pragma once
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>

class Conversation {
public:
    // What the design prints must not be taken for an answer: it goes to standard error.
    Conversation(int commands, int answers) : commands_(commands), in_(fdopen(commands, "r")), out_(fdopen(dup(answers), "w")) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    virtual ~Conversation() = default;

    // Acts on every line until there are no more, or one tells to quit.
    void run() {
        char* line = nullptr;
        size_t room = 0;
        while (getline(&line, &room, in_) > 0) {
            words_ = std::istringstream(line);
            std::string command;
            words_ >> command;
            if (command == "quit") break;
            act(command);
        }
    }

protected:
    static constexpr int64_t look_around = 4096;  // cycles between two looks whether anybody is left who wants the answer
    std::istringstream words_;                    // of the line, behind its command

    virtual void act(const std::string& command) = 0;

    template <class T = int64_t>
    T take() {
        T value{};
        words_ >> value;
        return value;
    }

    void say(const std::string& text) {
        std::fflush(stdout);
        std::fprintf(out_, "%s\n", text.c_str());
        std::fflush(out_);
    }

    // Ends the process where nobody is left; to be called after each step, of which `steps` have been.
    void look(int64_t steps) const {
        if (steps % look_around != look_around - 1) return;
        pollfd hang{commands_, 0, 0};
        if (poll(&hang, 1, 0) > 0 && hang.revents & (POLLHUP | POLLERR)) _exit(1);
    }

private:
    int commands_;
    FILE *in_, *out_;
};
