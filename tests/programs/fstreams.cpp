// C++ streams: libstdc++ makes the calls, on files, memory and the standard streams; exceptions fly past them.
#include "program.h"
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

static void write_all_ways()
{
    std::ofstream text("text"), binary("binary", std::ios::binary);
    const double numbers[] = {1.5, 2.5, 3.5};

    text << "line " << 1 << '\n' << "line " << 2 << std::endl << std::hex << 255 << '\n';
    binary.write(reinterpret_cast<const char *>(numbers), sizeof numbers);
    binary.seekp(8);
    binary.put('x');
    say("at %ld\n", static_cast<long>(binary.tellp()));
    for (int i = 0; i < 5000; i++)
        text << "a long file, " << i << '\n';
}

static void read_all_ways()
{
    std::ifstream text("text"), missing("missing");
    std::string line;
    int lines = 0;

    while (std::getline(text, line))
        lines++;
    say("lines %d, eof %d, missing %d\n", lines, text.eof(), missing.is_open());
    text.clear();
    text.seekg(5);
    int number = 0;
    text >> number;
    say("number %d at %ld\n", number, static_cast<long>(text.tellg()));
}

static void update()
{
    std::fstream both("text", std::ios::in | std::ios::out);
    std::ofstream more("text", std::ios::app);
    char word[8] = "";

    both.seekp(5);
    both << "9";
    both.seekg(0);
    both.read(word, 6);
    say("word %s\n", word);
    more << "appended";
}

static void exceptions()
{
    std::ifstream missing;

    missing.exceptions(std::ios::failbit);
    try {
        missing.open("missing");
    } catch (const std::ios_base::failure &) {
        say("caught a failure\n");
    }
    try {
        std::ofstream unwound("unwound");
        unwound << "written while unwinding";
        throw std::runtime_error("thrown");
    } catch (const std::exception &error) {
        say("caught %s, size %ld\n", error.what(), size_of("unwound"));
    }
}

int main()
{
    write_all_ways();
    read_all_ways();
    update();
    exceptions();
    std::cout << "cout " << 1 << std::endl;
    std::cerr << "cerr " << 2 << std::endl;
    say("text %ld, binary %ld\n", size_of("text"), size_of("binary"));
    tell();
}
