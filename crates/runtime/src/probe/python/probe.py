# Runs once in each interpreter whose functions are probed (iota run --python-probe), with builtins of the tracer among its
# globals: keep, number_of, profile, started, thrown, returned, unwound; and PATTERNS, the user's globs.
#
# The tracer asks `find` about each function once, when it is called first. From then on no code of Python runs for a call.

import sys

MAIN = ("__main__", "__mp_main__")
PARTS_OF_FUNCTIONS = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")
OF_FUNCTIONS = 3  # CO_OPTIMIZED, CO_NEWLOCALS: neither modules nor the bodies of classes have both


def module_of(space):
    """The name of a module; of a script by its file, as if it had been imported."""
    name, spec, file = [space.get(key) for key in ("__name__", "__spec__", "__file__")]
    if name not in MAIN:
        return str(name)
    if spec is not None:
        return spec.name
    file = (file or MAIN[0]).rsplit("/", 1)[-1]
    return file[:-3] if file.endswith(".py") else file


def may_match(module):
    """Whether a glob may match functions of a module."""
    beginnings = [pattern.replace("?", "*").replace("[", "*").replace("\\", "*").split("*")[0] for pattern in PATTERNS.split(",")]
    # No generator: in one that is closed early an exception of a handler would be lost.
    for one in beginnings:
        if one.startswith(module) or module.startswith(one):
            return True
    return False


def qualified(code, module):
    """The name of a function in its module. Before 3.11 only the function object has it."""
    if hasattr(code, "co_qualname"):
        return code.co_qualname
    if may_match(module) or may_match(MAIN[0] + "."):
        import gc

        for function in gc.get_referrers(code):
            is_it = type(function) is type(find) and function.__code__ is code
            # What functools.wraps has made has the name of another one.
            if is_it and "__wrapped__" not in vars(function):
                return function.__qualname__
    return code.co_name


def number_in(space, code):
    module = module_of(space) + "."
    name = qualified(code, module)
    is_main = space.get("__name__") in MAIN
    return number_of(module + name) or is_main and number_of(MAIN[0] + "." + name)


def is_own(error):
    """Whether it was raised here, not in a handler of the program's, for a signal that came meanwhile."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    return last.tb_frame.f_globals is globals()


def find(code):
    """The number of a function that is being called; 0: its calls are not recorded."""
    try:
        if code.co_flags & OF_FUNCTIONS != OF_FUNCTIONS or code.co_name in PARTS_OF_FUNCTIONS:
            return 0
        number = number_in(sys._getframe(1).f_globals, code)
        if number and TOOL is not None:
            events = sys.monitoring.events
            resumed = events.PY_START | events.PY_RESUME
            sys.monitoring.set_local_events(TOOL, code, resumed | events.PY_RETURN | events.PY_YIELD)
        return int(number)
    except Exception as error:
        if not is_own(error):
            raise
        return 0


def free_tool():
    """One of the numbers that are for tools of no particular kind; None: others have them."""
    free = [tool for tool in (4, 3) if sys.monitoring.get_tool(tool) is None]
    return free[0] if free else None


def monitor():
    """From 3.12 on: functions without a probe are asked about once, and cost nothing afterwards."""
    monitoring, events = sys.monitoring, sys.monitoring.events
    keep(find, monitoring.DISABLE)
    monitoring.use_tool_id(TOOL, "iota")
    for event in (events.PY_START, events.PY_RESUME):
        monitoring.register_callback(TOOL, event, started)
    monitoring.register_callback(TOOL, events.PY_THROW, thrown)
    for event in (events.PY_RETURN, events.PY_YIELD):
        monitoring.register_callback(TOOL, event, returned)
    monitoring.register_callback(TOOL, events.PY_UNWIND, unwound)
    monitoring.set_events(TOOL, events.PY_START | events.PY_THROW | events.PY_UNWIND)


def watch():
    """Before 3.12: the tracer looks at each call. A thread's first event brings it there."""
    import threading

    keep(find, None)
    threading.setprofile(profile)
    profile()


TOOL = free_tool() if hasattr(sys, "monitoring") else None
if TOOL is not None:
    monitor()
else:
    watch()
