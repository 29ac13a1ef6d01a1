"""Dataclasses with late methods behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Any, ClassVar

import pytest

from figmill import late_dataclasses


class _Plain:
    name: str
    size: float = 1.5
    parts: tuple[int, ...] = ()
    unit: ClassVar[str] = "px"


class _Inherited(_Plain):
    limit: int | None = None


class _Made:
    names: list[str] = field(default_factory=list)
    unseen: int = field(default=3, compare=False, repr=False)
    first: str = field(default="a", init=False)
    more: dict[str, int] = field(default_factory=dict, init=False)


class _Empty:
    pass


class _Checked:
    size: int
    area: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "area", self.size**2)


class _OwnMethods:
    size: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and abs(other.size) == abs(self.size)

    def __repr__(self) -> str:
        return "of its own"


CALLS: dict[type, tuple[tuple[tuple[Any, ...], dict[str, Any]], ...]] = {
    _Plain: (
        (("a",), {}),
        (("a", 2), {"parts": (1, 2)}),
        ((), {}),
        (("a",), {"absent": 1}),
        ((1, 2, 3, 4), {}),
    ),
    _Inherited: ((("a",), {}), (("a", 2, (), 7), {}), (("a",), {"limit": 7})),
    _Made: (((), {}), ((["x"],), {}), ((["x"], 4), {}), ((), {"first": "b"})),
    _Empty: (((), {}), ((1,), {})),
    _Checked: (((3,), {}), ((), {"size": -3})),
    _OwnMethods: (((3,), {}), ((-3,), {})),
}
OPTIONS = (
    {"frozen": True, "slots": True},
    {"slots": True},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "order": True},
    {"frozen": True},
    {},
)
USES: dict[str, Callable[[Any], object]] = {
    "repr": repr,
    "fields": lambda x: [(f.name, f.type, f.compare) for f in dataclasses.fields(x)],
    "asdict": dataclasses.asdict,
    "astuple": dataclasses.astuple,
    "replaced": lambda x: repr(dataclasses.replace(x)),
    "copied": lambda x: repr(copy.deepcopy(x)),
    "equal to its copy": lambda x: copy.copy(x) == x,
    "equal to itself": lambda x: x == x,
    "equal to another": lambda x: x == 1,
    "hash": lambda x: hash(x) if type(x).__hash__ is not object.__hash__ else None,
    "match": lambda x: type(x).__match_args__,
    "slots": lambda x: hasattr(x, "__dict__"),
    "assigned": lambda x: setattr(x, dataclasses.fields(x)[0].name, 4),
    "deleted": lambda x: delattr(x, dataclasses.fields(x)[0].name),
    "after both": repr,
}


def _outcome(use: Callable[[], object]) -> object:
    try:
        return use()
    except Exception as error:  # what is refused is compared as well
        return type(error)


def _behaviour(cls: type, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, object]:
    instance = _outcome(lambda: cls(*arguments, **named))
    if isinstance(instance, type):
        return {"instance": instance}
    return {name: _outcome(partial(use, instance)) for name, use in USES.items()}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_as_the_standard_library(options: dict[str, bool]) -> None:
    defined: list[dict[type, type]] = []
    for decorator in (dataclasses.dataclass, late_dataclasses.dataclass):
        classes: dict[type, type] = {}
        for body in CALLS:
            bases = tuple(classes.get(base, base) for base in body.__bases__)
            names = {
                key: value for key, value in vars(body).items() if key not in ("__dict__", "__weakref__")
            }
            fresh = {key: copy.copy(value) for key, value in names.items()}
            classes[body] = decorator(**options)(type(body.__name__, bases, fresh))
        defined.append(classes)
    differences = []
    for body, calls in CALLS.items():
        for arguments, named in calls:
            expected, got = (_behaviour(classes[body], arguments, named) for classes in defined)
            differences += [
                f"{body.__name__}{arguments}{named} {name}: {value} is {got.get(name)}"
                for name, value in expected.items()
                if value != got.get(name)
            ]
    assert differences == []


@late_dataclasses.dataclass(frozen=True, slots=True)
class _Sent:
    name: str
    sizes: tuple[int, ...] = ()


def test_pickled() -> None:
    sent = _Sent("a", (1, 2))
    assert pickle.loads(pickle.dumps(sent)) == sent


@pytest.mark.parametrize(
    "body",
    [
        {"__annotations__": {"a": "int"}, "a": field(kw_only=True)},
        {"__annotations__": {"a": "int"}, "a": field(hash=False)},
        {"__annotations__": {"a": "InitVar[int]"}},
    ],
)
def test_what_it_does_not_do_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a late dataclass has no"):
        late_dataclasses.dataclass(frozen=True, slots=True)(type("Refused", (), {**body}))


def test_methods_are_compiled_at_their_first_call() -> None:
    late: Any = late_dataclasses.dataclass(frozen=True, slots=True)(
        type("Late", (), {"__annotations__": {"size": "int"}, "__qualname__": "Late"})
    )
    assert late.__init__.__qualname__ != "Late.__init__"
    assert late(3).size == 3
    assert late.__init__.__qualname__ == "Late.__init__"
