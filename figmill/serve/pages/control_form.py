"""Controls as HTML: native inputs with labels, which serve.js reads and sets by their `data-` names. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from figmill.model import Json
from figmill.page_words import Speech
from figmill.serve.controls import Control
from figmill.serve.pages.markup import NOTHING, Attributes, Safe, el

FEW = 3  # parameters that are shown although the question does not set them


def form(name: str, controls: Sequence[Control], say: Speech) -> Safe:
    """The form of a figure's controls, with the actions on them."""
    offered = [control for control in controls if control.sort != "shown"]
    others = [control for control in controls if control.sort == "shown"]
    if not offered:
        return NOTHING
    first = [control for control in offered if control.is_set]
    rest = [control for control in offered if not control.is_set]
    return el(
        "form",
        {"id": "controls", "data-name": name, "autocomplete": "off", "aria-label": say("Parameters")},
        *(_input(control, say) for control in first),
        *_rest([_input(control, say) for control in rest], bool(first), say),
        _others(others, say),
    )


def _rest(inputs: Sequence[Safe], is_second: bool, say: Speech) -> Iterable[Safe]:
    """The parameters that the question leaves to their defaults. Many of them, after others, are folded."""
    if not is_second or len(inputs) <= FEW:
        return inputs
    return [el("details", {"class": "more"}, el("summary", {}, say("More")), *inputs)]


def footer(say: Speech) -> Safe:
    """The actions on the controls, and the messages about them: always visible, and of one height.

    Separate from the form, so that a figure with other parameters needs only a new form.
    """
    return el(
        "div",
        {"class": "actions"},
        el(
            "div",
            {"class": "buttons"},
            *(
                el("button", {"type": "button", "id": id_, "disabled": True}, say(text))
                for id_, text in (
                    ("reset", "Reset"),
                    ("link", "Copy link"),
                    ("write", "Write to YAML…"),
                    ("fork", "New question…"),
                )
            ),
        ),
        el(
            "p",
            {"id": "drawing", "hidden": True},
            el("span", {"id": "seconds"}),
            el("button", {"type": "button", "id": "stop"}, say("Cancel")),
        ),
        el(
            "div",
            {
                "class": "messages",
                "tabindex": 0,
                "role": "group",
                "aria-label": say("Messages about the picture"),
            },
            el("p", {"id": "message", "role": "status", "aria-live": "polite"}),
            el(
                "p",
                {"id": "written", "hidden": True},
                el("span", {"role": "status", "aria-live": "polite"}),
                el("button", {"type": "button", "id": "undo"}, say("Undo")),
            ),
        ),
    )


def dialog(say: Speech) -> Safe:
    """Where an author sees what writing would change, before anything is written."""
    new = el(
        "label",
        {"id": "new"},
        say("Its id"),
        " ",
        el("input", {"type": "text", "id": "id", "spellcheck": "false"}),
    )
    return el(
        "dialog",
        {"id": "writing", "aria-labelledby": "writing-title"},
        el("h2", {"id": "writing-title"}, say("Write")),
        new,
        el("pre", {"id": "diff", "tabindex": 0, "dir": "ltr", "aria-label": say("What changes")}),
        el("p", {"id": "refused", "role": "alert", "dir": "auto"}),
        el(
            "div",
            {"class": "buttons"},
            el("button", {"type": "button", "id": "do-write"}, say("Write")),
            el("button", {"type": "button", "id": "cancel"}, say("Cancel")),
        ),
    )


def _others(controls: Sequence[Control], say: Speech) -> Safe:
    """The parameters that only the question can change."""
    if not controls:
        return NOTHING
    rows = (
        el(
            "div",
            {},
            el("dt", {}, control.name),
            el("dd", {}, _as_json(control.value) if control.is_known else say("computed")),
        )
        for control in controls
    )
    return el(
        "details",
        {"class": "others"},
        el("summary", {}, say("Set only in the question")),
        el("dl", {}, *rows),
    )


def _input(control: Control, say: Speech) -> Safe:
    """One control with its label. data-value: its declared value; data-on: whether its switch is on."""
    data: Attributes = {
        "class": f"control {control.sort}",
        "data-control": control.name,
        "data-sort": control.sort,
        "data-whole": control.is_whole,
        "data-optional": control.is_optional,
        "data-value": _as_json(control.value),
        "data-unit": control.unit or None,
    }
    about = (
        el("p", {"class": "about", "id": _id(control, "about"), "dir": "auto"}, control.about)
        if control.about
        else NOTHING
    )
    return el("div", data, _switch(control, say), WRITERS[control.sort](control), about)


def _switch(control: Control, say: Speech) -> Safe:
    """The switch of `X | None`."""
    if not control.is_optional:
        return NOTHING
    name = say("set {0}", control.name)
    is_on = control.value is not None
    return el(
        "input",
        {"type": "checkbox", "role": "switch", "data-switch": True, "aria-label": name, "checked": is_on},
    )


def _radio(control: Control) -> Safe:
    buttons = (
        el(
            "label",
            {},
            el(
                "input",
                {
                    "type": "radio",
                    "name": control.name,
                    "value": _as_json(choice),
                    "checked": _same(choice, control.value),
                    **_described(control),
                },
            ),
            _word(choice),
        )
        for choice in control.choices
    )
    return el("fieldset", {}, el("legend", {}, control.name), el("div", {"class": "choices"}, *buttons))


def _select(control: Control) -> Safe:
    options = (
        el("option", {"value": _as_json(choice), "selected": _same(choice, control.value)}, _word(choice))
        for choice in control.choices
    )
    return _labelled(control, el("select", {"id": _id(control), **_described(control)}, *options))


def _checkbox(control: Control) -> Safe:
    box = el(
        "input",
        {"type": "checkbox", "id": _id(control), "checked": control.value is True, **_described(control)},
    )
    return el("label", {"class": "box"}, box, control.name)


def _text(control: Control) -> Safe:
    value = control.value if isinstance(control.value, str) else ""
    attributes: Attributes = {
        "type": "text",
        "id": _id(control),
        "value": value,
        "spellcheck": "false",
        **_described(control),
    }
    return _labelled(control, el("input", attributes))


def _number(control: Control) -> Safe:
    """A slider, and a box for any number within the bounds."""
    assert control.reach is not None
    low, high = control.reach
    value = _plain(control.value if isinstance(control.value, int | float) else low)
    step = _plain(control.step) if control.step else "any"
    text = f"{value} {control.unit}".strip()
    slider = el(
        "input",
        {
            "type": "range",
            "min": _plain(low),
            "max": _plain(high),
            "step": step,
            "value": value,
            "aria-label": control.name,
            "aria-valuetext": text,
            **_described(control),
        },
    )
    box = el(
        "input",
        {
            "type": "number",
            "id": _id(control),
            "value": value,
            "step": step if control.is_whole else "any",
            "min": None if control.low is None else _plain(control.low),
            "max": None if control.high is None else _plain(control.high),
            **_described(control),
        },
    )
    unit = el("span", {"class": "unit"}, control.unit) if control.unit else NOTHING
    name = el("label", {"for": _id(control)}, control.name)
    return el("div", {"class": "both"}, name, el("span", {"class": "value"}, box, unit), slider)


def _labelled(control: Control, element: Safe) -> Safe:
    return el("div", {"class": "one"}, el("label", {"for": _id(control)}, control.name), element)


WRITERS: Mapping[str, Callable[[Control], Safe]] = MappingProxyType(
    {"radio": _radio, "select": _select, "checkbox": _checkbox, "text": _text, "number": _number}
)


def _described(control: Control) -> dict[str, str]:
    return {"aria-describedby": _id(control, "about")} if control.about else {}


def _id(control: Control, end: str = "") -> str:
    return f"control-{control.name}{f'-{end}' if end else ''}"


def _same(first: Json, second: Json) -> bool:
    return type(first) is type(second) and first == second


def _as_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _word(choice: Json) -> str:
    return choice if isinstance(choice, str) else _as_json(choice)


def _plain(number: float) -> str:
    """A number as inputs take it: 4, 0.2, 1000000."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else f"{number:.12g}"
