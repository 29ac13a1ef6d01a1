"""Dataclasses whose methods are compiled when they are first called.

The decorator of the standard library compiles six methods of each class when the class is defined: ten times the work
of defining it. A command defines over a hundred classes and calls a third of these methods. Here `__init__`, `__eq__`
and `__hash__` of a class with slots are compiled at their first call. The other methods are the same for all classes.
`fields`, `replace`, `asdict` and `pickle` work as usual. A type checker sees the standard decorator; this one
refuses the arguments that figmill does not use. A class that is derived from such a class needs this decorator, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

# The parameters of a method, the lines of its body, and what the names of both mean.
Method: TypeAlias = tuple[list[str], list[str], dict[str, Any]]


def _init(cls: type) -> Method:
    parameters, body = ["self"], []
    names: dict[str, Any] = {"not_given": dataclasses.MISSING}
    is_frozen = vars(cls).get("__setattr__") is _refuse_assignment
    for field in dataclasses.fields(cls):
        parameter = value = field.name
        if field.default is not dataclasses.MISSING:
            names[f"default_{field.name}"] = field.default
            parameter = f"{field.name}=default_{field.name}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"make_{field.name}"] = field.default_factory
            parameter = f"{field.name}=not_given"
            value = f"make_{field.name}() if {field.name} is not_given else {field.name}"
        elif not field.init:
            continue  # the class sets it itself
        if field.init:
            parameters.append(parameter)
        else:
            body.append(parameter)
        if is_frozen:
            names[f"set_{field.name}"] = getattr(cls, field.name).__set__
            body.append(f"set_{field.name}(self, {value})")
        else:
            body.append(f"self.{field.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    return parameters, body or ["pass"], names


def _eq(cls: type) -> Method:
    mine, others = _compared("self", cls), _compared("other", cls)
    same = "if other.__class__ is not self.__class__: return NotImplemented"
    return ["self", "other"], [same, f"return {mine} == {others}"], {}


def _hash(cls: type) -> Method:
    return ["self"], [f"return hash({_compared('self', cls)})"], {}


def _compared(instance: str, cls: type) -> str:
    values = "".join(f"{instance}.{field.name}, " for field in dataclasses.fields(cls) if field.compare)
    return f"({values})"


def _late(cls: type, name: str, method: Callable[[type], Method]) -> Callable[..., Any]:
    """A method that compiles the real one, which takes its place, and calls it."""

    def first(*arguments: Any, **named: Any) -> Any:
        parameters, body, names = method(cls)
        exec(f"def {name}({', '.join(parameters)}):\n " + "\n ".join(body), names)
        compiled = names[name]
        compiled.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, compiled)
        return compiled(*arguments, **named)

    return first


@recursive_repr()
def _repr(self: Any) -> str:
    values = (
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    )
    return f"{type(self).__qualname__}({', '.join(values)})"


def _refuse_assignment(self: object, name: str, value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _with_late_methods(cls: type, frozen: bool, eq: bool) -> type:
    # a class with an `__eq__` of its own has None for `__hash__`
    own = {name for name, value in vars(cls).items() if value is not None}
    if cls.__doc__ is None:
        cls.__doc__ = cls.__qualname__  # the standard library would write a signature here
    complete: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    if any(field.kw_only or field.hash is not None for field in dataclasses.fields(complete)):
        raise TypeError(f"{cls.__qualname__}: a late dataclass has no fields with kw_only or hash")
    if any("InitVar" in str(annotation) for annotation in complete.__annotations__.values()):
        raise TypeError(f"{cls.__qualname__}: a late dataclass has no InitVar")
    methods: dict[str, Any] = {"__init__": _late(complete, "__init__", _init), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _late(complete, "__eq__", _eq)
        methods["__hash__"] = _late(complete, "__hash__", _hash) if frozen else None
    if frozen:
        methods |= {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}
        methods |= {"__getstate__": _get_state, "__setstate__": _set_state}
    for name in methods.keys() - own:
        setattr(complete, name, methods[name])
    return complete


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, order=False):
        """The decorator of the standard library. Methods are late where there are slots and no order."""
        if slots and not order:
            return lambda cls: _with_late_methods(cls, frozen, eq)
        return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, order=order)
