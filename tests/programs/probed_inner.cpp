/* Methods and functions of a program's own that exceptions leave. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace in_model {

static int destroyed;

struct counted {
    ~counted() { destroyed++; }
};

struct shape {
    virtual ~shape() = default;
    __attribute__((noinline)) virtual double area() const { return 0; }
};

struct square final : shape {
    double side;
    explicit square(double s) : side(s) {}
    __attribute__((noinline)) double area() const override { return side * side; }
};

__attribute__((noinline)) static void throws(int depth)
{
    counted here;
    if (depth == 0)
        throw std::runtime_error("deep");
    throws(depth - 1);
    __asm__ volatile("");
}

__attribute__((noinline)) static std::string catches(int depth)
{
    try {
        throws(depth);
    } catch (const std::exception &error) {
        return error.what();
    }
    return "nothing";
}

__attribute__((noinline)) static std::vector<int> returns(int count)
{
    std::vector<int> all;
    for (int i = 0; i < count; i++)
        all.push_back(i * i);
    return all;
}

} // namespace in_model

int main()
{
    in_model::square square(3);
    in_model::shape *shape = &square;
    std::string text;

    for (int i = 0; i < 100; i++)
        text = in_model::catches(5);
    std::printf("%s %d %.1f %d\n", text.c_str(), in_model::destroyed, shape->area(), in_model::returns(9)[8]);
    return 0;
}
