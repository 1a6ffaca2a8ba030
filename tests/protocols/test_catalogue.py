import sys
from abc import ABC, abstractmethod

import pytest

from protocols.catalogue import Catalogue

SHAPES = """
from test_catalogue_kind import Shape, Other
class {name}(Shape):
    def area(self): return {area}
class _Private({name}): pass
"""


@pytest.fixture
def shapes(tmp_path, monkeypatch):
    class Shape(ABC):
        @abstractmethod
        def area(self): ...

    class Other(Shape):
        def area(self):
            return -1

    kind = type(sys)("test_catalogue_kind")
    kind.Shape, kind.Other = Shape, Other
    monkeypatch.setitem(sys.modules, "test_catalogue_kind", kind)
    folder = tmp_path / "test_catalogue_shapes"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "square.py").write_text(SHAPES.format(name="Square", area=4))
    (folder / "round_thing.py").write_text(SHAPES.format(name="Circle", area=3))
    (folder / "_shared.py").write_text("raise RuntimeError('not a shape')")
    (folder / "broken.py").write_text("raise RuntimeError('only when asked for')")
    (folder / "empty.py").write_text("from test_catalogue_kind import Other")
    (folder / "two.py").write_text(SHAPES.format(name="A", area=1) + SHAPES.format(name="B", area=1))
    monkeypatch.syspath_prepend(tmp_path)
    yield Catalogue("test_catalogue_shapes", Shape, "shape")
    for module in [name for name in sys.modules if name.startswith("test_catalogue_shapes")]:
        del sys.modules[module]


def test_a_file_is_a_name(shapes):
    assert list(shapes) == ["broken", "empty", "round_thing", "square", "two"]
    assert len(shapes) == 5
    assert "square" in shapes
    assert "_shared" not in shapes
    assert shapes["square"]().area() == 4
    assert shapes["round_thing"].__name__ == "Circle"


def test_a_thing_knows_its_name(shapes):
    assert shapes.name_of(shapes["round_thing"]()) == "round_thing"


def test_an_unknown_name_is_refused_with_the_known_ones(shapes):
    with pytest.raises(ValueError, match="unknown shape 'triangle'; known: .*round_thing, square"):
        shapes["triangle"]


@pytest.mark.parametrize("name", ["empty", "two"])
def test_a_file_without_exactly_one_class_is_a_bug(shapes, name):
    with pytest.raises(TypeError, match=f"{name} must define one public Shape"):
        shapes[name]


def test_a_module_is_imported_when_it_is_asked_for(shapes):
    with pytest.raises(RuntimeError, match="only when asked for"):
        shapes["broken"]
